import {
  addPasskey,
  beginPasskey,
  challengePasskey,
  completeByPasskey,
  stepUpByPasskey,
} from "#app/domain/accounts/passkeys.ts";
import { changeOwnPassword, replacePassword } from "#app/domain/accounts/passwords.ts";
import { endOwnSession, profileOf, sessionTime, signOutEverywhere } from "#app/domain/accounts/profile.ts";
import {
  beginTotp,
  completeByCode,
  confirmNewTotp,
  factorStatus,
  removeFactor,
  renewRecoveryCodes,
  stepUp,
} from "#app/domain/accounts/second-factor.ts";
import { SESSION_STATES } from "#app/entities/accounts/access.ts";
import { toCurrentUser, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import {
  CurrentUser,
  Enrolled,
  NewAuthenticator,
  PasskeyChallenge,
  PasskeyOptions,
  ProfileData,
  RecoveryCodes,
  SecondFactors,
  SessionRenewed,
  SessionTime,
  SignedIn,
  SignInRequest,
  UseNotification,
} from "#app/entities/accounts/answers.ts";
import {
  FactorCode,
  NewPasskey,
  OwnPasswordChange,
  PasswordReset,
  StepUp,
  UsedPasskey,
} from "#app/entities/accounts/calls.ts";
import { about, Done, jsonAnswer, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { relyingPartyOf } from "#app/http/session.ts";
import {
  answerSignIn,
  answerSignOut,
  enrolled,
  sessionEnded,
  sessionRenewed,
  signedOut,
} from "#app/http/sign-in.ts";

// The states of a session in which a call may be made, other than `full` alone.
const IN_ANY_STATE = { during: SESSION_STATES };
const WHILE_CHANGING_PASSWORD = { during: ["full", "must-change-password"] } as const;
const WHILE_SETTING_UP_FACTOR = { during: ["full", "must-enrol-second-factor"], stepUp: true } as const;
const WHILE_SIGNING_IN = { during: ["awaiting-second-factor"] } as const;
const WHILE_PROVING_IDENTITY = { during: ["full", "awaiting-second-factor"] } as const;

const { loader, action } = endpoints(
  "Account",
  endpoint(
    "GET /use-notification",
    "public",
    none,
    about("Returns the notification that users see before they sign in.", UseNotification),
    () => USE_NOTIFICATION,
  ),
  endpoint(
    "POST /login",
    "public",
    none,
    about(
      "Signs in with a username and a password.",
      jsonAnswer(SignedIn, { bare: { 303: "After a plain HTML form: redirects to the first screen." } }),
      {
        details:
          'A program sends `client: "api"` and gets a token instead of a cookie. A refusal is a 401 with the same message for every reason.',
        json: SignInRequest,
        form: { fields: SignInRequest, urlEncoded: true },
      },
    ),
    ({ app, request }) => answerSignIn(app, request),
  ),
  endpoint(
    "POST /dev-login",
    "local",
    none,
    about("Signs in like POST /login.", SignedIn, {
      json: SignInRequest,
      hidden: "It exists on loopback hosts only.",
    }),
    ({ app, request }) => answerSignIn(app, request),
  ),
  endpoint(
    "POST /logout",
    "signed-in",
    none,
    about(
      "Ends the caller's session, if there is one.",
      jsonAnswer(Message, { bare: { 303: "After a plain HTML form: redirects to the sign-in page." } }),
    ),
    ({ app, actor, request }) => answerSignOut(app, actor, request),
    { ...IN_ANY_STATE, withoutSession: signedOut },
  ),
  endpoint(
    "GET /get-current-user",
    "signed-in",
    none,
    about("Returns the caller, with role and hotlist permissions.", CurrentUser),
    ({ actor }) => toCurrentUser(actor),
  ),

  endpoint(
    "GET /session-time",
    "signed-in",
    none,
    about("Returns whose session it is, its state and the time that is left.", SessionTime),
    ({ app, actor }) => sessionTime(app, actor),
    IN_ANY_STATE,
  ),

  // The user's own password and sessions
  endpoint(
    "GET /profile-data",
    "signed-in",
    none,
    about("Returns the caller's profile and open sessions.", ProfileData),
    ({ app, actor }) => profileOf(app, actor),
  ),
  endpoint(
    "POST /reset-password",
    "signed-in",
    PasswordReset,
    about("Replaces a temporary or expired password, and ends the session.", Message),
    async ({ app, actor, body }) => sessionEnded(await replacePassword(app, actor, body)),
    WHILE_CHANGING_PASSWORD,
  ),
  endpoint(
    "POST /user/reset-password",
    "signed-in",
    OwnPasswordChange,
    about("Changes the caller's password.", Message),
    ({ app, actor, body }) => changeOwnPassword(app, actor, body),
    { stepUp: true },
  ),
  endpoint(
    "DELETE /user/sessions/:id",
    "signed-in",
    none,
    about("Ends another session of the caller.", Done),
    ({ app, actor, params }) => endOwnSession(app, actor, params.id),
  ),
  endpoint(
    "POST /user/sign-out-everywhere",
    "signed-in",
    none,
    about("Ends all sessions of the caller.", Message),
    async ({ app, actor }) => sessionEnded(await signOutEverywhere(app, actor)),
  ),

  // Proving identity again before privileged functions
  endpoint(
    "POST /step-up",
    "signed-in",
    StepUp,
    about("Confirms the caller's identity with a password or a code.", SessionRenewed, {
      details:
        "Privileged calls need a confirmation within the last ten minutes. The session continues under a new token.",
    }),
    async ({ app, actor, body, request }) =>
      sessionRenewed({ actor, request }, await stepUp(app, actor, body)),
  ),
  endpoint(
    "POST /step-up/passkey",
    "signed-in",
    UsedPasskey,
    about("Confirms the caller's identity with a passkey.", SessionRenewed),
    async ({ app, actor, body, request }) =>
      sessionRenewed(
        { actor, request },
        await stepUpByPasskey(app, actor, { passkey: body, party: relyingPartyOf(app, request) }),
      ),
  ),

  // Second factors: verification at sign-in
  endpoint(
    "GET /second-factor-data",
    "signed-in",
    none,
    about("Returns the caller's second factors.", SecondFactors),
    ({ app, actor }) => factorStatus(app, actor),
    {
      during: ["full", "awaiting-second-factor", "must-enrol-second-factor"],
    },
  ),
  endpoint(
    "POST /second-factor/verify",
    "signed-in",
    FactorCode,
    about("Completes a sign-in with a code of an authenticator app, or a recovery code.", SessionRenewed),
    async ({ app, actor, body, request }) =>
      sessionRenewed({ actor, request }, await completeByCode(app, actor, body)),
    WHILE_SIGNING_IN,
  ),
  endpoint(
    "POST /second-factor/challenge",
    "signed-in",
    none,
    about("Returns the challenge that a passkey answers.", PasskeyChallenge),
    ({ app, actor, request }) => challengePasskey(app, actor, relyingPartyOf(app, request)),
    WHILE_PROVING_IDENTITY,
  ),
  endpoint(
    "POST /second-factor/verify-passkey",
    "signed-in",
    UsedPasskey,
    about("Completes a sign-in with a passkey.", SessionRenewed),
    async ({ app, actor, body, request }) =>
      sessionRenewed(
        { actor, request },
        await completeByPasskey(app, actor, { passkey: body, party: relyingPartyOf(app, request) }),
      ),
    WHILE_SIGNING_IN,
  ),

  // Second factors: setup and removal
  endpoint(
    "POST /second-factor/totp",
    "signed-in",
    none,
    about("Begins the setup of an authenticator app.", NewAuthenticator),
    ({ app, actor }) => beginTotp(app, actor),
    WHILE_SETTING_UP_FACTOR,
  ),
  endpoint(
    "POST /second-factor/totp/confirm",
    "signed-in",
    FactorCode,
    about("Confirms an authenticator app with its first code.", Enrolled),
    async ({ app, actor, body, request }) =>
      enrolled({ actor, request }, await confirmNewTotp(app, actor, body)),
    WHILE_SETTING_UP_FACTOR,
  ),
  endpoint(
    "DELETE /second-factor/totp",
    "signed-in",
    none,
    about("Removes the authenticator app.", Done),
    ({ app, actor }) => removeFactor(app, actor, "totp"),
    { stepUp: true },
  ),
  endpoint(
    "POST /second-factor/passkey-options",
    "signed-in",
    none,
    about("Begins the setup of a passkey.", PasskeyOptions),
    ({ app, actor, request }) => beginPasskey(app, actor, relyingPartyOf(app, request)),
    WHILE_SETTING_UP_FACTOR,
  ),
  endpoint(
    "POST /second-factor/passkeys",
    "signed-in",
    NewPasskey,
    about("Stores a new passkey.", Enrolled),
    async ({ app, actor, body, request }) =>
      enrolled(
        { actor, request },
        await addPasskey(app, actor, { passkey: body, party: relyingPartyOf(app, request) }),
      ),
    WHILE_SETTING_UP_FACTOR,
  ),
  endpoint(
    "DELETE /second-factor/passkeys/:id",
    "signed-in",
    none,
    about("Removes a passkey.", Done),
    ({ app, actor, params }) => removeFactor(app, actor, { passkey: params.id }),
    { stepUp: true },
  ),
  endpoint(
    "POST /second-factor/recovery-codes",
    "signed-in",
    none,
    about("Replaces the recovery codes. Only this answer contains them.", RecoveryCodes),
    ({ app, actor }) => renewRecoveryCodes(app, actor),
    { stepUp: true },
  ),
);

export { action, loader };
