import * as z from "zod/mini";
import { numberFromText } from "#app/lib/number-text.ts";
import { timeOf } from "#app/lib/time/wall-clock.ts";

/** Where Rekor's cloud is; police departments may have accounts at the second, and a server of one's own is a third. */
export const REKOR_HOSTS = ["https://cloud.openalpr.com", "https://police.openalpr.com"] as const;

const required = (words: string, most: number) =>
  z.string(words).check(z.trim(), z.minLength(1, words), z.maxLength(most, `At most ${most} characters.`));

/** What somebody copies from a vendor's page: no spaces, nothing invisible, long enough that four characters tell little. */
const secret = (words: string) =>
  required(words, 400).check(
    z.regex(/^[\x21-\x7e]+$/, "A key or secret is plain text without spaces."),
    z.minLength(12, "That is too short for a key or secret."),
  );

const REKOR_REQUIRED = "Agency and API key are required.";

/** POST /add-api-key (specification section 7) with the host of the key, the cloud's where none is given. */
export const NewApiKey = z.object({
  agency: required(REKOR_REQUIRED, 120),
  api_key: secret(REKOR_REQUIRED),
  source_program: z.optional(z.literal("Rekor", "The source program of an API key is Rekor.")),
  base_url: z.optional(z.string().check(z.trim(), z.maxLength(2000))),
});
export type NewApiKey = z.infer<typeof NewApiKey>;

/** The file of POST /bulk-upload-api-keys. */
export const API_KEY_COLUMNS = ["agency", "api_key", "source_program"] as const;
export const API_KEY_OPTIONAL = ["base_url"] as const;
export const MOST_UPLOADED_KEYS = 1000;
export const MOST_KEY_FILE_BYTES = 1024 * 1024;

const AXON_REQUIRED = "Client ID, client secret, partner ID and base URL are required.";

/** POST /add-axon-integration (specification section 7). */
export const NewAxonIntegration = z.object({
  client_id: required(AXON_REQUIRED, 400),
  secret_id: secret(AXON_REQUIRED),
  partner_id: required(AXON_REQUIRED, 400).check(
    z.regex(/^[\w.~-]*[\w~-][\w.~-]*$/, "The partner ID holds letters, digits, dots and hyphens only."),
  ),
  base_url: required(AXON_REQUIRED, 2000),
});
export type NewAxonIntegration = z.infer<typeof NewAxonIntegration>;

/** POST /add-to-blacklist, /remove-from-blacklist and their like for Axis and Rekor. */
export const AgencyChoice = z.object({ agency_id: required("Which agency?", 100) });
export type AgencyChoice = z.infer<typeof AgencyChoice>;

const Declaration = z.string().check(z.trim(), z.maxLength(200, "At most 200 characters."));
const SharedUntil = z.nullable(
  z.string().check(
    z.refine((text) => timeOf(text, { zone: "UTC", edge: "end" }) !== undefined, {
      error: "That is not a time.",
    }),
  ),
);

/** The programs whose reads are closed to every agency that their owner has not named. */
export type NamingProgram = "Axis" | "Rekor";

/** POST /add-axis-share and /add-rekor-share: with whom, on what declaration, and until when; without an end it holds until it is stopped. */
export const NewShare = z.extend(AgencyChoice, {
  declaration: z._default(Declaration, ""),
  valid_until: z._default(SharedUntil, null),
});
export type NewShare = z.infer<typeof NewShare>;

/** POST /remove-from-blacklist: the agency, and terms where its searching is to have some. */
export const AxonChoice = z.extend(AgencyChoice, {
  declaration: z.optional(Declaration),
  valid_until: z.optional(SharedUntil),
});
export type AxonChoice = z.infer<typeof AxonChoice>;

export const NewWebhook = z.object({ name: required("Give the webhook a name.", 120) });
export type NewWebhook = z.infer<typeof NewWebhook>;

const Degrees = (most: number) =>
  z.pipe(
    z.transform(numberFromText),
    z.nullable(z.number().check(z.refine((value) => Math.abs(value) < most, "That is no place."))),
  );

/** A camera of one's own: its name and, both or neither, where it stands. */
export const AxisCameraFields = z
  .object({
    name: required("Give the camera a name.", 120),
    latitude: Degrees(90),
    longitude: Degrees(180),
  })
  .check(
    z.refine(
      ({ latitude, longitude }) => (latitude === null) === (longitude === null),
      "Give latitude and longitude, or neither.",
    ),
  );
export type AxisCameraFields = z.infer<typeof AxisCameraFields>;

/** How an integration has answered of late. */
export type Health = {
  state: "unknown" | "ok" | "failing" | "paused";
  last_ok_at: number | null;
  last_failure_at: number | null;
  last_failure: string | null;
};

/** A row of the table of keys; of the key itself only the last four characters are ever shown again. */
export type RekorKeyRow = {
  id: string;
  agency: string;
  api_key: string;
  source_program: "Rekor";
  base_url: string;
  created_at: number;
  health: Health;
};

/** GET /axon-existing-integration; the secret stays where it is. */
export type AxonIntegrationRow = {
  agency_name: string;
  base_url: string;
  client_id: string;
  partner_id: string;
  created_at: number;
  health: Health;
};

export type NamedAgency = { id: string; name: string };

/** An agency that reads are shared with, and on what terms. Past its end it finds nothing, and is told of nothing. */
export type SharedAgency = NamedAgency & {
  declaration: string;
  valid_until: number | null;
  expired: boolean;
};

/** An address that a vendor's system posts to; the secret in it was shown once. */
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

/** What a vendor answered when it was asked whether the credentials are good. */
export type Tested = { ok: boolean; msg: string };

/** A key as it is shown after it was given. */
export const maskedKey = (lastFour: string) => `••••${lastFour}`;
