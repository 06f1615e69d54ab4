import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageReference, imageUrl, parseImageReference } from "#app/entities/search/result-set.ts";
import { coordinate, isMappable } from "#app/entities/search/sighting.ts";
import { AppError, audited, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { readBytes } from "#app/lib/files/bodies.ts";
import { parseSentJson } from "#app/lib/json/parse.ts";
import { repairedText, textProblem, truncated, visibleLines, visibleText } from "#app/lib/text.ts";
import { DAY, isoTime, localTime, MINUTE, serverClock, utcDay } from "#app/lib/time/dates.ts";
import { zonedTime } from "#app/lib/time/zoned-time.ts";
import { interleaved } from "#app/lib/turns.ts";

describe("bodies", () => {
  const request = (chunks: number[], claimed?: number) => {
    let at = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = chunks[at++];
        if (size === undefined) controller.close();
        else controller.enqueue(new Uint8Array(size).fill(at));
      },
      cancel() {
        cancelled = true;
      },
    });
    const headers = new Headers(claimed === undefined ? {} : { "content-length": String(claimed) });
    return { headers, body, read: () => at, wasCancelled: () => cancelled };
  };

  it("are read completely up to the limit", async () => {
    expect(await readBytes(request([3, 0, 4]), 7)).toEqual(Uint8Array.of(1, 1, 1, 3, 3, 3, 3));
    expect(await readBytes({ headers: new Headers(), body: null }, 7)).toHaveLength(0);
  });

  it("are rejected before reading if they claim too much, and otherwise as soon as they exceed the limit", async () => {
    const claims = request([1], 8);
    await expect(readBytes(claims, 7)).rejects.toMatchObject({
      code: "too_large",
      message: "The body is larger than 7 bytes.",
    });
    expect(await readBytes(request([7], 7), 7)).toHaveLength(7);
    const grows = request(
      Array.from({ length: 1000 }, () => 4),
      4,
    );
    await expect(readBytes(grows, 7)).rejects.toMatchObject({ code: "too_large" });
    expect(grows.read()).toBeLessThan(5);
    expect(grows.wasCancelled()).toBe(true);
  });
});

describe("the edges of the map", () => {
  it("limit valid coordinates: a place is on the map if it is within the edges, not on them", () => {
    for (const [latitude, longitude] of [
      [90, 0],
      [-90, 0],
      [41, 180],
      [41, -180],
      [0, 0],
      [-1, -1],
      [Number.NaN, 0],
      [41, Number.POSITIVE_INFINITY],
    ] as const)
      expect(isMappable(latitude, longitude), `${latitude}, ${longitude}`).toBe(false);
    for (const [latitude, longitude] of [
      [89.99, 0],
      [-89.99, 0],
      [41, 179.99],
      [41, -179.99],
      [0, -1],
      [-1, 0],
    ] as const)
      expect(isMappable(latitude, longitude), `${latitude}, ${longitude}`).toBe(true);
    expect([isMappable(null, 1), isMappable(1, null)]).toEqual([false, false]);
  });
});

describe("texts", () => {
  it("are empty if nothing in them is visible", () => {
    for (const text of ["", "   ", "\n\t", "\u200b\u200d", "\u3164", "\u2800", "\u00ad", "\ufeff", "\u202e"])
      expect(visibleText(text)).toBe("");
    expect(visibleText(" a\u200bb\nc ")).toBe("ab c");
    expect(visibleLines("\n a\u200bb \r\n\tc\r\r\r\rd\n\u200b\n")).toBe("ab\nc\n\nd");
    expect(visibleLines("\u200b\n \u200d")).toBe("");
  });

  it("can be stored, or the reason against it is returned", () => {
    const line = (text: string) => textProblem(text, { lines: false });
    const lines = (text: string) => textProblem(text, { lines: true });
    for (const text of ["", "ABC 123", "Straße 🚓", "\u200b"])
      expect([line(text), lines(text)]).toEqual([undefined, undefined]);
    for (const text of ["a\nb", "a\r\nb"])
      expect([line(text), lines(text)]).toEqual(["contains a line break", undefined]);
    expect([line("a\tb"), lines("a\tb")]).toEqual(["contains a control character (U+0009)", undefined]);
    expect(line(" \r\n\ta \n")).toBeUndefined();
    for (const text of ["\ud800", "a\udc00b", "\u0007", "\u0000\n", "\u001b[31m", "\u007f", "\u009f"]) {
      expect(line(text)).toMatch(/^contains (half of|a control character \(U\+00)/);
      expect(lines(text)).toBe(line(text));
    }
  });

  it("of a camera's document are repaired, not rejected", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }), (value) => {
        const sent = new TextEncoder().encode(JSON.stringify({ value }));
        const read = JSON.stringify(parseSentJson(sent));
        expect(read.isWellFormed()).toBe(true);
        expect(read).not.toMatch(/\\ud[89a-f]|\\u00[01]|\\[bf]|[\u007f-\u009f]/i);
      }),
    );
    const sent = String.raw`{"plate":"AB\ud80012","note":"a\u0007\nb","odd\u0000":[1,"🚓"]}`;
    expect(parseSentJson(new TextEncoder().encode(sent))).toEqual({
      plate: "AB\ufffd12",
      note: "a\ufffd\nb",
      "odd\ufffd": [1, "🚓"],
    });
    expect(repairedText("a\r\n\tb")).toBe("a\r\n\tb");
  });

  it("are cut between characters, never within one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 20 }), (text, length) => {
        const cut = truncated(text, length);
        expect(Array.from(cut).length).toBeLessThanOrEqual(length);
        if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
      }),
    );
    expect(truncated("🚓🚓🚓", 2)).toBe("🚓…");
  });
});

describe("times", () => {
  it("count days in UTC and name the zone", () => {
    expect(utcDay(Date.UTC(1970, 0, 2) - 1)).toBe(0);
    expect(utcDay(Date.UTC(2026, 10, 20, 23, 59, 59))).toBe(utcDay(Date.UTC(2026, 10, 20)));
    expect(isoTime(0)).toBe("1970-01-01T00:00:00.000Z");
    const at = Date.UTC(2026, 10, 20, 5, 0, 7);
    expect(localTime(at, "America/New_York")).toBe("2026-11-20 00:00:07 EST");
    expect(localTime(at - 150 * DAY, "America/New_York")).toMatch(/EDT$/);
    for (const none of [null, Number.NaN, Number.POSITIVE_INFINITY, 9e15])
      expect(localTime(none)).toBeUndefined();
  });

  it("are exact where the zone's offset changes, also at a minute past midnight", () => {
    for (const [zone, change] of [
      ["America/New_York", Date.UTC(2026, 10, 1, 6)],
      ["Asia/Kathmandu", Date.UTC(1985, 11, 31, 18, 30)],
      ["America/St_Johns", Date.UTC(2010, 10, 7, 2, 31)],
      ["Antarctica/Casey", Date.UTC(2020, 9, 3, 16, 1)],
    ] as const) {
      const write = zonedTime(zone);
      const names = new Set<string>();
      for (const by of [-901_000, -900_000, -61_000, -60_001, -1000, -1, 0, 1, 999, 60_000, 900_000]) {
        const at = change + by;
        const zoned = new Intl.DateTimeFormat("sv-SE", {
          timeZone: zone,
          dateStyle: "short",
          timeStyle: "medium",
        });
        expect(write(at).slice(0, 19), `${zone} ${by}`).toBe(zoned.format(at));
        names.add(write(at).slice(19));
      }
      expect(names.size, zone).toBe(2);
    }
  });
});

describe("places", () => {
  it("are on the map or not", () => {
    for (const [lat, lon] of [
      [41.76, -72.67],
      [0, 1],
      [89.9, 179.9],
    ] as const)
      expect(isMappable(lat, lon)).toBe(true);
    for (const [lat, lon] of [
      [null, 1],
      [1, null],
      [0, 0],
      [-1, -1],
      [90, 1],
      [1, 180],
      [Number.NaN, 1],
      [1, Number.POSITIVE_INFINITY],
    ] as const)
      expect(isMappable(lat, lon)).toBe(false);
  });

  it("are read from numbers or texts", () => {
    expect(
      ["41.5", 41.5, " 1 ", "", " ", "x", null, undefined, true, Number.NaN, []].map(coordinate),
    ).toEqual([41.5, 41.5, 1, ...Array.from({ length: 8 }, () => null)]);
  });
});

describe("image references", () => {
  it("are parsed as they were written, and nothing else is accepted", () => {
    const id = "aB3-_x".repeat(4);
    for (const kind of ["vehicle", "plate"] as const)
      expect(parseImageReference(imageReference(id, 17, kind))).toEqual({ resultId: id, row: 17, kind });
    for (const text of ["", id, `${id}.1`, `${id}.1.x`, `${id}.1.v\n`, ` ${id}.1.v`, `${id}/.1.v`, "a.1.v"])
      expect(parseImageReference(text)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const parsed = parseImageReference(text);
        if (parsed) expect(imageReference(parsed.resultId, parsed.row, parsed.kind)).toMatch(/^[\w.-]+$/);
      }),
    );
  });

  it("lead to the proxy of their program", () => {
    const [vehicle, plate] = ["x".repeat(20), "y".repeat(20)];
    expect(imageUrl("Rekor", `${vehicle}.1.v`)).toBe(`/proxy-rekor-image?image_uuid=${vehicle}.1.v`);
    expect(imageUrl("Rekor", `${plate}.1.p`)).toBe(`/rekor/cropped-plate?image_uuid=${plate}.1.p`);
    expect(imageUrl("Axon", `${plate}.1.p`)).toBe(`/proxy-axon-plate-image?url=${plate}.1.p`);
    expect(imageUrl("Axis", `${plate}.1.p`)).toBe(`/proxy-axis-image?path=${plate}.1.p`);
  });
});

describe("expected failures", () => {
  it("are recognized, also from another copy of the module", () => {
    const error = new AppError("gone", "Purged.", { retryAfter: 3, cause: 1 });
    expect(error).toMatchObject({ name: "AppError", code: "gone", retryAfter: 3, cause: 1 });
    expect(isAppError(error)).toBe(true);
    expect(isAppError(Object.assign(new Error("x"), { name: "AppError", code: "gone" }))).toBe(true);
    for (const other of [new Error("x"), { name: "AppError", code: "gone" }, null, "AppError"])
      expect(isAppError(other)).toBe(false);
    // Errors of Node and of databases have codes too.
    expect(isAppError(Object.assign(new Error("x"), { code: "gone" }))).toBe(false);
    expect(isAppError(Object.assign(new Error("x"), { name: "AppError" }))).toBe(false);
  });

  it("are in the audit log only if they are marked as such", () => {
    const error = new AppError("forbidden", "No.");
    expect(error.audited).toBe(false);
    expect(audited(error)).toBe(error);
    expect(error.audited).toBe(true);
  });

  it("have the status that clients of the API know", () => {
    expect(ERROR_STATUS).toEqual({
      bad_request: 400,
      unauthenticated: 401,
      forbidden: 403,
      step_up_required: 403,
      confirmation_required: 403,
      not_found: 404,
      conflict: 409,
      gone: 410,
      precondition_failed: 412,
      too_large: 413,
      unsupported_media: 415,
      too_many: 429,
      unavailable: 503,
    });
  });
});

describe("turns", () => {
  it("interleaves lists: the first item of each list comes before any second item", () => {
    expect(interleaved([["a1", "a2", "a3"], [], ["b1"], ["c1", "c2"]])).toEqual([
      "a1",
      "b1",
      "c1",
      "a2",
      "c2",
      "a3",
    ]);
    expect(interleaved([])).toEqual([]);
  });
});

it.each([
  { case: "is slow", ahead: -20 * MINUTE, shown: 5 * MINUTE },
  { case: "is ahead", ahead: 20 * MINUTE, shown: 25 * MINUTE },
  { case: "has another date", ahead: -2 * DAY, shown: 5 * MINUTE - 2 * DAY },
])("a clock that $case", ({ ahead, shown }) => {
  const server = Date.UTC(2026, 10, 20);
  let now = server + ahead;
  const clock = serverClock(server, () => now);
  now += 5 * MINUTE;
  expect(clock() - server).toBe(shown);
});
