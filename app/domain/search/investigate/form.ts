// Data of the screen for place and convoy searches, and its forms without scripts.

import type { AppContext } from "#app/context.ts";
import { formAgencies, NOT_LISTED, wholeAgencies } from "#app/domain/search/form.ts";
import { type SearchAgain, searchAgain } from "#app/domain/search/history.ts";
import { MOST_FOUND } from "#app/domain/users/agencies.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { INVESTIGATION_ACTIONS } from "#app/entities/oversight/review.ts";
import { type AgencyGroup, agencyGroups, type WholeAgencies } from "#app/entities/search/agencies.ts";
import { againRangeIn } from "#app/entities/search/history/calls.ts";
import type { InvestigationCamera, ListedCamera } from "#app/entities/search/investigate/areas.ts";
import { convoyIn, type Fields, placesIn } from "#app/entities/search/investigate/fields.ts";
import { convoyFilled, type FilledFields, placesFilled } from "#app/entities/search/investigate/fill.ts";
import { ConvoyRequest, MAX_PLACES, PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { uniqueById } from "#app/lib/at.ts";
import { AppError, isAppError } from "#app/lib/errors.ts";
import { lowerAscii } from "#app/lib/text.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";
import { countActions } from "#app/store/oversight/audit.ts";
import {
  countInvestigationCameras,
  findInvestigationCameras,
  listInvestigationCameras,
} from "#app/store/search/investigations.ts";
import { findSearchPolicy } from "#app/store/search/result-sets.ts";
import { searchConvoy } from "./convoy.ts";
import { searchPlaces } from "./places.ts";

type InvestigateFormData = {
  groups: WholeAgencies[];
  /** Those that the places list, then others for the map. */
  cameras: ListedCamera[];
  /** Number of them that the places list: the first ones, or those that were found, and those of the past search. */
  camerasListed: number;
  /** Number of cameras that the user may pick. */
  camerasKnown: number;
  /** The text by which the listed cameras were found, or "" for the first ones. */
  find: string;
  purposeRequired: boolean;
  perDay: number;
  /** Number of searches in the last 24 hours. */
  used: number;
  /** The past search that is run again, or null. */
  again: FilledSearch | null;
  /** The message that the past search cannot be filled in; "" if it was filled in or none was requested. */
  notListed: string;
};

type FilledSearch = Pick<SearchAgain, "id" | "tool" | "range" | "note" | "other"> & FilledFields;

/**
 * Maximum number of cameras that the map shows and a search finds. If there are more, the list of each place begins
 * with `MOST_FOUND`.
 */
const MAX_FOUND = 200;
/** Maximum number of words that a camera's name or agency is searched for. */
const MAX_WORDS = 8;
/** Without scripts, one search finds the cameras of all places. */
const BETWEEN_TEXTS = ",";

type InvestigateForm = {
  /** The form of a convoy has no cameras. */
  tool: "places" | "convoy";
  /** The id of a past search of the actor's own to fill the form with. */
  again: string | null;
  range: string | null;
  /** Texts, separated by commas, by which cameras are listed instead of the first ones. */
  find: string;
};

/** Returns the data of the screen. */
export async function investigateFormFor(
  app: AppContext,
  actor: Actor,
  { tool, again, range, find }: InvestigateForm,
): Promise<InvestigateFormData> {
  const now = app.clock();
  const tenant = { tenantId: actor.agencyId, now };
  // Only a past search may name single cameras of an agency, which has thousands.
  const isAgain = again !== null;
  const [agencies, first, found, camerasKnown, policy, used, past] = await Promise.all([
    isAgain ? formAgencies(app, actor) : wholeAgencies(app, actor),
    tool === "places" ? listInvestigationCameras(app.db, { ...tenant, limit: MAX_FOUND }) : [],
    tool === "places" && find !== "" ? camerasWithAny(app, actor, find) : undefined,
    tool === "places" ? countInvestigationCameras(app.db, tenant) : 0,
    findSearchPolicy(app.db, actor.agencyId),
    countActions(app.db, { ...actor, actions: INVESTIGATION_ACTIONS, since: now - DAY }),
    isAgain ? searchAgain(app, actor, { id: again, range: againRangeIn(range) }) : undefined,
  ]);
  const groups = agencyGroups(agencies);
  const filled = past && filledSearch(past, { groups, zone: policy?.timeZone ?? "UTC" });
  const picked = new Set(Object.values(filled?.values ?? {}).flat());
  const named =
    tool === "places" ? await findInvestigationCameras(app.db, { ...tenant, ids: [...picked] }) : [];
  const listedFirst = camerasKnown > MAX_FOUND ? first.slice(0, MOST_FOUND) : first;
  const listed = uniqueById([...(found ?? listedFirst), ...named]);
  return {
    groups: groups.map(({ program, options }) => ({
      program,
      // Omits fields that the screen does not read, because there may be a thousand cameras.
      options: options.map(({ key, name, identifiers }) => {
        const parts = identifiers.filter((id) => id !== key && picked.has(id));
        return parts.length > 0 ? { key, name, parts } : { key, name };
      }),
    })),
    cameras: uniqueById([...listed, ...first]).map(
      ({ sourceId: _source, readAs: _readAs, ...camera }): ListedCamera => camera,
    ),
    camerasListed: listed.length,
    camerasKnown,
    find,
    purposeRequired: policy?.purposeRequired ?? false,
    perDay: policy?.investigationsPerDay ?? 0,
    used,
    again: filled ?? null,
    notListed: isAgain && !filled ? NOT_LISTED : "",
  };
}

/** Returns cameras with one of the texts, an equal part of `MOST_FOUND` for each. */
async function camerasWithAny(app: AppContext, actor: Actor, find: string): Promise<InvestigationCamera[]> {
  const texts = find
    .split(BETWEEN_TEXTS)
    .filter((text) => text.trim() !== "")
    .slice(0, MAX_PLACES);
  const limit = Math.floor(MOST_FOUND / Math.max(1, texts.length));
  return (await Promise.all(texts.map((text) => camerasWith(app, actor, { text, limit })))).flat();
}

/** Returns the first cameras that the actor may pick and whose name or agency has each word of a text, in any case (ASCII). */
export async function findPickableCameras(
  app: AppContext,
  actor: Actor,
  text: string,
): Promise<{ cameras: InvestigationCamera[] }> {
  return { cameras: await camerasWith(app, actor, { text, limit: MAX_FOUND }) };
}

function camerasWith(app: AppContext, actor: Actor, { text, limit }: { text: string; limit: number }) {
  const words = lowerAscii(text).split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  return listInvestigationCameras(app.db, { tenantId: actor.agencyId, now: app.clock(), words, limit });
}

/** Returns the fields of a past search, or undefined if today's schema refuses it or it has another form. */
function filledSearch(
  { id, tool, range, note, other, request }: SearchAgain,
  context: { groups: AgencyGroup[]; zone: string },
): FilledSearch | undefined {
  const head = { id, tool, range, note, other };
  // Only a complete request passes the schema.
  const complete = { ...request, justification: "Again" };
  if (tool === "places") {
    const parsed = PlacesRequest.safeParse(complete);
    return parsed.success ? { ...head, ...placesFilled(parsed.data, context) } : undefined;
  }
  const parsed = tool === "convoy" ? ConvoyRequest.safeParse(complete) : undefined;
  return parsed?.success ? { ...head, ...convoyFilled(parsed.data, context) } : undefined;
}

type Sent = { fields: Fields; signal: AbortSignal };

/**
 * Runs a form of many places that was sent without scripts. Throws as `searchPlaces` does, with the form's field names.
 */
export async function placesByForm(app: AppContext, actor: Actor, { fields, signal }: Sent) {
  const { request, named, problems } = placesIn(fields, await zoneOf(app, actor, fields));
  if (!request) throw fieldError(problems);
  return run(() => searchPlaces(app, actor, { request, signal, onProgress: () => {} }), named);
}

/** Runs a convoy form that was sent without scripts. Throws as `searchConvoy` does, with the form's field names. */
export async function convoyByForm(app: AppContext, actor: Actor, { fields, signal }: Sent) {
  const { request, named, problems } = convoyIn(fields, await zoneOf(app, actor, fields));
  if (!request) throw fieldError(problems);
  return run(() => searchConvoy(app, actor, { request, signal, onProgress: () => {} }), named);
}

async function run(
  work: () => Promise<{ result_id: string }>,
  named: (problems: Record<string, string>) => Record<string, string>,
): Promise<{ resultId: string }> {
  try {
    return { resultId: (await work()).result_id };
  } catch (error) {
    if (!isAppError(error) || !error.problems) throw error;
    const renamed = new AppError(error.code, error.message, { problems: named(error.problems) });
    renamed.audited = error.audited;
    throw renamed;
  }
}

function fieldError(problems: Record<string, string>): AppError {
  return new AppError("bad_request", Object.values(problems)[0] ?? "", { problems });
}

/** The zone of typed times: the browser's if its scripts named it, otherwise the agency's. */
async function zoneOf(app: AppContext, actor: Actor, fields: Fields): Promise<string> {
  const named = [fields.zone?.[0] ?? ""].find(isTimeZone);
  return named ?? (await findSearchPolicy(app.db, actor.agencyId))?.timeZone ?? "UTC";
}
