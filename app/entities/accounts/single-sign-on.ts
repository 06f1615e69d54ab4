/** Rules of single sign-on with an agency's OpenID Connect provider. Pure. */

import { Email } from "#app/entities/users/directory.ts";
import { lowerAscii, textProblem } from "#app/lib/text.ts";

/** How long a person may take at the provider. */
export const SIGN_ON_MS = 10 * 60 * 1000;

/** How long a logout is remembered, for sign-ins of the same session that are not completed yet. */
export const LOGOUT_KEPT_MS = SIGN_ON_MS + 60 * 1000;

/** Largest accepted difference from a provider's clock, in seconds. */
export const CLOCK_TOLERANCE_S = 60;

/** What went wrong between Odin and the provider, before the provider had named a person. */
export const SIGN_ON_FAILURES = {
  address: "The provider's address is not one that this installation may call (IDENTITY_HOSTS).",
  unreachable: "The provider could not be reached.",
  slow: "The provider did not answer in time.",
  "bad-answer": "The provider gave an answer that could not be read.",
  issuer: "The provider names another issuer than the one in the settings.",
  keys: "The token is not signed with one of the provider's keys.",
  clock: "The provider's clock and Odin's differ too much.",
  client: "The provider did not accept the client ID or the client secret.",
  code: "The provider did not accept the code of this sign-in.",
  token: "The token is not for this sign-in or not for Odin.",
  denied: "The provider did not complete the sign-in.",
  stale: "The provider did not confirm that you signed in there recently (auth_time).",
  expired: "The sign-in took too long, or it was already used.",
  ended: "The provider ended the session before the sign-in was completed.",
  changing: "Users, groups or settings of your agency changed during the sign-in.",
  "not-set-up": "Single sign-on is not set up.",
} as const;

type SignOnFailureKind = keyof typeof SIGN_ON_FAILURES;

/** An expected failure of a provider, or of a request that claims to come from one. */
export class SignOnFailure extends Error {
  readonly kind: SignOnFailureKind;
  constructor(kind: SignOnFailureKind) {
    super(SIGN_ON_FAILURES[kind]);
    this.name = "SignOnFailure";
    this.kind = kind;
  }
}

/** Works across bundles: one Worker may contain the class twice. */
export function isSignOnFailure(error: unknown): error is SignOnFailure {
  return error instanceof Error && error.name === "SignOnFailure";
}

/** Why a person whom the provider named may not sign in. Only the audit log has the reason. */
export const SIGN_ON_REFUSALS = {
  disabled: "the user is disabled",
  deleted: "the user was deleted",
  locked: "the account is locked",
  owner: "the owner's account signs in with a password",
  "other agency": "the user belongs to another agency",
  "no email": "the provider sent no email address",
  "unverified email": "the provider has not verified the email address",
  "no address": "the email address cannot be stored or shown",
  "foreign domain": "the email address is not in an approved domain of the agency",
  "no user": "there is no such user, and new users are not created",
  "several users": "several users have this email address",
  linked: "the user is connected with another person of the provider; an administrator can disconnect them",
  "foreign organization": "the person's Google organization (hd) is not an approved domain of the agency",
  "username taken": "the username is taken",
  ended: "the provider ended the session during the sign-in",
  "not a member": "the person is in none of the groups that may sign in",
} as const;

export type SignOnRefusal = keyof typeof SIGN_ON_REFUSALS;

/** Returns the message of the sign-in page for the code in its address. */
export function signOnMessage(code: string | null): string {
  if (code === "refused") return "Your account may not sign in to Odin. Ask an administrator of your agency.";
  if (code === "unknown") return "Single sign-on is not set up for this email address.";
  if (code === "busy") return "Too many sign-ins from your network. Try again in a minute.";
  const known = Object.entries(SIGN_ON_FAILURES).find(([kind]) => kind === code);
  return known ? `${known[1]} Try again, or ask an administrator of your agency.` : "";
}

/** What the provider says about a person, from the ID token and the user info. */
export type SignOnClaims = {
  issuer: string;
  subject: string;
  /** The provider's session. */
  session: string | null;
  email: string;
  /** Undefined if the provider does not say. */
  emailVerified: boolean | undefined;
  name: string;
  groups: string[];
  amr: string[];
  acr: string;
  /** The person's Google organization, in lower case. */
  hostedDomain: string;
  /** When the person last proved who they are, in milliseconds; undefined if the provider does not say. */
  authTime: number | undefined;
};

const MAX_GROUPS = 2000;

const textOf = (value: unknown, most = 300) => (typeof value === "string" ? value.trim().slice(0, most) : "");

const textsOf = (value: unknown) =>
  (Array.isArray(value) ? value : [value]).slice(0, MAX_GROUPS).flatMap((one) => textOf(one) || []);

/** Returns the claims of a verified ID token, completed by the user info of the same subject. */
export function claimsOf(
  token: Record<string, unknown>,
  userInfo: Record<string, unknown>,
  groupsClaim: string,
): SignOnClaims {
  const all = { ...userInfo, ...token };
  // The address and its verification must come from one source; otherwise one source could verify an address of the
  // other.
  const source = typeof token.email === "string" ? token : userInfo;
  const given = [textOf(all.given_name), textOf(all.family_name)].filter(Boolean).join(" ");
  return {
    issuer: textOf(token.iss, 2000),
    subject: typeof token.sub === "string" ? token.sub : "",
    session: textOf(token.sid) || null,
    email: lowerAscii(textOf(source.email, 254)),
    emailVerified: verifiedOf(source.email_verified),
    name: (textOf(all.name, 120) || given.slice(0, 120)).replace(/\p{C}/gu, ""),
    groups: textsOf(all[groupsClaim]),
    amr: textsOf(token.amr),
    acr: textOf(token.acr),
    hostedDomain: textOf(token.hd).toLowerCase(),
    authTime: typeof token.auth_time === "number" ? token.auth_time * 1000 : undefined,
  };
}

/** Some providers send `email_verified` as text. A value that is neither true nor "true" verifies nothing. */
function verifiedOf(value: unknown): boolean | undefined {
  return value === undefined ? undefined : value === true || value === "true";
}

/** Google has one issuer for all organizations and consumer accounts; only `hd` distinguishes them. */
const SHARED_ISSUERS = ["https://accounts.google.com"];

/** Returns whether an issuer serves people of any organization. */
export function isSharedIssuer(issuer: string): boolean {
  return SHARED_ISSUERS.includes(issuer);
}

/** Returns whether a sign-in proves its person recently enough. Times in milliseconds, the age in seconds. */
export function isRecentSignOn(input: {
  authTime: number | undefined;
  startedAt: number;
  maxAge: number;
  noAuthTime: boolean;
}): boolean {
  const { authTime, startedAt, maxAge, noAuthTime } = input;
  if (authTime === undefined) return noAuthTime;
  return authTime >= startedAt - (maxAge + CLOCK_TOLERANCE_S) * 1000;
}

/** Methods of RFC 8176 by the factor that they prove. */
const KNOWLEDGE = ["pwd", "pin", "kba"];

const POSSESSION = ["otp", "hwk", "swk", "sc", "pop", "sms", "tel", "fido"];

const INHERENCE = ["face", "fpt", "iris", "retina", "vbm"];

/**
 * Returns whether the provider says that the person proved two factors (RFC 8176), or sends an `acr` that stands for
 * two factors.
 */
export function provesSecondFactor(
  { amr, acr }: Pick<SignOnClaims, "amr" | "acr">,
  acrValues: readonly string[],
): boolean {
  if (acr !== "" && acrValues.includes(acr)) return true;
  if (amr.includes("mfa")) return true;
  const kinds = [KNOWLEDGE, POSSESSION, INHERENCE].filter((kind) => kind.some((name) => amr.includes(name)));
  return kinds.length >= 2;
}

type FactorRules = {
  trustSecondFactor: boolean;
  secondFactorApprovedAt: number | null;
  acrValues: readonly string[];
};

/**
 * Returns whether the provider's proof replaces Odin's second factor. The owner must approve this if the policy
 * requires a second factor.
 */
export function replacesSecondFactor(
  rules: FactorRules,
  claims: Pick<SignOnClaims, "amr" | "acr">,
  isRequired: boolean,
): boolean {
  if (!rules.trustSecondFactor || (isRequired && rules.secondFactorApprovedAt === null)) return false;
  return provesSecondFactor(claims, rules.acrValues);
}

/** Returns the domain of an email address in lower case, or "". */
export function domainOfEmail(email: string): string {
  const domain = lowerAscii(email.slice(email.lastIndexOf("@") + 1));
  return email.lastIndexOf("@") > 0 && DOMAIN.test(domain) ? domain : "";
}

/** Returns why an address must not be used to find or create a user, or undefined. */
export function emailRefusal(
  claims: Pick<SignOnClaims, "email" | "emailVerified">,
  rules: { trustEmail: boolean; domains: readonly string[] },
): SignOnRefusal | undefined {
  if (claims.email === "") return "no email";
  const isVerified = claims.emailVerified ?? rules.trustEmail;
  if (!isVerified) return "unverified email";
  if (!rules.domains.includes(domainOfEmail(claims.email))) return "foreign domain";
  return Email.safeParse(claims.email).success && !textProblem(claims.email, { lines: false })
    ? undefined
    : "no address";
}

/** An email domain in lower case, with at least one dot; international ones in their ASCII form. */
export const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
