import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amendPass, continuesPass, isNearMidnight, type PassFacts } from "#app/entities/ingest/pass.ts";
import { at } from "#app/lib/at.ts";
import { MINUTE } from "#app/lib/time/dates.ts";

const facts: PassFacts = {
  plate: "AB12345",
  plateState: "CT",
  make: "",
  color: "Blue",
  bodyType: "",
  confidence: 70,
  direction: "",
  latitude: 41.5,
  longitude: -72.7,
  carState: "new",
  eventAt: 1000,
  vehicleImageKey: "v1",
  plateImageKey: null,
};

describe("a pass", () => {
  it("uses the text of a later stage, but never an empty one", () => {
    expect(
      amendPass(facts, { ...facts, carState: "lost", eventAt: 900, plate: "AB12346", direction: "out" }),
    ).toMatchObject({ plate: "AB12346", direction: "out", carState: "lost" });
    expect(amendPass(facts, { ...facts, carState: "lost", plate: "", confidence: null })).toMatchObject({
      plate: "AB12345",
      confidence: 70,
      carState: "lost",
    });
  });

  it("is not changed by a retry or by events out of order", () => {
    expect(amendPass(facts, { ...facts, vehicleImageKey: "v2" })).toBeNull();
    const lost = { ...facts, carState: "lost" as const, eventAt: 9000 };
    expect(amendPass(lost, { ...facts, plate: "XX", vehicleImageKey: "v2" })).toBeNull();
    const update = { ...facts, carState: "update" as const, eventAt: 5000 };
    expect(amendPass(update, { ...update, eventAt: 4000, plate: "XX" })).toBeNull();
  });

  it.each([
    ["plateState", "CT", "NY"],
    ["make", "Ford", "Honda"],
    ["color", "Blue", "Red"],
    ["bodyType", "SUV", "Motorcycle"],
    ["direction", "in", "out"],
    ["vehicleImageKey", "v1", "v2"],
    ["plateImageKey", "p1", "p2"],
  ])("takes the %s of the later stage, or of the other one if the later has none", (field, early, late) => {
    const missing = field.endsWith("Key") ? null : "";
    const amended = (known: string | null, event: string | null) =>
      amendPass({ ...facts, [field]: known }, { ...facts, carState: "lost", [field]: event });
    expect(amended(early, late)).toMatchObject({ [field]: late });
    expect(amended(early, missing)).toMatchObject({ [field]: early });
    expect(amended(missing, late)).toMatchObject({ [field]: late });
  });

  it.each([
    [
      { latitude: 42, longitude: -73 },
      { latitude: 42, longitude: -73 },
    ],
    [
      { latitude: null, longitude: null },
      { latitude: 41.5, longitude: -72.7 },
    ],
    [
      { latitude: null, longitude: -73 },
      { latitude: 41.5, longitude: -72.7 },
    ],
    [
      { latitude: 42, longitude: null },
      { latitude: 41.5, longitude: -72.7 },
    ],
  ])("takes latitude and longitude from the same event: %j", (place, expected) => {
    expect(amendPass(facts, { ...facts, carState: "lost", ...place })).toMatchObject(expected);
  });

  it("is not replaced by an event of the same stage and time", () => {
    expect(amendPass(facts, { ...facts, plate: "XX" })).toBeNull();
    expect(amendPass(facts, { ...facts, plate: "XX", eventAt: 1001 })).toMatchObject({ plate: "XX" });
  });

  it("has the same final state for every order of its events", () => {
    const event = fc.record({
      plate: fc.constantFrom("", "AAA111", "AAA112", "AAA113"),
      direction: fc.constantFrom("", "in", "out"),
      carState: fc.constantFrom("new" as const, "update" as const, "lost" as const),
      vehicleImageKey: fc.constantFrom(null, "v"),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), fc.nat(), (events, seed) => {
        const told = events.map(
          (e, i): PassFacts => ({ ...facts, ...e, confidence: null, eventAt: 1000 + i }),
        );
        const ended = (order: PassFacts[]) =>
          order.slice(1).reduce((known, next) => amendPass(known, next) ?? known, at(order, 0));
        const last = ended(told);
        const turned = ended([...told.slice(seed % told.length), ...told.slice(0, seed % told.length)]);
        expect(turned.carState).toBe(last.carState);
        expect(turned.eventAt).toBe(last.eventAt);
        expect(turned.plate === "").toBe(last.plate === "");
      }),
    );
  });
});

describe("a pass that began more than ten minutes ago", () => {
  const known = { ...facts, plate: "AB1O", carState: "update" as const };
  const lost = { ...known, carState: "lost" as const };
  const event = { ...known, eventAt: known.eventAt + 30 * MINUTE };
  const soon = { ...known, eventAt: known.eventAt + 10 * MINUTE };

  it.each([
    ["an update", known, event],
    ["its end", known, { ...event, carState: "lost" as const }],
    ["an event whose plate looks alike", known, { ...event, plate: "A810" }],
    ["an event without a plate, ten minutes after its last", known, { ...soon, plate: "" }],
    ["the first event with a plate, ten minutes after its last", { ...known, plate: "" }, soon],
    ["a late event, ten minutes after its end", lost, { ...lost, eventAt: 1000 + 10 * MINUTE }],
  ])("is continued by %s", (_, known, event) => {
    expect(continuesPass(known, event)).toBe(true);
  });

  it.each([
    ["an event more than ten minutes after its end", lost, { ...lost, eventAt: 1001 + 10 * MINUTE }],
    ["an event of another plate", known, { ...event, plate: "AB19" }],
    ["an event without a plate, later", known, { ...soon, plate: "", eventAt: soon.eventAt + 1 }],
    ["the first event with a plate, later", { ...known, plate: "" }, { ...soon, eventAt: soon.eventAt + 1 }],
    ["a new vehicle with the same plate", known, { ...event, carState: "new" as const }],
  ])("is not continued by %s", (_, known, event) => {
    expect(continuesPass(known, event)).toBe(false);
  });
});

it("a pass is claimed if it is within ten minutes of midnight", () => {
  const midnight = Date.UTC(2026, 5, 20);
  for (const [offset, near] of [
    [-10 * MINUTE - 1, false],
    [-10 * MINUTE, true],
    [0, true],
    [10 * MINUTE - 1, true],
    [10 * MINUTE, false],
  ] as const)
    expect([offset, isNearMidnight(midnight + offset)]).toEqual([offset, near]);
});
