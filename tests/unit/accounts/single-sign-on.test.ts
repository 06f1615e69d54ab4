import { describe, expect, it } from "vitest";
import {
  groupsAtSignIn,
  losesSignIn,
  rightsOfGroups,
  rightsOfManagedGroups,
} from "#app/entities/accounts/group-rights.ts";
import { EmailDomain, SignOnSettings } from "#app/entities/accounts/sign-on-settings.ts";
import {
  claimsOf,
  domainOfEmail,
  emailRefusal,
  isRecentSignOn,
  isSharedIssuer,
  isSignOnFailure,
  provesSecondFactor,
  replacesSecondFactor,
  SIGN_ON_FAILURES,
  SignOnFailure,
  signOnMessage,
} from "#app/entities/accounts/single-sign-on.ts";

describe("provesSecondFactor", () => {
  it.each<[string[], string, boolean]>([
    [["mfa"], "", true],
    [["pwd", "otp"], "", true],
    [["pin", "hwk"], "", true],
    [["face", "swk"], "", true],
    [["pwd"], "", false],
    [["otp"], "", false],
    [["pwd", "pin"], "", false],
    [["otp", "sms"], "", false],
    [[], "urn:mfa", true],
    [["pwd"], "urn:other", false],
    [[], "", false],
  ])("%j %s: %s", (amr, acr, expected) => {
    expect(provesSecondFactor({ amr, acr }, ["urn:mfa"])).toBe(expected);
  });

  it("does not treat an empty acr as a listed one", () => {
    expect(provesSecondFactor({ amr: [], acr: "" }, [""])).toBe(false);
  });
});

describe("replacesSecondFactor", () => {
  const proof = { amr: ["pwd", "otp"], acr: "" };
  it.each<[boolean, number | null, boolean, boolean]>([
    // trusted, approved by the owner at, required by policy, expected
    [true, null, false, true],
    [true, 5, false, true],
    [true, 5, true, true],
    [true, null, true, false],
    [false, 5, true, false],
    [false, 5, false, false],
    [false, null, false, false],
  ])("trusted %s, approved %s, required %s: %s", (trustSecondFactor, approvedAt, isRequired, expected) => {
    const rules = { trustSecondFactor, secondFactorApprovedAt: approvedAt, acrValues: [] };
    expect(replacesSecondFactor(rules, proof, isRequired)).toBe(expected);
    expect(replacesSecondFactor(rules, { amr: ["pwd"], acr: "" }, isRequired)).toBe(false);
  });

  it("accepts the values of acr in the settings only", () => {
    const rules = { trustSecondFactor: true, secondFactorApprovedAt: null, acrValues: ["urn:mfa"] };
    expect(replacesSecondFactor(rules, { amr: [], acr: "urn:mfa" }, false)).toBe(true);
    expect(replacesSecondFactor(rules, { amr: [], acr: "urn:other" }, false)).toBe(false);
  });
});

describe("isRecentSignOn", () => {
  const startedAt = Date.UTC(2026, 10, 20, 12);
  it.each([
    // An age of 300 seconds, and the 60 seconds by which the provider's clock may differ.
    [startedAt, true],
    [startedAt - 360_000, true],
    [startedAt - 360_001, false],
    [startedAt + 1000, true],
    [0, false],
  ])("at %i: %s", (authTime, expected) => {
    for (const noAuthTime of [true, false])
      expect(isRecentSignOn({ authTime, startedAt, maxAge: 300, noAuthTime })).toBe(expected);
  });

  it("accepts no time only if the settings say that the provider sends none", () => {
    for (const noAuthTime of [true, false])
      expect(isRecentSignOn({ authTime: undefined, startedAt, maxAge: 300, noAuthTime })).toBe(noAuthTime);
  });
});

describe("rightsOfGroups", () => {
  const rules = { adminGroups: ["a"], hotlistAdminGroups: [], hotlistViewerGroups: ["v", "w"] };
  it("grants and revokes the rights that have groups, and does not change the others", () => {
    expect(rightsOfGroups(rules, ["a", "w"])).toEqual({ role: "admin", hotlistViewer: true });
    expect(rightsOfGroups(rules, ["A"])).toEqual({ role: "user", hotlistViewer: false });
  });
});

describe("groups that SCIM manages", () => {
  const group = (displayName: string, externalId: string | null = null) => ({ displayName, externalId });
  const [chiefs, viewers] = [group("chiefs"), group("Viewers", "v-1")];

  it("have the members that SCIM set; the sign-in sets the members of other groups", () => {
    const managed = [
      { ...chiefs, isMember: false },
      { ...viewers, isMember: true },
    ];
    expect(groupsAtSignIn(["chiefs", "other"], managed).sort()).toEqual(["Viewers", "other", "v-1"]);
    expect(groupsAtSignIn(["chiefs"], [])).toEqual(["chiefs"]);
  });

  it("determine the rights for which the settings name one of them", () => {
    const rules = { adminGroups: ["chiefs", "x"], hotlistAdminGroups: ["x"], hotlistViewerGroups: ["v-1"] };
    const known = [chiefs, viewers];
    expect(rightsOfManagedGroups(rules, known, [viewers])).toEqual({ role: "user", hotlistViewer: true });
    expect(rightsOfManagedGroups(rules, known, [chiefs])).toEqual({ role: "admin", hotlistViewer: false });
    // A group that SCIM does not manage changes no rights.
    expect(rightsOfManagedGroups(rules, [], [chiefs])).toEqual({});
  });

  it("revoke sign-in only when the user leaves the last group that allows it", () => {
    const lose = (before: object[], after: object[], known = [chiefs, viewers]) =>
      losesSignIn(["chiefs", "v-1"], { known, before: before as [], after: after as [] });
    expect(lose([chiefs], [])).toBe(true);
    expect(lose([chiefs], [viewers])).toBe(false);
    expect(lose([], [])).toBe(false);
    expect(losesSignIn([], { known: [chiefs], before: [chiefs], after: [] })).toBe(false);
  });
});

describe("emailRefusal", () => {
  const rules = { trustEmail: false, domains: ["pd.example"] };
  const of = (email: string, emailVerified: boolean | undefined, trustEmail = false) =>
    emailRefusal({ email, emailVerified }, { ...rules, trustEmail });
  it("accepts a verified address in the agency's domain only", () => {
    expect(of("a@pd.example", true)).toBeUndefined();
    expect(of("", true)).toBe("no email");
    expect(of("a@pd.example", undefined)).toBe("unverified email");
    expect(of("a@pd.example", undefined, true)).toBeUndefined();
    expect(of("a@pd.example", false, true)).toBe("unverified email");
    for (const email of ["a@sub.pd.example", "a@pd.example.evil.example", "a@b@evil.example", "pd.example"])
      expect([email, of(email, true)]).toEqual([email, "foreign domain"]);
  });
});

describe("emailRefusal of a text that is not an email address", () => {
  it.each([
    "a\u0000b@pd.example",
    "a\nb@pd.example",
    "a\ud800b@pd.example",
    "a b@pd.example",
    "<b>@pd.example",
    "victim@other.example@pd.example",
    '"victim@other.example"@pd.example',
  ])("%j", (email) => {
    const rules = { trustEmail: false, domains: ["pd.example"] };
    expect(emailRefusal({ email, emailVerified: true }, rules)).toBe("no address");
  });
});

describe("domainOfEmail", () => {
  it.each([
    ["A@PD.Example", "pd.example"],
    ["a@b@pd.example", "pd.example"],
    ["@pd.example", ""],
    ["a@localhost", ""],
    ["a@pd.example.", ""],
    ["a@-pd.example", ""],
    ["nonsense", ""],
    ["a@\u212Aent.example", ""],
  ])("%s: %s", (email, domain) => expect(domainOfEmail(email)).toBe(domain));
});

describe("the address of claimsOf", () => {
  it("has ASCII letters in lower case, and is not another person's by a letter that becomes one", () => {
    const addressOf = (email: string) => claimsOf({ email }, {}, "g").email;
    expect(addressOf("KIM@PD.Example")).toBe("kim@pd.example");
    expect(addressOf("\u212Aim@pd.example")).toBe("\u212Aim@pd.example");
    expect(addressOf("Zo\u00CB@pd.example")).toBe("zo\u00CB@pd.example");
  });
});

describe("claimsOf", () => {
  it("prefers claims of the signed token and limits the number of groups", () => {
    const token = {
      iss: "i",
      sub: "s",
      name: "Ann\u200b\u0007 Bee",
      groups: ["a", 1, null, "b"],
      auth_time: 5,
    };
    const claims = claimsOf(
      token,
      { sub: "s", name: "Other", email: "A@B.example", email_verified: true },
      "groups",
    );
    expect(claims).toEqual({
      issuer: "i",
      subject: "s",
      session: null,
      email: "a@b.example",
      emailVerified: true,
      name: "Ann Bee",
      groups: ["a", "b"],
      amr: [],
      acr: "",
      hostedDomain: "",
      authTime: 5000,
    });
    expect(claimsOf({ groups: Array(9000).fill("g") }, {}, "groups").groups).toHaveLength(2000);
    expect(claimsOf({ groups: { a: 1 } }, {}, "groups").groups).toEqual([]);
    expect(claimsOf({ roles: "one" }, {}, "roles").groups).toEqual(["one"]);
  });

  it("limits and trims texts, and ignores values of another type", () => {
    const texts = { iss: " i ", sub: 7, sid: " s-1 ", acr: 5, hd: " PD.Example ", auth_time: "5" };
    expect(claimsOf({ ...texts, amr: "pwd" }, {}, "g")).toMatchObject({
      issuer: "i",
      subject: "",
      session: "s-1",
      acr: "",
      hostedDomain: "pd.example",
      authTime: undefined,
      amr: ["pwd"],
      groups: [],
    });
    const long = claimsOf({ iss: "i".repeat(2001), email: "e".repeat(255), acr: "a".repeat(301) }, {}, "g");
    expect([long.issuer.length, long.email.length, long.acr.length]).toEqual([2000, 254, 300]);
    expect(claimsOf({ g: ["  a  ", "", " "] }, {}, "g").groups).toEqual(["a"]);
  });

  it.each([
    [{ given_name: "Ann", family_name: "Bee" }, "Ann Bee"],
    [{ given_name: "Ann" }, "Ann"],
    [{ family_name: " Bee " }, "Bee"],
    [{ name: " ", given_name: "Ann", family_name: "Bee" }, "Ann Bee"],
    [{ name: "A. Bee", given_name: "Ann" }, "A. Bee"],
    [{ name: "n".repeat(121) }, "n".repeat(120)],
    [{ given_name: "g".repeat(100), family_name: "f".repeat(100) }, `${"g".repeat(100)} ${"f".repeat(19)}`],
    [{}, ""],
  ])("reads a name from %j", (token, name) => {
    expect(claimsOf(token, {}, "g").name).toBe(name);
  });

  it.each<[unknown, boolean | undefined]>([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
    ["TRUE", false],
    [1, false],
    [null, false],
    [undefined, undefined],
  ])("reads email_verified %j as %s", (email_verified, expected) => {
    expect(claimsOf({ email: "a@b.example", email_verified }, {}, "g").emailVerified).toBe(expected);
  });

  it("takes the email address and its verification from the same source", () => {
    expect(claimsOf({ email: "a@b.example" }, { email_verified: true }, "g").emailVerified).toBeUndefined();
    expect(claimsOf({ email_verified: true }, { email: "a@b.example" }, "g").emailVerified).toBeUndefined();
  });
});

describe("the settings forms", () => {
  const form = { issuer: "https://i.example", client_id: "c", button_name: "B", groups_claim: "groups" };
  it("read absent switches as off and lists as one item per line", () => {
    const parsed = SignOnSettings.parse({ ...form, enabled: "on", member_groups: " a \r\n\r\nCN=b,OU=c\na" });
    expect(parsed).toMatchObject({
      enabled: true,
      create_users: false,
      client_secret: "",
      break_glass_user: "",
      member_groups: ["a", "CN=b,OU=c"],
      admin_groups: [],
    });
  });
  it("refuse text that is not a domain, and public email domains", () => {
    for (const domain of [
      "",
      "nodots",
      "a b.example",
      "x.example/",
      "@x.example",
      "gmail.com",
      "*.example.gov",
    ])
      expect([domain, EmailDomain.safeParse({ domain }).success]).toEqual([domain, false]);
    expect(EmailDomain.parse({ domain: " Police.Example.GOV " })).toEqual({ domain: "police.example.gov" });
  });
});

describe("signOnMessage", () => {
  it("returns a message for known codes only and never repeats other text", () => {
    for (const kind of Object.keys(SIGN_ON_FAILURES)) expect(signOnMessage(kind)).not.toBe("");
    for (const code of [null, "", "<b>", "constructor", "toString"]) expect(signOnMessage(code)).toBe("");
  });

  it.each([
    ["refused", "Your account may not sign in to Odin. Ask an administrator of your agency."],
    ["unknown", "Single sign-on is not set up for this email address."],
    ["busy", "Too many sign-ins from your network. Try again in a minute."],
    ["slow", "The provider did not answer in time. Try again, or ask an administrator of your agency."],
  ])("says for %s: %s", (code, message) => expect(signOnMessage(code)).toBe(message));
});

describe("isSignOnFailure", () => {
  it("recognizes the failure by its name, also from another bundle", () => {
    const failure = new SignOnFailure("slow");
    expect(failure).toMatchObject({ kind: "slow", message: "The provider did not answer in time." });
    expect(isSignOnFailure(failure)).toBe(true);
    const other = Object.assign(new Error("x"), { name: "SignOnFailure", kind: "slow" });
    expect(isSignOnFailure(other)).toBe(true);
    for (const error of [new Error("x"), { name: "SignOnFailure" }, "SignOnFailure", null, undefined])
      expect(isSignOnFailure(error)).toBe(false);
  });
});

describe("isSharedIssuer", () => {
  it("is true for Google only, which serves people of any organization", () => {
    expect(isSharedIssuer("https://accounts.google.com")).toBe(true);
    expect(isSharedIssuer("https://accounts.google.com.evil.example")).toBe(false);
    expect(isSharedIssuer("https://login.example")).toBe(false);
  });
});
