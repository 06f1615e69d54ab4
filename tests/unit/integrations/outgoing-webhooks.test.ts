import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DELIVERY_ENDS_MS,
  NewOutgoingWebhook,
  OutgoingWebhookFields,
  outgoingFieldsOf,
  queryOf,
  RETRY_DELAYS_MS,
  RetryChoice,
  withoutValues,
} from "#app/entities/integrations/outgoing-webhooks.ts";

const FIELDS = { name: "CAD", url: "https://cad.example.gov/odin", events: ["hit"] };

describe("an outgoing webhook", () => {
  it("is trimmed, and sends no plates and covers the whole agency by default", () => {
    expect(
      NewOutgoingWebhook.parse({ ...FIELDS, name: " CAD ", url: "\thttps://cad.example.gov/odin\n" }),
    ).toEqual({ ...FIELDS, plate_data: false, group_id: "" });
  });

  it.each([
    [{}, undefined],
    [{ name: undefined }, "Enter a name for the webhook."],
    [{ name: " " }, "Enter a name for the webhook."],
    [{ name: "x".repeat(120) }, undefined],
    [{ name: "x".repeat(121) }, "At most 120 characters."],
    [{ url: undefined }, "Enter the receiver's address."],
    [{ url: " " }, "Enter the receiver's address."],
    [{ url: "x".repeat(2000) }, undefined],
    [{ url: "x".repeat(2001) }, "At most 2,000 characters."],
    [{ events: undefined }, "Choose at least one event."],
    [{ events: [] }, "Choose at least one event."],
    [{ events: ["hit", "disposition", "expiring"] }, undefined],
    [{ events: ["hit", "disposition", "expiring", "hit"] }, "Choose each event only once."],
    [{ events: ["read"] }, "There is no such event."],
  ])("is accepted, or refused with the reason (%#)", (over, problem) => {
    const { error } = OutgoingWebhookFields.safeParse({ ...FIELDS, ...over });
    expect(error?.issues[0]?.message).toBe(problem);
  });

  it("names a group and a delivery with at most 100 characters", () => {
    for (const [length, accepted] of [
      [100, true],
      [101, false],
    ] as const) {
      const id = "x".repeat(length);
      expect(NewOutgoingWebhook.safeParse({ ...FIELDS, group_id: id }).success).toBe(accepted);
      expect(RetryChoice.safeParse({ delivery_id: id }).success).toBe(accepted);
    }
  });
});

describe("the address of a webhook is shown", () => {
  it.each([
    ["/odin", "/odin"],
    ["/odin?code=abc==", "/odin?code=***"],
    ["?api-version=2016-10-01&sig=a%26b?c", "?api-version=***&sig=***?***"],
    ["?c2VjcmV0==", "?***"],
    ["?=secret&&code=&word", "?***&&***&***"],
    ["/?", "/?"],
  ])("%s as %s", (end, shown) => {
    expect(withoutValues(`https://a.example${end}`)).toBe(`https://a.example${shown}`);
  });

  it("without any value of its query, which is what follows its question mark", () => {
    const value = fc.stringMatching(/^[!-~]{1,20}$/).filter((text) => !/[?&#*]|^=|=$/.test(text));
    const pairs = fc.array(fc.tuple(fc.stringMatching(/^[a-z-]{1,8}$/), value), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(pairs, (all) => {
        const written = (of: (text: string) => string) =>
          `?${all.map(([name, text]) => `${name}=${of(text)}`).join("&")}`;
        const url = `https://a.example/x${written((text) => text)}`;
        expect(queryOf(url)).toBe(written((text) => text));
        expect(withoutValues(url)).toBe(`https://a.example/x${written(() => "***")}`);
        expect(withoutValues(withoutValues(url))).toBe(withoutValues(url));
      }),
    );
  });
});

describe("the form of an outgoing webhook", () => {
  it("has its checked events, and plates if that is checked", () => {
    expect(outgoingFieldsOf({ name: "CAD", plate_data: "on" }, { events: ["hit", "expiring"] })).toEqual({
      name: "CAD",
      events: ["hit", "expiring"],
      plate_data: true,
    });
  });

  it("has no events and no plates if nothing is checked", () => {
    expect(outgoingFieldsOf({ name: "CAD" }, {})).toEqual({ name: "CAD", events: [], plate_data: false });
    expect(outgoingFieldsOf({ plate_data: "off" }, {}).plate_data).toBe(false);
  });
});

describe("the attempts to deliver a message", () => {
  it("are all made before its delivery ends, and become rarer", () => {
    const total = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(total).toBeLessThan(DELIVERY_ENDS_MS);
    expect(total).toBeGreaterThan(23 * 3_600_000);
    expect([...RETRY_DELAYS_MS].sort((a, b) => a - b)).toEqual(RETRY_DELAYS_MS);
  });
});
