import * as z from "zod/mini";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { sixDecimals } from "#app/lib/degrees.ts";
import { clientText, nameText, optionalField } from "#app/lib/json/values.ts";
import { numberFromText } from "#app/lib/number-text.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";
import type * as answers from "./answers.ts";

/** Rekor's cloud hosts. Police departments can have accounts at the second. A key can also name the agency's own server. */
export const REKOR_HOSTS = ["https://cloud.openalpr.com", "https://police.openalpr.com"] as const;

const required = (words: string, most: number) =>
  clientText(
    z.string().check(z.trim(), z.minLength(1, words), z.maxLength(most, `At most ${most} characters.`)),
  );

/** A text copied from a vendor's page: no spaces, no invisible characters. */
const secret = (words: string) =>
  required(words, 400).check(z.regex(/^[\x21-\x7e]+$/, "A key or secret is plain text without spaces."));

const name = (words: string) => clientText(nameText(words, 120));

const REKOR_REQUIRED = "Agency and API key are required.";

/** The body of POST /add-api-key (specification section 7), and the key's host; the default is Rekor's cloud. */
export const NewApiKey = z.object({
  agency: name(REKOR_REQUIRED),
  api_key: secret(REKOR_REQUIRED),
  source_program: clientText(
    z
      .string()
      .check(
        z.refine(
          (text) => /^(rekor)?$/i.test(text.trim()),
          "The source program of an API key must be Rekor.",
        ),
      ),
  ),
  base_url: clientText(z.string().check(z.trim(), z.maxLength(2000))),
  idempotency_key: IdempotencyKey,
});
export type NewApiKey = z.infer<typeof NewApiKey>;

/** The columns of the file of POST /bulk-upload-api-keys. */
export const API_KEY_COLUMNS = ["agency", "api_key"] as const;
/** The columns that the file may lack. */
export const API_KEY_OPTIONAL = ["source_program", "base_url"] as const;
type KeyColumn = (typeof API_KEY_COLUMNS | typeof API_KEY_OPTIONAL)[number];
/** The headings of the table of keys (specification section 2), and short forms. */
export const API_KEY_ALIASES: ReadonlyMap<string, KeyColumn> = new Map<string, KeyColumn>([
  ["key", "api_key"],
  ["source", "source_program"],
]);
/** Columns of files from other systems. */
export const API_KEY_IGNORED = ["id"] as const;
/** Maximum number of keys in one file. */
export const MAX_UPLOADED_KEYS = 1000;
/** The largest file of keys. */
export const MAX_KEY_FILE_BYTES = 1024 * 1024;

const AXON_REQUIRED = "Client ID, client secret, partner ID and base URL are required.";

const credentials = (words: string) => ({
  client_id: required(words, 400),
  secret_id: secret(words),
  partner_id: required(words, 400).check(
    z.regex(/^\.*[\w~-][\w.~-]*$/, "The partner ID can contain only letters, digits, dots and hyphens."),
  ),
});

/** The body of POST /add-axon-integration (specification section 7). */
export const NewAxonIntegration = z.object({
  ...credentials(AXON_REQUIRED),
  base_url: required(AXON_REQUIRED, 2000),
});
export type NewAxonIntegration = z.infer<typeof NewAxonIntegration>;

/** The body of POST /change-axon-credentials. The address stays: reads, hits and saved searches name it. */
export const AxonCredentials = z.object(credentials("Client ID, client secret and partner ID are required."));
export type AxonCredentials = z.infer<typeof AxonCredentials>;

/** The body of POST /add-to-blacklist and of the endpoints that end a sharing. */
export const AgencyChoice = z.object({ agency_id: required("Choose an agency.", 100) });
export type AgencyChoice = z.infer<typeof AgencyChoice>;

const Declaration = z.string().check(z.trim(), z.maxLength(200, "At most 200 characters."));
const SharedUntil = z.nullable(
  z.string().check(
    z.refine((text) => timeOf(text, { zone: "UTC", edge: "end" }) !== undefined, {
      error: "This is not a valid time.",
    }),
  ),
);

/** Programs whose reads are closed to every agency that their owner has not named. */
export type NamingProgram = "Axis" | "Rekor";

/**
 * The body of POST /add-axis-share and /add-rekor-share: the agency, the declaration, and the end. Without an end, the
 * sharing is valid until it is removed.
 */
export const NewShare = z.extend(AgencyChoice, {
  declaration: clientText(Declaration),
  valid_until: z._default(SharedUntil, null),
});
export type NewShare = z.infer<typeof NewShare>;

/** The body of POST /remove-from-blacklist: the agency, and optional terms. */
export const AxonChoice = z.extend(AgencyChoice, {
  declaration: optionalField(Declaration),
  valid_until: z.optional(SharedUntil),
});
export type AxonChoice = z.infer<typeof AxonChoice>;

export const NewWebhook = z.object({
  name: name("Enter a name for the webhook."),
  idempotency_key: IdempotencyKey,
});
export type NewWebhook = z.infer<typeof NewWebhook>;

const Degrees = (most: number) =>
  z.pipe(
    z.transform(numberFromText),
    z.nullable(
      z
        .pipe(z.number(), z.transform(sixDecimals))
        .check(z.refine((value) => Math.abs(value) < most, "This is not a valid coordinate.")),
    ),
  );

const placed = {
  name: name("Enter a name for the camera."),
  latitude: Degrees(90),
  longitude: Degrees(180),
};
const isPlacedOrNot = z.refine<{ latitude: number | null; longitude: number | null }>(
  ({ latitude, longitude }) => (latitude === null) === (longitude === null),
  "Enter both latitude and longitude, or neither.",
);

/** An agency's own camera: its name and, optionally, its location. */
export const AxisCameraFields = z.object(placed).check(isPlacedOrNot);
export type AxisCameraFields = z.infer<typeof AxisCameraFields>;

/** The body of POST /axis-cameras. */
export const NewAxisCamera = z.object({ ...placed, idempotency_key: IdempotencyKey }).check(isPlacedOrNot);
export type NewAxisCamera = z.infer<typeof NewAxisCamera>;

/** The body of PATCH /axis-cameras/{id}: `known` is the camera as the client has it, whose change it would undo. */
export const AxisCameraChange = z
  .object({ ...placed, known: z.optional(z.object(placed)) })
  .check(isPlacedOrNot);
export type AxisCameraChange = z.infer<typeof AxisCameraChange>;

/** How an integration has responded recently. */
export type Health = {
  state: "unknown" | "ok" | "failing" | "paused";
  last_ok_at: number | null;
  last_failure_at: number | null;
  last_failure: string | null;
};

/** A row of the table of keys. Of a key itself, only the last four characters are shown. */
export type RekorKeyRow = z.infer<typeof answers.RekorKeyRow>;

/** The response of GET /axon-existing-integration. It does not contain the secret. */
export type AxonIntegrationRow = z.infer<typeof answers.AxonIntegrationRow>;

export type NamedAgency = { id: string; name: string };

/** An agency that reads are shared with, and the terms. After the end it cannot search and gets no alerts. */
export type SharedAgency = NamedAgency & {
  declaration: string;
  valid_until: number | null;
  expired: boolean;
};

/** The part of a list of agencies that a screen shows, with the numbers of all agencies and of matches. */
export type AgencyPart<Agency extends NamedAgency> = { agencies: Agency[]; found: number; total: number };

/** A webhook: an address that a vendor's system posts to. Its secret was shown once, when it was created. */
export type WebhookRow = {
  id: string;
  name: string;
  last_four: string;
  created_at: number;
  revoked_at: number | null;
  last_read_at: number | null;
  last_heartbeat_at: number | null;
  last_test_at: number | null;
  last_refused_at: number | null;
  last_refusal: string | null;
};

export type AxisCameraRow = {
  id: string;
  name: string;
  latitude: number | null;
  longitude: number | null;
  created_at: number;
  revoked_at: number | null;
  last_read_at: number | null;
  last_heartbeat_at: number | null;
  last_refused_at: number | null;
  last_refusal: string | null;
  silent: boolean;
};

/** A vendor's answer to a test of the credentials. */
export type Tested = { ok: boolean; msg: string };

/** Returns the last four characters of a key, fewer for a short one: eight stay hidden. */
export const shownEnd = (key: string) => key.slice(Math.max(8, key.length - 4));

/** Returns a key masked, with its last four characters. */
export const maskedKey = (lastFour: string) => `••••${lastFour}`;
