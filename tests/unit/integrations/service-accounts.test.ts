import { describe, expect, it } from "vitest";
import {
  mayAnswerFor,
  NewServiceAccount,
  type ResponsibleUser,
  ServiceAccountFields,
  ServiceRotation,
  ServiceSwitch,
  serviceFieldsOf,
} from "#app/entities/integrations/service-accounts.ts";

const FIELDS = { name: "CAD", scopes: ["hits"] };

const parse = (over: object) => ServiceAccountFields.safeParse({ ...FIELDS, ...over });
const problemOf = (over: object) => parse(over).error?.issues[0]?.message;

describe("a service account", () => {
  it("may call from anywhere, 300 times per minute, with a token for 90 days by default", () => {
    expect(NewServiceAccount.parse({ ...FIELDS, name: " CAD " })).toEqual({
      ...FIELDS,
      addresses: [],
      per_minute: 300,
      valid_days: 90,
    });
  });

  it.each([
    [{}, undefined],
    [{ name: undefined }, "Enter a name for the service account."],
    [{ name: "" }, "Enter a name for the service account."],
    [{ name: "\u200b\u2060" }, "Enter a name for the service account."],
    [{ name: "x".repeat(60) }, undefined],
    [{ name: "x".repeat(61) }, "A name has at most 60 characters."],
    [{ scopes: undefined }, "Choose at least one permission."],
    [{ scopes: [] }, "Choose at least one permission."],
    [{ scopes: ["everything"] }, "There is no such permission."],
    [{ scopes: Array(8).fill("hits") }, undefined],
    [{ scopes: Array(9).fill("hits") }, "Choose each permission only once."],
    [{ addresses: Array(50).fill("192.0.2.7") }, undefined],
    [{ addresses: Array(51).fill("192.0.2.7") }, "At most 50 addresses."],
  ])("is accepted, or refused with the reason (%#)", (over, problem) => {
    expect(problemOf(over)).toBe(problem);
  });

  it.each([
    ["1", 1],
    [1, 1],
    ["3000", 3000],
    [" 250 ", 250],
  ])("may call %j times per minute", (per_minute, number) => {
    expect(parse({ per_minute }).data?.per_minute).toBe(number);
  });

  it.each([[0], [3001], [1.5], ["0"], ["-1"], ["many"], [""], [null]])(
    "may not call %j times per minute",
    (per_minute) => {
      expect(problemOf({ per_minute })).toBe("Calls per minute are a whole number from 1 to 3,000.");
    },
  );

  it("is switched by a boolean", () => {
    expect(ServiceSwitch.parse({ on: false })).toEqual({ on: false });
    expect(ServiceSwitch.safeParse({ on: "yes" }).error?.issues[0]?.message).toBe("Set on to true or false.");
  });
});

describe("the addresses of a service account", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    [" 192.0.2.0/24 ", "192.0.2.0/24"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["2001:DB8:0:0::/32", "2001:db8::/32"],
    ["2001:db8::0001", "2001:db8::1"],
  ])("have %j in its shortest form, %s", (address, shortest) => {
    expect(parse({ addresses: [address] }).data?.addresses).toEqual([shortest]);
  });

  it.each([
    ["192.0.2.7/24", "“192.0.2.7/24” is within the block 192.0.2.0/24. Enter the block itself."],
    ["2001:db8::1/32", "“2001:db8::1/32” is within the block 2001:db8::/32. Enter the block itself."],
    [
      "cad.example.gov",
      "“cad.example.gov” is not an IP address or block, such as 192.0.2.0/24 or 2001:db8::/32.",
    ],
    ["", "“” is not an IP address or block, such as 192.0.2.0/24 or 2001:db8::/32."],
    [
      "x".repeat(61),
      `“${"x".repeat(60)}” is not an IP address or block, such as 192.0.2.0/24 or 2001:db8::/32.`,
    ],
    [7, "An address is text."],
  ])("are refused with the reason (%#)", (address, problem) => {
    expect(problemOf({ addresses: [address] })).toBe(problem);
  });
});

describe("the rotation of a token", () => {
  it("is for 90 days, and the former token works for another 24 hours by default", () => {
    expect(ServiceRotation.parse({})).toEqual({ valid_days: 90, overlap_hours: 24 });
  });

  it.each([
    [{ valid_days: "1", overlap_hours: "0" }, undefined],
    [{ valid_days: 365, overlap_hours: 168 }, undefined],
    [{ valid_days: 0 }, "A token is valid for 1 to 365 days."],
    [{ valid_days: 366 }, "A token is valid for 1 to 365 days."],
    [{ valid_days: 30.5 }, "A token is valid for 1 to 365 days."],
    [{ overlap_hours: -1 }, "The former token works for 0 to 168 more hours."],
    [{ overlap_hours: 169 }, "The former token works for 0 to 168 more hours."],
    [{ overlap_hours: 0.5 }, "The former token works for 0 to 168 more hours."],
  ])("with %j has the problem %j", (over, problem) => {
    expect(ServiceRotation.safeParse(over).error?.issues[0]?.message).toBe(problem);
  });
});

describe("the form of a service account", () => {
  it.each([
    ["", []],
    [" \n", []],
    ["192.0.2.7", ["192.0.2.7"]],
    [" 192.0.2.7,\n2001:db8::/32  198.51.100.1,", ["192.0.2.7", "2001:db8::/32", "198.51.100.1"]],
  ])("splits the addresses %j at spaces and commas", (addresses, list) => {
    expect(serviceFieldsOf({ name: "CAD", addresses }, { scopes: ["hits"] })).toEqual({
      name: "CAD",
      scopes: ["hits"],
      addresses: list,
    });
  });

  it("has no scopes and no addresses if they are missing", () => {
    expect(serviceFieldsOf({ name: "CAD" }, {})).toEqual({ name: "CAD", scopes: [], addresses: [] });
  });
});

describe("the user who created the token of a service account", () => {
  const ADMIN: ResponsibleUser = {
    name: "Jo Smith",
    role: "admin",
    hotlistAdmin: false,
    hotlistViewer: false,
    disabledAt: null,
    deletedAt: null,
  };
  const may = (over: Partial<ResponsibleUser>) =>
    mayAnswerFor(["search", "audit"], { ...ADMIN, ...over }, "none");

  it("answers for it as an active administrator", () => {
    expect(may({})).toBe(true);
    expect(may({ disabledAt: 0 })).toBe(false);
    expect(may({ deletedAt: 0 })).toBe(false);
    expect(may({ role: "user" })).toBe(false);
    expect(mayAnswerFor(["search"], null, "everyone")).toBe(false);
  });

  it("does not answer for it as another user, even with only scopes that the user has", () => {
    const user = { ...ADMIN, role: "user", hotlistAdmin: true, hotlistViewer: true } as const;
    expect(mayAnswerFor(["search"], user, "everyone")).toBe(false);
    expect(mayAnswerFor(["hotlists"], user, "everyone")).toBe(false);
  });

  it("answers for place and convoy searches only while the policy lets administrators make them", () => {
    expect(mayAnswerFor(["search", "investigate"], ADMIN, "everyone")).toBe(true);
    expect(mayAnswerFor(["search", "investigate"], ADMIN, "admins")).toBe(true);
    expect(mayAnswerFor(["search", "investigate"], ADMIN, "none")).toBe(false);
    expect(mayAnswerFor(["search"], ADMIN, "none")).toBe(true);
  });
});
