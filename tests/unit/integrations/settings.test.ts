import { describe, expect, it } from "vitest";
import {
  AgencyChoice,
  AxisCameraFields,
  AxonChoice,
  maskedKey,
  NewApiKey,
  NewAxonIntegration,
  NewShare,
  NewWebhook,
  shownEnd,
} from "#app/entities/integrations/settings.ts";

type Schema = {
  safeParse: (value: unknown) => { success: boolean; error?: { issues: { message: string }[] } };
};

/** Returns the first problem of a value, or undefined if it is accepted. */
function problemOf(schema: Schema, value: object): string | undefined {
  return schema.safeParse(value).error?.issues[0]?.message;
}

describe("an API key of Rekor", () => {
  const KEY = { agency: "Hartford Police", api_key: "abcdefghijkl" };
  const REQUIRED = "Agency and API key are required.";

  it("is trimmed", () => {
    const typed = {
      agency: " Hartford Police ",
      api_key: "\tabcdefghijkl\n",
      base_url: " https://a.example ",
    };
    expect(NewApiKey.parse(typed)).toEqual({ ...KEY, source_program: "", base_url: "https://a.example" });
  });

  it.each([
    [{}, undefined],
    [{ agency: undefined }, REQUIRED],
    [{ agency: "  " }, REQUIRED],
    [{ agency: "x".repeat(120) }, undefined],
    [{ agency: "x".repeat(121) }, "At most 120 characters."],
    [{ api_key: undefined }, REQUIRED],
    [{ api_key: "" }, REQUIRED],
    [{ api_key: "k" }, undefined],
    [{ api_key: "x".repeat(400) }, undefined],
    [{ api_key: "x".repeat(401) }, "At most 400 characters."],
    [{ api_key: "abcdef ghijkl" }, "A key or secret is plain text without spaces."],
    [{ api_key: "abcdefghijkl\u200b" }, "A key or secret is plain text without spaces."],
    [{ api_key: "abcdefghijké" }, "A key or secret is plain text without spaces."],
    [{ api_key: "!abcdefghij~" }, undefined],
    [{ source_program: "Rekor" }, undefined],
    [{ source_program: "rekor", base_url: null }, undefined],
    [{ source_program: null, base_url: "" }, undefined],
    [{ source_program: "Axon" }, "The source program of an API key must be Rekor."],
    [{ base_url: "x".repeat(2000) }, undefined],
  ])("is accepted, or refused with the reason (%#)", (over, problem) => {
    expect(problemOf(NewApiKey, { ...KEY, ...over })).toBe(problem);
  });

  it("has an address of at most 2,000 characters", () => {
    expect(NewApiKey.safeParse({ ...KEY, base_url: "x".repeat(2001) }).success).toBe(false);
  });

  it("is shown by its last four characters", () => {
    expect(maskedKey(shownEnd("abcdefghwxyz"))).toBe("••••wxyz");
    expect(maskedKey(shownEnd("0123456789abcdefghwxyz"))).toBe("••••wxyz");
    // Eight characters stay hidden.
    expect(maskedKey(shownEnd("abcdefgh12"))).toBe("••••12");
    expect(maskedKey(shownEnd("short"))).toBe("••••");
  });
});

describe("an Axon integration", () => {
  const AXON = {
    client_id: "client",
    secret_id: "abcdefghijkl",
    partner_id: "hartford-pd.evidence",
    base_url: "https://agency.evidence.example",
  };
  const REQUIRED = "Client ID, client secret, partner ID and base URL are required.";
  const PARTNER = "The partner ID can contain only letters, digits, dots and hyphens.";

  it.each([
    [{}, undefined],
    [{ client_id: " " }, REQUIRED],
    [{ secret_id: undefined }, REQUIRED],
    [{ secret_id: "short" }, undefined],
    [{ partner_id: "" }, REQUIRED],
    [{ base_url: "" }, REQUIRED],
    [{ base_url: "x".repeat(2000) }, undefined],
    [{ base_url: "x".repeat(2001) }, "At most 2000 characters."],
    [{ client_id: "x".repeat(401) }, "At most 400 characters."],
    [{ partner_id: "x".repeat(401) }, "At most 400 characters."],
    // It is a part of a path: neither a separator nor a step up.
    [{ partner_id: "a/b" }, PARTNER],
    [{ partner_id: "." }, PARTNER],
    [{ partner_id: ".." }, PARTNER],
    [{ partner_id: "..a.." }, undefined],
    [{ partner_id: "_" }, undefined],
    [{ partner_id: "~" }, undefined],
    [{ partner_id: "a b" }, PARTNER],
    [{ partner_id: "a?b" }, PARTNER],
  ])("is accepted, or refused with the reason (%#)", (over, problem) => {
    expect(problemOf(NewAxonIntegration, { ...AXON, ...over })).toBe(problem);
  });
});

describe("a sharing with an agency", () => {
  it("has no declaration and no end by default", () => {
    expect(NewShare.parse({ agency_id: " hpd " })).toEqual({
      agency_id: "hpd",
      declaration: "",
      valid_until: null,
    });
  });

  it("keeps its terms with Axon if they are not given", () => {
    expect(AxonChoice.parse({ agency_id: "hpd" })).toEqual({ agency_id: "hpd" });
    expect(AxonChoice.parse({ agency_id: "hpd", declaration: null }).declaration).toBeUndefined();
    expect(NewShare.parse({ agency_id: "hpd", declaration: null }).declaration).toBe("");
    expect(AxonChoice.parse({ agency_id: "hpd", declaration: " MOU 7 ", valid_until: null })).toEqual({
      agency_id: "hpd",
      declaration: "MOU 7",
      valid_until: null,
    });
  });

  it.each([
    [{ agency_id: undefined }, "Choose an agency."],
    [{ agency_id: "" }, "Choose an agency."],
    [{ agency_id: "x".repeat(100) }, undefined],
    [{ agency_id: "x".repeat(101) }, "At most 100 characters."],
    [{ declaration: "x".repeat(200) }, undefined],
    [{ declaration: "x".repeat(201) }, "At most 200 characters."],
    [{ valid_until: null }, undefined],
    [{ valid_until: "2026-11-21" }, undefined],
    [{ valid_until: "2026-11-21T05:00:00Z" }, undefined],
    [{ valid_until: "2026-02-30" }, "This is not a valid time."],
    [{ valid_until: "tomorrow" }, "This is not a valid time."],
    [{ valid_until: "" }, "This is not a valid time."],
  ])("is accepted, or refused with the reason (%#)", (over, problem) => {
    for (const schema of [NewShare, AxonChoice])
      expect(problemOf(schema, { agency_id: "hpd", ...over })).toBe(problem);
  });

  it("ends with the choice of an agency", () => {
    expect(AgencyChoice.parse({ agency_id: "hpd", declaration: "MOU 7" })).toEqual({ agency_id: "hpd" });
  });
});

describe("a webhook of a camera", () => {
  it.each([
    [undefined, "Enter a name for the webhook."],
    ["  ", "Enter a name for the webhook."],
    ["x".repeat(120), undefined],
    ["x".repeat(121), "At most 120 characters."],
  ])("is accepted, or refused with the reason (%#)", (name, problem) => {
    expect(problemOf(NewWebhook, { name })).toBe(problem);
  });
});

describe("an agency's own camera", () => {
  const INVALID = "This is not a valid coordinate.";
  const HALF = "Enter both latitude and longitude, or neither.";

  it("has its location as numbers or as their texts", () => {
    expect(AxisCameraFields.parse({ name: " Main St ", latitude: "41.5", longitude: -72.7 })).toEqual({
      name: "Main St",
      latitude: 41.5,
      longitude: -72.7,
    });
  });

  it("has six decimals", () => {
    const camera = AxisCameraFields.parse({
      name: "Main St",
      latitude: 41.12345678,
      longitude: "-72.7000001",
    });
    expect(camera).toMatchObject({ latitude: 41.123457, longitude: -72.7 });
  });

  it.each([
    [null, null, undefined],
    [0, 0, undefined],
    [89.999, 179.999, undefined],
    [-89.999, -179.999, undefined],
    [90, 0, INVALID],
    [89.9999999, 0, INVALID],
    [-90, 0, INVALID],
    [0, 180, INVALID],
    [0, -180, INVALID],
    [41.5, null, HALF],
    [null, -72.7, HALF],
    [0, null, HALF],
    [null, 0, HALF],
  ])("at latitude %j and longitude %j has the problem %j", (latitude, longitude, problem) => {
    expect(problemOf(AxisCameraFields, { name: "Main St", latitude, longitude })).toBe(problem);
  });

  it("needs a name, and coordinates that are numbers", () => {
    const fields = { name: "", latitude: null, longitude: null };
    expect(problemOf(AxisCameraFields, { ...fields, name: "\u202e\u200b" })).toBe(
      "Enter a name for the camera.",
    );
    expect(AxisCameraFields.parse({ ...fields, name: " \u202eMain St\u200b " }).name).toBe("Main St");
    expect(problemOf(AxisCameraFields, fields)).toBe("Enter a name for the camera.");
    expect(AxisCameraFields.safeParse({ ...fields, name: "Main St", latitude: "north" }).success).toBe(false);
  });
});
