import {
  addPasskey,
  beginPasskey,
  challengePasskey,
  givePasskey,
  stepUpByPasskey,
} from "#app/domain/accounts/passkeys.ts";
import { changeOwnPassword, replacePassword } from "#app/domain/accounts/passwords.ts";
import { endOwnSession, profileOf, sessionTime, signOutEverywhere } from "#app/domain/accounts/profile.ts";
import {
  beginTotp,
  confirmNewTotp,
  factorStatus,
  giveCode,
  removeFactor,
  renewRecoveryCodes,
  stepUp,
} from "#app/domain/accounts/second-factor.ts";
import { SESSION_STATES } from "#app/entities/accounts/access.ts";
import { toCurrentUser, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { OwnPasswordChange, PasswordReset, StepUp } from "#app/entities/accounts/calls.ts";
import { FactorCode, NewPasskey, UsedPasskey } from "#app/entities/accounts/second-factor-calls.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { relyingPartyOf } from "#app/http/session.ts";
import { answerSignIn, answerSignOut, enrolled, sessionEnded, sessionRenewed } from "#app/http/sign-in.ts";

const ANY = { during: SESSION_STATES };
const CHANGING = { during: ["full", "must-change-password"] } as const;
const ENROLLING = { during: ["full", "must-enrol-second-factor"], stepUp: true } as const;
const GIVING = { during: ["awaiting-second-factor"] } as const;
const PROVING = { during: ["full", "awaiting-second-factor"] } as const;

const { loader, action } = endpoints(
  endpoint("GET /use-notification", "public", none, () => USE_NOTIFICATION),
  endpoint("POST /login", "public", none, ({ app, request }) => answerSignIn(app, request)),
  endpoint("POST /dev-login", "local", none, ({ app, request }) => answerSignIn(app, request)),
  endpoint("POST /logout", "signed-in", none, ({ app, actor }) => answerSignOut(app, actor), ANY),
  endpoint("GET /get-current-user", "signed-in", none, ({ actor }) => toCurrentUser(actor)),

  endpoint("GET /session-time", "signed-in", none, ({ app, actor }) => sessionTime(app, actor), ANY),

  // The user's own password and sessions
  endpoint("GET /profile-data", "signed-in", none, ({ app, actor }) => profileOf(app, actor)),
  endpoint(
    "POST /reset-password",
    "signed-in",
    PasswordReset,
    async ({ app, actor, body }) => sessionEnded(await replacePassword(app, actor, body)),
    CHANGING,
  ),
  endpoint(
    "POST /user/reset-password",
    "signed-in",
    OwnPasswordChange,
    ({ app, actor, body }) => changeOwnPassword(app, actor, body),
    { stepUp: true },
  ),
  endpoint("DELETE /user/sessions/:id", "signed-in", none, ({ app, actor, params }) =>
    endOwnSession(app, actor, params.id),
  ),
  endpoint("POST /user/sign-out-everywhere", "signed-in", none, async ({ app, actor }) =>
    sessionEnded(await signOutEverywhere(app, actor)),
  ),

  // Proving identity again before privileged functions
  endpoint("POST /step-up", "signed-in", StepUp, async ({ app, actor, body, request }) =>
    sessionRenewed(request, await stepUp(app, actor, body)),
  ),
  endpoint("POST /step-up/passkey", "signed-in", UsedPasskey, async ({ app, actor, body, request }) =>
    sessionRenewed(
      request,
      await stepUpByPasskey(app, actor, { passkey: body, party: relyingPartyOf(app, request) }),
    ),
  ),

  // Second factors: verification at sign-in
  endpoint("GET /second-factor-data", "signed-in", none, ({ app, actor }) => factorStatus(app, actor), {
    during: ["full", "awaiting-second-factor", "must-enrol-second-factor"],
  }),
  endpoint(
    "POST /second-factor/verify",
    "signed-in",
    FactorCode,
    async ({ app, actor, body, request }) => sessionRenewed(request, await giveCode(app, actor, body)),
    GIVING,
  ),
  endpoint(
    "POST /second-factor/challenge",
    "signed-in",
    none,
    ({ app, actor, request }) => challengePasskey(app, actor, relyingPartyOf(app, request)),
    PROVING,
  ),
  endpoint(
    "POST /second-factor/verify-passkey",
    "signed-in",
    UsedPasskey,
    async ({ app, actor, body, request }) =>
      sessionRenewed(
        request,
        await givePasskey(app, actor, { passkey: body, party: relyingPartyOf(app, request) }),
      ),
    GIVING,
  ),

  // Second factors: setup and removal
  endpoint(
    "POST /second-factor/totp",
    "signed-in",
    none,
    ({ app, actor }) => beginTotp(app, actor),
    ENROLLING,
  ),
  endpoint(
    "POST /second-factor/totp/confirm",
    "signed-in",
    FactorCode,
    async ({ app, actor, body, request }) => enrolled(request, await confirmNewTotp(app, actor, body)),
    ENROLLING,
  ),
  endpoint(
    "DELETE /second-factor/totp",
    "signed-in",
    none,
    ({ app, actor }) => removeFactor(app, actor, "totp"),
    { stepUp: true },
  ),
  endpoint(
    "POST /second-factor/passkey-options",
    "signed-in",
    none,
    ({ app, actor, request }) => beginPasskey(app, actor, relyingPartyOf(app, request)),
    ENROLLING,
  ),
  endpoint(
    "POST /second-factor/passkeys",
    "signed-in",
    NewPasskey,
    async ({ app, actor, body, request }) =>
      enrolled(request, await addPasskey(app, actor, { passkey: body, party: relyingPartyOf(app, request) })),
    ENROLLING,
  ),
  endpoint(
    "DELETE /second-factor/passkeys/:id",
    "signed-in",
    none,
    ({ app, actor, params }) => removeFactor(app, actor, { passkey: params.id }),
    { stepUp: true },
  ),
  endpoint(
    "POST /second-factor/recovery-codes",
    "signed-in",
    none,
    ({ app, actor }) => renewRecoveryCodes(app, actor),
    { stepUp: true },
  ),
);

export { action, loader };
