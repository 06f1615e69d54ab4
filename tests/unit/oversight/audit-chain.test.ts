import { describe, expect, it } from "vitest";
import {
  type ChainedRow,
  chainStart,
  checkLinks,
  type LinkedRow,
  linkHash,
} from "#app/entities/oversight/audit-chain.ts";

const ROW: ChainedRow = {
  seq: 7,
  at: 1_790_000_000_000,
  agency_id: "hartford",
  user_id: "u1",
  username: "officer",
  session_id: "s1",
  ip: "192.0.2.1",
  user_agent: "Firefox",
  action: "search",
  outcome: "ok",
  object: "q1",
  plate: "ABC123",
  case_number: "26-7",
  programs_queried: "Rekor",
  detail: '{"a":1}',
};

/** SHA-256 of the start, and of a link over `ROW` after the hash `previous`, both computed with `sha256sum`. */
const START = "cb3622679aa5430dcbb4a3fe7e5fd1c5e4f8699a9f7bd56b14f16af4a89f9d4f";
const LINK = "fbedf0e5ae3314c33831d7977012f850faaa7b2796552401f1429440e665dc3c";

it("hashes as written records and earlier versions have it", async () => {
  expect(await chainStart("hartford")).toBe(START);
  expect(await linkHash("previous", ROW)).toBe(LINK);
});

describe("the verification of links", () => {
  const link = { seq: 7, agencyId: "hartford", position: 42, hash: LINK };
  const check = (links: LinkedRow[], position = 41) => checkLinks({ links, previous: "previous", position });

  it("continues after the last valid link", async () => {
    expect(await check([{ link, row: ROW }])).toEqual({ problem: null, previous: LINK, position: 42 });
    expect(await check([])).toEqual({ problem: null, previous: "previous", position: 41 });
  });

  it.each<[what: string, linked: LinkedRow, position: number, problem: string]>([
    ["an altered row", { link, row: { ...ROW, plate: "ABC124" } }, 41, "It was altered."],
    ["an altered hash", { link: { ...link, hash: START }, row: ROW }, 41, "It was altered."],
    ["a removed row", { link, row: null }, 41, "It was removed from the log."],
    ["a missing link", { link, row: ROW }, 40, "Entries before it are missing."],
    ["a repeated link", { link, row: ROW }, 42, "Entries before it are missing."],
    ["a missing link before a removed row", { link, row: null }, 40, "Entries before it are missing."],
  ])("reports %s, and stays before it", async (_, linked, position, problem) => {
    expect(await check([linked], position)).toEqual({
      problem: { seq: 7, position: 42, problem },
      previous: "previous",
      position,
    });
  });

  it("reports only the first problem, after the last valid link", async () => {
    const next = { seq: 9, agencyId: "hartford", position: 43, hash: LINK };
    const last = { seq: 12, agencyId: "hartford", position: 50, hash: LINK };
    expect(
      await check([
        { link, row: ROW },
        { link: next, row: null },
        { link: last, row: null },
      ]),
    ).toEqual({
      problem: { seq: 9, position: 43, problem: "It was removed from the log." },
      previous: LINK,
      position: 42,
    });
  });
});
