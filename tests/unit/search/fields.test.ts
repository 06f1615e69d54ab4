import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agencyGroups, withAgencies } from "#app/entities/search/agencies.ts";
import { readSearchFields, searchFieldsOf, unknownAgencies } from "#app/entities/search/fields.ts";
import { clearForm, onClock, type SearchForm, withPreset } from "#app/entities/search/form.ts";
import { RANGE_PRESETS, VEHICLE_MARKS } from "#app/entities/search/query.ts";

const NOW = Date.parse("2026-11-20T19:03:07Z");
const ZONE = "America/New_York";
const groups = agencyGroups({
  rekor: [{ id: "key-1", agency: "Hartford" }],
  axon: [
    { id: "axon-1", agency_name: "Canton", base_url: "https://shared.example" },
    { id: "axon-2", agency_name: "Avon", base_url: "https://shared.example" },
  ],
  axis: [
    { id: "axis-1", agency_name: "Berlin", integrations: [{ identifier: "cam-1" }, { identifier: "cam-2" }] },
  ],
});
const options = groups.flatMap((group) => group.options);
const posted = (fields: Record<string, string[]>) =>
  readSearchFields({ range: ["24h"], start: [""], end: [""], ...fields }, { groups, zone: ZONE, now: NOW });

test("reads back what it wrote into the fields, including partly selected agencies", () => {
  const text = fc.string({ maxLength: 30 });
  const filled = fc.record({
    plate: text,
    plateState: fc.constantFrom("", "CT"),
    color: fc.constantFrom("", "Red"),
    make: fc.constantFrom("", "Acura"),
    bodyType: fc.constantFrom("", "SUV"),
    justification: text,
    caseNumber: text,
    purpose: fc.constantFrom("", "warrant"),
    marks: fc.subarray(VEHICLE_MARKS.map(({ key }) => key)),
    preset: fc.constantFrom(...RANGE_PRESETS.map(({ key }) => key)),
    selected: fc
      .subarray(options.flatMap(({ identifiers }) => identifiers))
      .map((identifiers) => new Set(identifiers)),
  });
  fc.assert(
    fc.property(filled, (fields) => {
      const form: SearchForm = withPreset({ ...clearForm(), ...fields }, fields.preset, NOW, ZONE);
      const written = { start: form.start, end: form.end };
      const read = readSearchFields(searchFieldsOf(form, groups), { groups, zone: ZONE, now: NOW, written });
      expect(read).toEqual(form);
    }),
  );
});

describe("without scripts", () => {
  test("empty pickers keep the preset, which ends at the time of the search", () => {
    expect(posted({}).preset).toBe("24h");
    expect(posted({ range: [] }).preset).toBeUndefined();
    expect(posted({ range: ["2h"] }).preset).toBeUndefined();
  });

  test("typed times replace the preset, in the given time zone", () => {
    const form = posted({ start: ["2026-11-18T08:00"], end: ["2026-11-18T09:00"] });
    expect(form.preset).toBeUndefined();
    expect(form.start.at).toBe(Date.parse("2026-11-18T13:00:00Z"));
    expect(form.end.at).toBe(Date.parse("2026-11-18T14:00:00Z"));
  });

  test("if only one end is typed, the preset sets the other", () => {
    expect(posted({ start: ["2026-11-18T08:00"] }).end.at).toBe(NOW);
    expect(posted({ end: ["2026-11-18T08:00"] }).start.at).toBe(Date.parse("2026-11-17T13:00:00Z"));
    expect(posted({ end: ["soon"] }).start.at).toBeUndefined();
  });

  test("in the repeated hour, a range starts at the first occurrence and ends at the second", () => {
    const form = posted({ start: ["2026-11-01T01:30"], end: ["2026-11-01T01:30"] });
    expect((form.end.at ?? 0) - (form.start.at ?? 0)).toBe(3_600_000);
  });
});

test("with scripts, the preset takes precedence over the pickers", () => {
  const shown = onClock(clearForm(), NOW, ZONE);
  const fields = { range: ["7d"], start: [shown.start.text], end: [shown.end.text] };
  expect(readSearchFields(fields, { groups, zone: ZONE, now: NOW, written: {} }).preset).toBe("7d");
});

describe("agencies", () => {
  test("a program checkbox adds all its agencies to the checked ones", () => {
    const { selected } = posted({ programs: ["Axon"], agencies: ["axis-1"] });
    expect([...selected].sort()).toEqual(["axon-1", "axon-2", "cam-1", "cam-2"]);
    expect(posted({ programs: ["Rekor", "Axon", "Axis"] }).selected).toEqual(
      withAgencies(new Set(), options, true),
    );
  });

  test("reports the agencies that the form does not offer", () => {
    expect(unknownAgencies({ agencies: ["axis-1", "cam-2", "axon-2"], programs: ["Axis"] }, groups)).toEqual(
      [],
    );
    expect(unknownAgencies({ agencies: ["cam-9"], programs: ["Flock"] }, groups)).toEqual(["cam-9", "Flock"]);
    expect(unknownAgencies({}, groups)).toEqual([]);
  });
});
