import { describe, expect, it } from "vitest";
import { afterRemoval, withNext } from "#app/components/hotlists/plates/use-pages.ts";
import type { HotlistPlate } from "#app/entities/hotlists/entry.ts";
import type { PlatePage } from "#app/entities/hotlists/group.ts";

const plate = (id: number): HotlistPlate => ({
  id,
  revision: 1,
  plate_number: `AB${id}`,
  state: "CT",
  reason: "Stolen",
  notes: "",
  case_number: "",
  created_at: "2026-11-20T12:00:00Z",
  expires_at: null,
  added_by_name: "",
  added_by_agency: "",
  attachment_path: null,
  attachment_name: null,
  also_in: [],
  match_policy: "exact",
  state_required: false,
  make: "",
  color: "",
  body_type: "",
  priority: "normal",
});

/** A page whose cursor, if more plates follow, is its last plate. */
const pageOf = (ids: number[], count: number): PlatePage => ({
  plates: ids.map(plate),
  next: ids.at(-1) === count ? null : String(ids.at(-1)),
  counts: { "in-force": count, near: 0, expired: 0 },
});
const idsOf = ({ plates }: PlatePage) => plates.map(({ id }) => id);

describe("the pages of a group's plates", () => {
  it("are appended only to the list that they continue", () => {
    const shown = pageOf([1, 2], 6);
    const loaded = pageOf([3, 4], 6);
    const both = withNext(shown, { after: "2", loaded });
    expect(idsOf(both)).toEqual([1, 2, 3, 4]);
    expect(both.next).toBe("4");
    const replaced = pageOf([2, 3], 6);
    expect(withNext(replaced, { after: "2", loaded })).toBe(replaced);
  });

  it("stay after one of their plates is removed, with the new counts", () => {
    const shown = { ...pageOf([1, 2, 3, 4], 6), plates: [1, 3, 4].map(plate) };
    const kept = afterRemoval(shown, { ...pageOf([1, 3], 6), counts: { ...shown.counts, "in-force": 5 } });
    expect(idsOf(kept)).toEqual([1, 3, 4]);
    expect(kept.next).toBe("4");
    expect(kept.counts["in-force"]).toBe(5);
  });

  it("are replaced after a removal if the first page has plates that were not shown", () => {
    const shown = { ...pageOf([1, 2], 6), plates: [plate(1)] };
    const first = pageOf([1, 3], 6);
    expect(afterRemoval(shown, first)).toBe(first);
  });
});
