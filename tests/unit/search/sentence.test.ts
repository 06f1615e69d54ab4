import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeSearch, duration, listed, unsupportedBy } from "#app/components/search/form/describe.ts";
import { describeSkipped } from "#app/components/search/form/skipped-programs.ts";
import { agencyGroups, withAgencies } from "#app/entities/search/agencies.ts";
import { clearForm, onClock, type SearchForm } from "#app/entities/search/form.ts";
import { SOURCE_PROGRAMS, VEHICLE_MARKS } from "#app/entities/search/query.ts";
import { VEHICLE_COLORS } from "#app/entities/search/vehicle.ts";
import { counted } from "#app/lib/number-text.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { instantsAt, wallClock, zoneName } from "#app/lib/time/wall-clock.ts";
import { createProviders } from "#app/providers/index.ts";
import { withTyped } from "./form/typed.ts";

const ZONE = "America/New_York";
const NOW = Date.parse("2026-11-20T19:03:07Z");
const groups = agencyGroups({
  rekor: Array.from({ length: 12 }, (_, i) => ({ id: `key-${i}`, agency: `Agency ${i}` })),
  axon: [{ id: "axon-1", agency_name: "Avon", base_url: "https://avon.example" }],
  axis: [
    { id: "axis-1", agency_name: "Berlin", integrations: [{ identifier: "cam-1" }, { identifier: "cam-2" }] },
  ],
});
const options = groups.flatMap((group) => group.options);

function form(changes: Partial<SearchForm> = {}): SearchForm {
  const selected = withAgencies(new Set(), options, true);
  return { ...onClock({ ...clearForm(), preset: "7d" }, NOW, ZONE), selected, ...changes };
}

describe("the description of a search", () => {
  test.each<[Partial<SearchForm>, string]>([
    [{}, "7 days, 14 agencies, all vehicles"],
    [{ color: "Silver/Gray", bodyType: "SUV" }, "7 days, 14 agencies, silver or gray SUVs"],
    [{ make: "Toyota" }, "7 days, 14 agencies, Toyota vehicles"],
    [{ plate: " ab-12 " }, "7 days, 14 agencies, vehicles with a plate containing AB12"],
    [{ plate: "a*1?", plateState: "CT" }, "7 days, 14 agencies, vehicles with a Connecticut plate like A*1?"],
    [{ plateState: "AL" }, "7 days, 14 agencies, vehicles with an Alabama plate"],
    [{ marks: ["top_rack"], bodyType: "van-mini" }, "7 days, 14 agencies, minivans with top rack"],
    [
      { plate: "X", marks: ["window_stickers", "top_rack"], color: "Red" },
      "7 days, 14 agencies, red vehicles with a plate containing X, top rack and window stickers",
    ],
    [{ selected: new Set(), preset: "1h" }, "1 hour, no agency selected, all vehicles"],
    [{ selected: new Set(["cam-2"]), preset: "24h" }, "24 hours, 1 agency, all vehicles"],
    [{ plate: "***" }, "7 days, 14 agencies, all vehicles"],
  ])("%j", (changes, sentence) => {
    expect(describeSearch(form(changes), groups)).toBe(sentence);
  });

  test("describes a typed range by its length and end", () => {
    const typed = withTyped(form(), "start", "2026-11-18T11:00", ZONE);
    expect(describeSearch(typed, groups)).toMatch(/^2 days 3 hours up to 2026-11-20 14:03:07, /);
    expect(describeSearch(withTyped(typed, "end", "", ZONE), groups)).toMatch(/^no date range, /);
    expect(describeSearch(withTyped(typed, "end", "2026-11-01T00:00", ZONE), groups)).toMatch(
      /^an empty date range, /,
    );
  });

  test("formats spans, counts and lists", () => {
    expect(duration(DAY + MINUTE)).toBe("1 day");
    expect(duration(HOUR + 2 * MINUTE)).toBe("1 hour 2 minutes");
    expect(duration(SECOND)).toBe("1 second");
    expect(duration(1)).toBe("0 seconds");
    expect(counted(1204, "read", "reads")).toBe("1,204 reads");
    expect(listed([])).toBe("");
    expect(listed(["a", "b", "c"], "or")).toBe("a, b or c");
  });
});

describe("skipped programs", () => {
  test("there are none unless a selected program does not support a chosen filter", () => {
    expect(describeSkipped(form(), groups)).toBe("");
    expect(describeSkipped(form({ color: "Red" }), groups)).toBe("");
    expect(describeSkipped(form({ color: "Pink", selected: new Set(["key-1"]) }), groups)).toBe("");
  });

  test("each is named with its unsupported filters, and a search without any program is announced", () => {
    expect(describeSkipped(form({ color: "Orange", marks: ["top_rack"] }), groups)).toBe(
      "Rekor will be skipped: it cannot filter by top rack. " +
        "Axon will be skipped: it cannot filter by the color Orange. " +
        "Axis will be skipped: it cannot filter by the color Orange or top rack. " +
        "That leaves nothing to search.",
    );
  });

  test("are the ones that the provider adapters refuse", () => {
    const providers = createProviders({
      archive: { startSearch: () => {}, search: () => never(), image: async () => null },
      openSecret: async () => "",
      tokens: {
        find: async () => null,
        findAll: async () => new Map(),
        lease: async () => true,
        save: async () => {},
        forget: async () => {},
      },
      clock: () => NOW,
      allowLoopback: false,
    });
    const colors = fc.constantFrom("" as const, ...VEHICLE_COLORS.map(({ name }) => name));
    const marks = fc.subarray(VEHICLE_MARKS.map(({ key }) => key));
    fc.assert(
      fc.property(fc.constantFrom(...SOURCE_PROGRAMS), colors, marks, (program, color, marks) => {
        const query = {
          plate: { kind: "any" as const },
          plateState: "" as const,
          make: "" as const,
          bodyType: "" as const,
        };
        expect(unsupportedBy(program, { color, marks })).toEqual(
          providers[program].unsupported({ ...query, color, marks, from: 0, to: NOW }),
        );
      }),
    );
  });
});

async function* never(): AsyncGenerator<never> {}

describe("wall clock times", () => {
  const zones = fc.constantFrom(
    "America/New_York",
    "UTC",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
  );

  test("the instants of a wall clock text include the original instant", () => {
    const seconds = fc.integer({
      min: Date.parse("2015-01-01") / 1000,
      max: Date.parse("2035-01-01") / 1000,
    });
    fc.assert(
      fc.property(seconds, zones, (second, zone) => {
        expect(instantsAt(wallClock(second * 1000, zone), zone)).toContain(second * 1000);
      }),
    );
  });

  test("handles repeated, skipped and ordinary hours, with and without seconds", () => {
    expect(instantsAt("2026-11-01T01:30:15", ZONE)).toEqual([
      Date.parse("2026-11-01T05:30:15Z"),
      Date.parse("2026-11-01T06:30:15Z"),
    ]);
    expect(instantsAt("2026-03-08T02:00", ZONE)).toEqual([]);
    expect(instantsAt("2026-03-08T03:00", ZONE)).toEqual([Date.parse("2026-03-08T07:00:00Z")]);
    expect(instantsAt("2026-07-01T00:00", ZONE)).toEqual([Date.parse("2026-07-01T04:00:00Z")]);
  });

  test.each(["", "2026-02-30T10:00", "2026-11-01", "noon", "2026-11-01T25:00", "12026-11-01T10:00"])(
    "%j is not a valid time",
    (text) => {
      expect(instantsAt(text, ZONE)).toBeUndefined();
    },
  );

  test("returns a readable name of the time zone", () => {
    expect(zoneName(ZONE)).toBe("Eastern Time (America/New_York)");
    expect(zoneName("UTC")).toContain("UTC");
  });
});
