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
