import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amendPass, continuesPass, type PassFacts } from "#app/entities/ingest/pass.ts";
import { at } from "#app/lib/at.ts";

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
