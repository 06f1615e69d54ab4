/** Response schemas of the account endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";
import { Credentials } from "./actor.ts";

const PasskeyId = named(
  "PasskeyId",
  z.object({ id: z.string(), transports: z.optional(z.array(z.string())), type: z.string() }),
);

export const UseNotification = named(
  "UseNotification",
  z.object({ version: z.string(), statements: z.array(z.string()) }),
);

export const CurrentUser = named(
  "CurrentUser",
  z.object({
    id: z.string(),
    username: z.string(),
    role: z.enum(["admin", "user"]),
    hotlist_admin: z.boolean(),
    hotlist_viewer: z.boolean(),
    email: z.string(),
    name: z.string(),
    department: z.string(),
  }),
  "The signed-in user as GET /get-current-user returns it.",
);

export const SessionTime = named(
  "SessionTime",
  z.object({
    username: z.string(),
    state: z.enum(["full", "must-change-password", "must-enrol-second-factor", "awaiting-second-factor"]),
    unused_left_ms: z.number(),
    left_ms: z.number(),
  }),
  "The response of GET /session-time: user, state, and time until the session ends, if unused and at the latest.",
);

export const SecondFactorStatus = named(
  "SecondFactorStatus",
  z.object({
    required: described("The agency's policy requires a second factor.", z.boolean()),
    totp: z.boolean(),
    passkeys: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        created_at: z.number(),
        last_used_at: z.nullable(z.number()),
      }),
    ),
    recovery_codes_left: z.number(),
  }),
  "The second factors of a user.",
);

export const SessionSummary = named(
  "SessionSummary",
  z.object({
    id: z.string(),
    kind: z.enum(["cookie", "bearer"]),
    current: z.boolean(),
    created_at: z.number(),
    last_seen_at: z.number(),
    ip: z.string(),
    client: described('Readable name, such as "Firefox on Windows".', z.string()),
  }),
  "A session as shown to its user.",
);

export const ProfileData = named(
  "ProfileData",
  z.object({
    username: z.string(),
    email: z.string(),
    role: z.enum(["admin", "user"]),
    name: z.string(),
    department: z.string(),
    password_changed_at: z.nullable(z.number()),
    password_expires_at: described(
      "When the password must be changed; null if the agency sets no maximum age.",
      z.nullable(z.number()),
    ),
    second_factor: SecondFactorStatus,
    sessions: z.array(SessionSummary),
  }),
  "The response of GET /profile-data, shown on the profile.",
);

export const SecondFactors = named(
  "SecondFactors",
  z.extend(SecondFactorStatus, { single_sign_on: z.boolean() }),
);

export const PasskeyChallenge = named(
  "PasskeyChallenge",
  z.object({
    challenge: z.string(),
    timeout: z.optional(z.number()),
    rpId: z.optional(z.string()),
    allowCredentials: z.optional(z.array(PasskeyId)),
    userVerification: z.optional(z.string()),
    hints: z.optional(z.array(z.string())),
    extensions: z.optional(z.unknown()),
  }),
  "The options of `navigator.credentials.get` as JSON (Web Authentication, level 3).",
);

export const NewAuthenticator = named(
  "NewAuthenticator",
  z.object({ secret: z.string(), address: z.string() }),
);

export const PasskeyOptions = named(
  "PasskeyOptions",
  z.object({
    rp: z.object({ id: z.optional(z.string()), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal("public-key") })),
    timeout: z.optional(z.number()),
    excludeCredentials: z.optional(z.array(PasskeyId)),
    authenticatorSelection: z.optional(z.unknown()),
    hints: z.optional(z.array(z.string())),
    attestation: z.optional(z.string()),
    attestationFormats: z.optional(z.array(z.string())),
    extensions: z.optional(z.unknown()),
  }),
  "The options of `navigator.credentials.create` as JSON (Web Authentication, level 3).",
);

export const RecoveryCodes = named("RecoveryCodes", z.object({ recovery_codes: z.array(z.string()) }));

/** The body of POST /login. A form has the first two fields only. */
export const SignInRequest = z.extend(Credentials, {
  client: described(
    "api for a program, which gets a token. Refused for a page in a browser.",
    z.optional(z.string()),
  ),
  notice: described("The version of the use notification that was shown.", z.optional(z.string())),
});

const SessionFields = z.object({
  msg: z.string(),
  redirect_url: described("The first screen of the session.", z.string()),
  token: described("For programs: the bearer token.", z.optional(z.string())),
  device: described(
    "For programs that ask for it: identifies the device at later sign-ins.",
    z.optional(z.string()),
  ),
});

/** The answer to POST /login. A browser gets cookies instead of `token` and `device`. */
export const SignedIn = named("SignedIn", SessionFields);

/** A session that continues with a new token. */
export const SessionRenewed = named("SessionRenewed", z.extend(SessionFields, {}));

export const Enrolled = named(
  "Enrolled",
  z.extend(SessionFields, {
    recovery_codes: described(
      "Only this answer contains them. Empty if there were codes already.",
      z.array(z.string()),
    ),
  }),
);
