import { describe, expect, it } from "vitest";
import {
  AgencyChange,
  agencyChangeOf,
  DEFAULT_POLICY,
  isInvestigator,
  NewAgency,
} from "#app/entities/users/policy.ts";

/** Returns the messages of a policy in which some values differ from the default, or none if it is accepted. */
function problemsOf(values: object): string[] {
  const result = AgencyChange.safeParse({ name: "Police", policy: { ...DEFAULT_POLICY, ...values } });
  return result.success ? [] : result.error.issues.map(({ message }) => message);
}

describe("who may search many places and convoys", () => {
  it.each([
    ["none", "user", false],
    ["none", "admin", false],
    ["admins", "user", false],
    ["admins", "admin", true],
    ["everyone", "user", true],
    ["everyone", "admin", true],
  ] as const)("for %s, a user with the role %s: %s", (investigators, role, expected) => {
    expect(isInvestigator(investigators, role)).toBe(expected);
  });
});

describe("the numbers of a policy", () => {
  it.each([
    ["idle_minutes", 5, 30, "Session ends when unused for: a whole number of minutes from 5 to 30."],
    ["absolute_minutes", 30, 720, "Session always ends after: a whole number of minutes from 30 to 720."],
    ["password_max_age_days", 0, 365, "Passwords expire after: a whole number of days from 0 to 365."],
    ["search_limit_days", 1, 90, "Longest range of one search: a whole number of days from 1 to 90."],
    ["retention_days", 1, 90, "Reads from own cameras are kept for: a whole number of days from 1 to 90."],
    [
      "record_retention_days",
      30,
      1825,
      "Hits and hotlist history are kept for: a whole number of days from 30 to 1825.",
    ],
    [
      "audit_retention_days",
      365,
      3650,
      "The audit log is kept for: a whole number of days from 365 to 3650.",
    ],
    ["hotlist_expiry_days", 0, 365, "Hotlist entries expire after: a whole number of days from 0 to 365."],
    [
      "result_lifetime_minutes",
      5,
      1440,
      "Search results are kept for: a whole number of minutes from 5 to 1440.",
    ],
    [
      "investigations_per_day",
      1,
      200,
      "Place and convoy searches per user and day: a whole number of searches from 1 to 200.",
    ],
  ])("have limits: %s from %d to %d", (key, least, most, message) => {
    for (const value of [least, least + 1, most - 1, most, String(most)])
      expect(problemsOf({ [key]: value })).toEqual([]);
    for (const value of [least - 1, most + 1, least + 0.5, Number.NaN, "", "many", null])
      expect(problemsOf({ [key]: value })).toEqual([message]);
  });
});

describe("the rest of a policy", () => {
  it("has one of the listed time zones", () => {
    expect(problemsOf({ time_zone: "America/Phoenix" })).toEqual([]);
    expect(problemsOf({ time_zone: "Pacific/Guam" })).toEqual([]);
    for (const time_zone of ["Europe/Berlin", "", undefined])
      expect(problemsOf({ time_zone })).toEqual(["Choose a time zone."]);
  });

  it("says who may search many places and convoys", () => {
    expect(problemsOf({ investigators: "none" })).toEqual([]);
    expect(problemsOf({ investigators: "owners" })).toEqual([
      "Choose who may search many places and convoys.",
    ]);
  });

  it("is the default policy of a new agency, which is within the limits", () => {
    expect(problemsOf({})).toEqual([]);
  });
});

describe("the name of an agency", () => {
  it.each([
    ["PD", undefined],
    ["x".repeat(120), undefined],
    ["x".repeat(121), "A name can have at most 120 characters."],
    [" P ", "Enter the agency's name."],
    [undefined, "Enter the agency's name."],
    ["Elm\u200b Police", "A name cannot contain invisible characters."],
    ["\u202eecilop", "A name cannot contain invisible characters."],
    ["Policía de San José 🚓", undefined],
  ])("%j: %s", (name, message) => {
    expect(NewAgency.safeParse({ name }).error?.issues[0]?.message).toBe(message);
  });

  it("has single spaces, so that no other name looks the same", () => {
    expect(NewAgency.parse({ name: " Elm \u00a0 Police " }).name).toBe("Elm Police");
  });
});

describe("the owner's form", () => {
  const numbers = {
    idle_minutes: " 15 ",
    absolute_minutes: "600",
    password_max_age_days: "0",
    search_limit_days: "30",
    retention_days: "21",
    record_retention_days: "365",
    audit_retention_days: "730",
    hotlist_expiry_days: "90",
    result_lifetime_minutes: "60",
    investigations_per_day: "20",
  };

  it("is read as the body of the change", () => {
    const fields = { ...numbers, name: "Police", time_zone: "America/Chicago", investigators: "everyone" };
    const expected = {
      name: "Police",
      policy: {
        second_factor_required: true,
        idle_minutes: 15,
        absolute_minutes: 600,
        password_max_age_days: 0,
        search_limit_days: 30,
        retention_days: 21,
        record_retention_days: 365,
        audit_retention_days: 730,
        hotlist_expiry_days: 90,
        result_lifetime_minutes: 60,
        case_number_required: false,
        purpose_required: true,
        investigators: "everyone",
        investigations_per_day: 20,
        time_zone: "America/Chicago",
      },
    };
    const body = agencyChangeOf({ ...fields, second_factor_required: "on", purpose_required: "" });
    expect(body).toStrictEqual(expected);
    expect(AgencyChange.parse(body)).toStrictEqual(expected);
  });

  it("has NaN for a number that is empty, blank or missing, which the schema refuses", () => {
    const { idle_minutes: _idle, ...rest } = numbers;
    const fields = {
      ...rest,
      absolute_minutes: "",
      search_limit_days: "  ",
      name: "Police",
      time_zone: "America/Chicago",
      investigators: "none",
    };
    const body = agencyChangeOf(fields);
    expect(body.policy).toMatchObject({
      idle_minutes: Number.NaN,
      absolute_minutes: Number.NaN,
      search_limit_days: Number.NaN,
      second_factor_required: false,
    });
    expect(AgencyChange.safeParse(body).error?.issues.map(({ path }) => path.join("."))).toEqual([
      "policy.idle_minutes",
      "policy.absolute_minutes",
      "policy.search_limit_days",
    ]);
  });
});
