import { describe, expect, it } from "vitest";
import type { ChainedRow } from "#app/entities/oversight/audit-chain.ts";
import { archivedBefore, auditKind, isSearch, TERM, termsOf } from "#app/entities/oversight/audit-segment.ts";

const NO_ROW: ChainedRow = {
  seq: 1,
  at: 1_790_000_000_000,
  agency_id: "hartford",
  user_id: "u1",
  username: "jo",
  session_id: "s1",
  ip: "192.0.2.1",
  user_agent: "",
  action: "user.add",
  outcome: "ok",
  object: "",
  plate: "",
  case_number: "",
  programs_queried: "",
  detail: "{}",
};

describe("the rows that leave the database", () => {
  const at = (text: string) => Date.parse(text);
  it.each([
    // Seven days before, the start of the day.
    ["2026-10-29T00:00:00.000Z", "2026-10-29T00:00:00.000Z", "2026-10-22T00:00:00.000Z"],
    ["2026-10-28T23:59:59.999Z", "2026-10-28T00:00:00.000Z", "2026-10-21T00:00:00.000Z"],
    // The review has not come further.
    ["2026-10-29T12:00:00.000Z", "2026-10-03T00:00:00.000Z", "2026-10-03T00:00:00.000Z"],
    // Before the first review, 121 days.
    ["2026-10-29T00:00:00.000Z", null, "2026-06-30T00:00:00.000Z"],
    ["2026-10-29T23:59:59.999Z", null, "2026-06-30T00:00:00.000Z"],
  ])("on %s, reviewed until %s, are those before %s", (now, reviewed, before) => {
    const until = reviewed === null ? null : at(reviewed);
    expect(new Date(archivedBefore(at(now), until)).toISOString()).toBe(before);
  });
});

describe("the kind of an act", () => {
  it.each([
    ["audit.view", "audit"],
    ["audit.export", "audit"],
    ["audits.export", "other"],
    ["an-audit.export", "other"],
    ["users.view", "view"],
    ["result-set.view", "view"],
    ["user.view-all", "other"],
    ["overview", "other"],
    ["search", "search"],
    ["search-convoy.finished", "search"],
    ["saved-search.save", "other"],
    ["export.removed", "export"],
    ["re-export", "other"],
    ["export.view", "view"],
    ["sign-in.notice", "sign-in"],
    ["sign-on.change", "sign-in"],
    ["session.end", "sign-in"],
    ["step-up", "sign-in"],
    ["step-up.again", "other"],
    ["first-step-up", "other"],
    ["re-sign-in", "other"],
    ["sessions", "other"],
    ["group.create", "hotlist"],
    ["plate.add", "hotlist"],
    ["hotlist-import.start", "hotlist"],
    ["attachment.refuse", "hotlist"],
    ["alert.disposition", "hotlist"],
    ["push-alerts", "hotlist"],
    ["alert-permissions.edit", "other"],
    ["scim.group-add", "other"],
    ["groups", "other"],
    ["license-plate.add", "other"],
    ["user.add", "other"],
    ["", "other"],
  ])("%j is %s", (action, kind) => {
    expect(auditKind(action)).toBe(kind);
  });

  it.each([
    ["search", true],
    ["search-places", true],
    ["search-convoy", true],
    ["search.finished", false],
    ["saved-search.save", false],
    ["", false],
  ])("%j is a search: %s", (action, is) => {
    expect(isSearch(action)).toBe(is);
  });
});

describe("the values that a segment is found by", () => {
  it.each<[row: Partial<ChainedRow>, terms: string[]]>([
    [{}, ["kind|other", "user|jo", "kind-user|other|jo"]],
    [{ case_number: "26-7" }, ["kind|other", "user|jo", "kind-user|other|jo", "case|26-7"]],
    [{ object: "o1" }, ["kind|other", "user|jo", "kind-user|other|jo"]],
    [{ outcome: "failed" }, ["kind|other", "user|jo", "kind-user|other|jo"]],
    [{ outcome: "refused" }, ["kind|other", "user|jo", "kind-user|other|jo", "refused", "refused-user|jo"]],
    [{ plate: "AB" }, ["kind|other", "user|jo", "kind-user|other|jo", "plate|AB"]],
    [{ plate: "ABC" }, ["kind|other", "user|jo", "kind-user|other|jo", "plate|ABC", "start|ABC"]],
    [{ plate: "ABC1" }, ["kind|other", "user|jo", "kind-user|other|jo", "plate|ABC1", "start|ABC"]],
    [
      { plate: "ABC12" },
      ["kind|other", "user|jo", "kind-user|other|jo", "plate|ABC12", "start|ABC", "start|ABC12"],
    ],
    [
      { plate: "ABC1234" },
      ["kind|other", "user|jo", "kind-user|other|jo", "plate|ABC1234", "start|ABC", "start|ABC12"],
    ],
    [{ action: "search" }, ["kind|search", "user|jo", "kind-user|search|jo", "searcher|u1"]],
    [
      { action: "search", object: "q1", plate: "AB" },
      ["kind|search", "user|jo", "kind-user|search|jo", "plate|AB", "searcher|u1", "search|q1", "subject|AB"],
    ],
    [
      { action: "search", outcome: "failed", plate: "AB" },
      ["kind|search", "user|jo", "kind-user|search|jo", "plate|AB"],
    ],
    [
      { action: "search-convoy", plate: "AB" },
      ["kind|search", "user|jo", "kind-user|search|jo", "plate|AB", "searcher|u1", "subject|AB"],
    ],
    [
      { action: "search-places", plate: "AB" },
      ["kind|search", "user|jo", "kind-user|search|jo", "plate|AB", "searcher|u1"],
    ],
    [
      { action: "search.finished", object: "q1", plate: "AB" },
      ["kind|search", "user|jo", "kind-user|search|jo", "plate|AB", "search|q1"],
    ],
  ])("of %j are %j", (row, terms) => {
    expect(termsOf({ ...NO_ROW, ...row })).toEqual(terms);
  });

  it.each([
    ["ABC", "start|ABC"],
    ["ABCD", "start|ABC"],
    ["ABCDE", "start|ABCDE"],
    ["ABCDEF", "start|ABCDE"],
  ])("cut the start of a plate, %s, to three or five characters: %s", (start, term) => {
    expect(TERM.plateStart(start)).toBe(term);
  });
});
