/** Response schemas of the search endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { RekorKeyRow } from "#app/entities/integrations/answers.ts";
import { described, named } from "#app/lib/json/named-schema.ts";

const TripRead = named(
  "TripRead",
  z.object({
    row: z.number(),
    plate: z.string(),
    time: described(
      "Epoch milliseconds of the read itself, not of its arrival; null if unknown.",
      z.nullable(z.number()),
    ),
    latitude: z.nullable(z.number()),
    longitude: z.nullable(z.number()),
    state: z.string(),
    make: z.string(),
    color: z.string(),
    camera: z.string(),
  }),
  "A read of an impossible trip. `row` identifies it in the answer; an empty text means unknown.",
);

const TripCause = named(
  "TripCause",
  z.union([
    z.object({ kind: z.literal("clock"), cameras: z.array(z.string()), plates: z.number() }),
    z.object({ kind: z.literal("misread"), row: z.number(), plate: z.string() }),
    z.object({ kind: z.literal("clone"), differs: z.array(z.enum(["state", "make", "color"])) }),
    z.object({ kind: z.literal("unknown") }),
  ]),
  "The likely reason why a trip is impossible: the first of these that the reads support.",
);

export const ImpossibleTrip = named(
  "ImpossibleTrip",
  z.object({
    from: TripRead,
    to: TripRead,
    miles: z.number(),
    mph: described("The speed needed; null if both reads have the same time.", z.nullable(z.number())),
    cause: TripCause,
  }),
  "Two consecutive reads of one plate that no car can drive between.",
);

export const NearestAddress = named(
  "NearestAddress",
  z.object({
    address: described("Null if there is none.", z.nullable(z.string())),
    approximate: described("The nearest known place and the distance to it, not an address.", z.boolean()),
    attribution: z.string(),
  }),
);

export const BasemapInfo = named(
  "BasemapInfo",
  z.object({
    kind: z.enum(["embedded", "raster", "vector"]),
    attribution: z.string(),
    minZoom: z.number(),
    maxZoom: z.number(),
  }),
  "The map below the markers: vectors that ship with Odin, or the operator's tiles through Odin's own origin.",
);

export const FoundPlace = named(
  "FoundPlace",
  z.object({ name: z.string(), latitude: z.number(), longitude: z.number() }),
);

const RekorAgency = named(
  "RekorAgency",
  z.object({ id: z.string(), agency: z.string() }),
  "The agency groups of the search form, in the shapes of the three calls that feed them (specification section 3).",
);

export const RekorAgencies = named("RekorAgencies", z.union([z.array(RekorKeyRow), z.array(RekorAgency)]));

const SearchableAxonAgency = named(
  "SearchableAxonAgency",
  z.object({ agency_name: z.string(), base_url: z.string() }),
);

export const AxonAgencies = z.array(SearchableAxonAgency);

const AxisAgency = named(
  "AxisAgency",
  z.object({
    id: z.string(),
    agency_name: z.string(),
    integrations: z.array(z.object({ identifier: z.string() })),
  }),
);

export const AxisAgencies = z.array(AxisAgency);

/** The state of one agency of one program in a search. `failed` and `cancelled` never read as "no results"; `unsupported` means that the program cannot apply one of the filters and was not asked. */
export const SourceStatus = named(
  "SourceStatus",
  z.object({
    sourceId: z.string(),
    program: z.enum(["Rekor", "Axon", "Axis"]),
    agency: z.string(),
    state: z.enum(["failed", "cancelled", "ok", "waiting", "asking", "slow", "unsupported"]),
    reads: z.number(),
    truncated: described("More reads exist than were fetched.", z.boolean()),
    message: described("Why it failed, or what it does not support, as text for the user.", z.string()),
    milliseconds: z.number(),
  }),
  'The state of one agency of one program in a search. `failed` and `cancelled` never read as "no results"; `unsupported` means that the program cannot apply one of the filters and was not asked.',
);

export const ResultSummary = named(
  "ResultSummary",
  z.object({
    request: z.object({
      plate: z.string(),
      plate_state: z.string(),
      vehicle_color: z.string(),
      vehicle_make: z.string(),
      vehicle_body_type: z.string(),
      justification: z.string(),
      case_number: z.string(),
      purpose: z.string(),
      start_time: z.string(),
      end_time: z.string(),
      agencies: z.array(z.string()),
      filters: z.object({
        top_rack: z.boolean(),
        back_rack: z.boolean(),
        bumper_stickers: z.boolean(),
        window_stickers: z.boolean(),
      }),
      look_alikes: z.optional(
        described("Odin's addition: also returns plates that resemble `plate`.", z.boolean()),
      ),
      confirmation: z.optional(
        described(
          "Only for a justification that names a prohibited purpose: the typed phrase, and who approved the search.",
          z.string(),
        ),
      ),
      supervisor: z.optional(z.string()),
    }),
    id: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
    statuses: z.array(SourceStatus),
    count: z.number(),
    truncated: described("True if more reads were found than the search's limit allows.", z.boolean()),
    placesAt: described(
      "When a camera was last corrected since the search, or 0; part of the columns' URL, so that they are fetched again.",
      z.number(),
    ),
  }),
);

export const PastSearch = named(
  "PastSearch",
  z.object({
    id: described("The id of its result set.", z.string()),
    tool: z.enum(["search", "places", "convoy"]),
    searched_at: z.string(),
    what: described("What was searched, as a sentence.", z.string()),
    justification: z.string(),
    purpose: z.string(),
    case_number: z.string(),
    service_account: described("The name of the service account that acted, or empty.", z.string()),
    programs: described("The programs that were asked.", z.array(z.string())),
    state: z.enum(["failed", "running", "done", "canceled"]),
    reads: described("Null while the search is running.", z.nullable(z.number())),
    truncated: described("The results were cut off at the limit of reads.", z.boolean()),
    name: described('"" without one.', z.string()),
    pinned: z.boolean(),
    results_until: described(
      "When its results expire, or null if they cannot be opened.",
      z.nullable(z.string()),
    ),
  }),
  "One of a user's own searches. Times are ISO, UTC.",
);

export const SearchHistory = named(
  "SearchHistory",
  z.object({
    pinned: described("Only on the first page.", z.array(PastSearch)),
    searches: z.array(PastSearch),
    next: described("The cursor of the next page, or null.", z.nullable(z.string())),
    searched_to: described(
      "How far back a filter has looked, if older searches remain. ISO, UTC.",
      z.nullable(z.string()),
    ),
    kept_days: described("For how many days searches are listed.", z.number()),
  }),
  "A page of a user's own searches, newest first.",
);

const corner = z.optional(z.nullable(z.number()));

/** A row of POST /search-data (specification section 3, sighting result). */
export const Sighting = named(
  "Sighting",
  z.object({
    id: described("32 hexadecimal digits, the same each time the read is found.", z.string()),
    plate: z.string(),
    plate_state: z.string(),
    make: z.string(),
    color: z.string(),
    body_type: z.string(),
    timestamp: z.nullable(z.string()),
    timestamp_note: described(
      "The camera sent no time: the timestamp is the time of arrival.",
      z.optional(z.string()),
    ),
    camera_name: z.string(),
    agency: z.string(),
    latitude: z.nullable(z.number()),
    longitude: z.nullable(z.number()),
    source_program: z.enum(["Rekor", "Axon", "Axis"]),
    image_uuid: described("A reference for the image proxies.", z.nullable(z.string())),
    image_path: described("A reference for the image proxies.", z.nullable(z.string())),
    plate_image_url: described(
      "Axon and Axis: a reference for the image proxies.",
      z.optional(z.nullable(z.string())),
    ),
    match_score: described("With `look_alikes`: 1 is exact.", z.optional(z.number())),
    match_reason: described("With `look_alikes`: `8 read as B`; empty if exact.", z.optional(z.string())),
    agent_uid: described("Rekor only.", z.optional(z.string())),
    api_key: described("Rekor only: a handle, not the key.", z.optional(z.string())),
    plate_x1: corner,
    plate_y1: corner,
    plate_x2: corner,
    plate_y2: corner,
    plate_x3: corner,
    plate_y3: corner,
    plate_x4: corner,
    plate_y4: corner,
  }),
);
