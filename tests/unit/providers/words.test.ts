import fc from "fast-check";
import { expect, test } from "vitest";
import { JURISDICTION_GROUPS, US_STATES } from "#app/entities/search/jurisdiction-names.ts";
import { SEARCHED_MAKES, VEHICLE_BODY_TYPES, VEHICLE_COLORS } from "#app/entities/search/vehicle.ts";
import {
  AXON_BODY_TYPES,
  AXON_COLORS,
  bodyTypeFromAxon,
  bodyTypeFromRekor,
  colorFromAxon,
  colorFromRekor,
  makeForAxon,
  makeForRekor,
  makeFromVendor,
  REKOR_BODY_TYPES,
  REKOR_COLORS,
  regionForRekor,
  stateFromAxon,
  stateFromRekor,
} from "#app/providers/vehicle-words.ts";

test("every word of Odin's is the same after it is mapped to a vendor's and back", () => {
  for (const { name } of VEHICLE_COLORS) {
    for (const word of REKOR_COLORS[name]) expect(colorFromRekor(word)).toBe(name);
    for (const word of AXON_COLORS[name]) expect(colorFromAxon(word)).toBe(name);
  }
  for (const body of VEHICLE_BODY_TYPES) {
    for (const word of REKOR_BODY_TYPES[body]) expect(bodyTypeFromRekor(word)).toBe(body);
    for (const word of AXON_BODY_TYPES[body]) expect(bodyTypeFromAxon(word)).toBe(body);
  }
  for (const make of SEARCHED_MAKES) {
    expect(makeFromVendor(makeForRekor(make))).toBe(make);
    expect(makeFromVendor(makeForAxon(make))).toBe(make);
  }
  for (const { code } of JURISDICTION_GROUPS.flatMap((group) => [...group.jurisdictions])) {
    expect(stateFromRekor(regionForRekor(code))).toBe(code);
    expect(stateFromAxon(code.toLowerCase())).toBe(code);
  }
});

test("no word of a vendor maps to two words of Odin's", () => {
  for (const table of [REKOR_COLORS, REKOR_BODY_TYPES, AXON_COLORS, AXON_BODY_TYPES]) {
    const words = Object.values(table).flat();
    expect(new Set(words).size).toBe(words.length);
  }
});

test("the specification's SUV maps to three words of Rekor's, its Silver/Gray to two of Axon's", () => {
  expect(REKOR_BODY_TYPES.SUV).toEqual(["suv-standard", "suv-crossover", "suv-wagon"]);
  expect(AXON_COLORS["Silver/Gray"]).toEqual(["silver", "gray"]);
});

test("Rekor has a word for every color; Axon lacks exactly the Rekor-only ones", () => {
  for (const { name, rekorOnly } of VEHICLE_COLORS) {
    expect(REKOR_COLORS[name]).not.toHaveLength(0);
    expect(AXON_COLORS[name].length === 0).toBe(rekorOnly);
  }
});

test("an unknown word is shown unchanged, and an attribute that was not detected is empty", () => {
  expect(bodyTypeFromRekor("antique")).toBe("Antique");
  expect(makeFromVendor("aston-martin")).toBe("Aston Martin");
  expect(bodyTypeFromRekor("sedan-sport")).toBe("sedan-sports");
  expect(colorFromAxon("grey")).toBe("Silver/Gray");
  for (const word of ["", "missing", "Unknown", " none "]) expect(bodyTypeFromRekor(word)).toBe("");
});

test("regions outside the United States never map to a US state", () => {
  expect(stateFromRekor("ca-on")).toBe("CA-ON");
  expect(stateFromRekor("us-dc")).toBe("DC");
  expect(stateFromRekor("us")).toBe("");
  expect(regionForRekor("CT")).toBe("us-ct");
  expect(regionForRekor("CA-ON")).toBe("ca-on");
  expect(stateFromRekor("de-by")).toBe("DE-BY");
  const codes = new Set<string>(US_STATES.map((state) => state.code));
  fc.assert(
    fc.property(fc.stringMatching(/^(ca|mx|de)-[a-z]{2,3}$/), (region) => !codes.has(stateFromRekor(region))),
  );
});

test("a Rekor region without a country maps to the state or province with that code", () => {
  expect(stateFromRekor("mo")).toBe("MO");
  expect(stateFromRekor("ga")).toBe("GA");
  expect(stateFromRekor("ca")).toBe("CA");
  expect(stateFromRekor("on")).toBe("CA-ON");
});

test("no text makes a mapping throw or return a long text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      for (const map of [
        colorFromRekor,
        colorFromAxon,
        bodyTypeFromRekor,
        bodyTypeFromAxon,
        makeFromVendor,
      ]) {
        expect(Array.from(map(text)).length).toBeLessThanOrEqual(40);
      }
      expect(stateFromRekor(text).length).toBeLessThanOrEqual(6);
      expect(stateFromAxon(text).length).toBeLessThanOrEqual(6);
    }),
  );
});
