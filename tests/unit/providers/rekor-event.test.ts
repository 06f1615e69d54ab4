import { expect, test } from "vitest";
import { parseRekorEvent } from "#app/providers/rekor-event.ts";

function passOf(over: object) {
  const group = { data_type: "alpr_group", agent_uid: "AGENT", camera_id: 7, best_plate_number: "AB12345" };
  const event = parseRekorEvent({ ...group, ...over });
  return event.kind === "read" ? event.read.pass : undefined;
}

test("the events of a pass have one key, by agent, camera and start, or by the image", () => {
  const start = Date.UTC(2026, 5, 1);
  expect(passOf({ epoch_start: start, best_uuid: "a" })).toBe(passOf({ epoch_start: start, best_uuid: "b" }));
  expect(passOf({ epoch_start: start })).not.toBe(passOf({ epoch_start: start + 1 }));
  expect(passOf({ best_uuid: "a" })).toBe(passOf({ best_uuid: "a", is_preview: true }));
});

test("a start of zero does not make one pass of all vehicles of a camera", () => {
  for (const epoch_start of [0, "0", null])
    expect(passOf({ epoch_start, best_uuid: "a" })).not.toBe(passOf({ epoch_start, best_uuid: "b" }));
});

test.each<[string, object, string]>([
  ["without a plate", { best_plate_number: null }, "The group names no plate."],
  ["with a plate of signs", { best_plate_number: " -- " }, "The group names no plate."],
  [
    "with a long plate",
    { best_plate_number: "ABCDEFGH12345678" },
    "best_plate_number is longer than 15 characters.",
  ],
  [
    "with a long plate in its details",
    { best_plate_number: "", best_plate: { plate: "ABCDEFGH12345678" } },
    "best_plate.plate is longer than 15 characters.",
  ],
])("a group %s is refused with what is wrong with it", (_, over, refusal) => {
  expect(() => passOf(over)).toThrow(refusal);
});

test.each([[{}], [{ group: null }], [{ group: "AB12345" }], [{ group: { data_type: "vehicle" } }]])(
  "an alert without a group of reads is refused as one: %j",
  (over) => {
    expect(() => parseRekorEvent({ data_type: "alpr_alert", plate_number: "AB12345", ...over })).toThrow(
      "The alert has no group.",
    );
  },
);

test("a plate that lost a character on its way is matched as it is, and says so", () => {
  const lost = "A character of the plate could not be read";
  const group = { data_type: "alpr_group", agent_uid: "AGENT", camera_id: 7 };
  const caveats = (best_plate_number: string) => {
    const event = parseRekorEvent({ ...group, best_plate_number });
    return event.kind === "read" ? event.read.caveats : undefined;
  };
  expect(caveats("AB\ufffd12")).toEqual([lost]);
  expect(caveats("AB\ud80012")).toEqual([lost]);
  expect(caveats("AB-12")).toEqual([]);
});
