import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { applyProgress, runSearch, waitingSources } from "#app/components/search/form/run.ts";
import { announcement, byProgram, sourceLook } from "#app/components/search/sources.ts";
import type { SearchProgress, SourceStatus } from "#app/entities/search/query.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { jsonLines } from "#app/lib/json/lines.ts";

const source = (changes: Partial<SourceStatus> = {}): SourceStatus => ({
  sourceId: "key-1",
  program: "Rekor",
  agency: "Hartford Police Department",
  state: "waiting",
  reads: 0,
  truncated: false,
  message: "",
  milliseconds: 0,
  ...changes,
});

const request = SearchRequest.parse({
  justification: "Case 26-1042",
  start_time: "2026-11-19T00:00:00Z",
  end_time: "2026-11-20T00:00:00Z",
  agencies: ["key-1"],
});

function streamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe("JSON lines", () => {
  test("are read the same for any chunk boundaries", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string({ unit: "binary" }), n: fc.integer() })),
        fc.array(fc.nat(400), { maxLength: 6 }),
        async (values, cuts) => {
          const whole = bytes(values.map((value) => JSON.stringify(value)).join("\n"));
          const edges = [
            0,
            ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b),
            whole.length,
          ];
          const chunks = edges.slice(1).map((end, i) => whole.slice(edges[i], end));
          expect(await all(jsonLines(streamOf(chunks)))).toEqual(values);
        },
      ),
    );
  });

  test("throws for a line that is not JSON", async () => {
    await expect(all(jsonLines(streamOf([bytes('{"a":1}\n<html>\n')])))).rejects.toThrow(SyntaxError);
  });
});

describe("a search", () => {
  afterEach(() => vi.unstubAllGlobals());

  async function run(answer: (init: RequestInit) => Response | Promise<Response>) {
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => answer(init));
    const reported: SearchProgress[] = [];
    const controller = new AbortController();
    const outcome = await runSearch({
      request,
      signal: controller.signal,
      onProgress: (one) => reported.push(one),
    });
    return { outcome, reported };
  }

  const lines = (...values: unknown[]) =>
    new Response(values.map((value) => `${JSON.stringify(value)}\n`).join(""));

  test("reports every progress line and returns the result", async () => {
    const started = { type: "started", sources: [source()] };
    const status = { type: "status", source: source({ state: "ok", reads: 3 }) };
    const { outcome, reported } = await run((init) => {
      expect(JSON.parse(String(init.body))).toEqual(request);
      expect(new Headers(init.headers).get("accept")).toBe("application/x-ndjson");
      return lines(started, status, { type: "done", resultId: "r1", count: 3 });
    });
    expect(outcome).toEqual({ kind: "done", resultId: "r1", count: 3 });
    expect(reported).toEqual([started, status]);
  });

  test("a 4xx is a refusal with the message of the server", async () => {
    const answer = () =>
      Response.json({ message: "A plate has letters, digits, * and ? only." }, { status: 400 });
    expect((await run(answer)).outcome).toEqual({
      kind: "refused",
      message: "A plate has letters, digits, * and ? only.",
      problems: {},
    });
    const withoutMessage = () => new Response("<h1>no</h1>", { status: 413 });
    expect((await run(withoutMessage)).outcome).toEqual({
      kind: "refused",
      message: "Search failed.",
      problems: {},
    });
  });

  test("a 401 means signed out", async () => {
    expect((await run(() => Response.json({}, { status: 401 }))).outcome).toEqual({ kind: "signed-out" });
  });

  test.each<[string, () => Response]>([
    ["a 5xx", () => new Response("", { status: 503 })],
    ["a failed line", () => lines({ type: "failed", message: "Search failed." })],
    ["a stream that ends early", () => lines({ type: "started", sources: [] })],
    ["a response that is not JSON", () => new Response("<html>")],
    [
      "a network error",
      () => {
        throw new TypeError("Failed to fetch");
      },
    ],
  ])("%s fails", async (_, answer) => {
    expect((await run(answer)).outcome).toEqual({ kind: "failed" });
  });

  test("is reported as canceled if it is aborted", async () => {
    const controller = new AbortController();
    vi.stubGlobal("fetch", async () => {
      controller.abort();
      throw controller.signal.reason;
    });
    const outcome = await runSearch({ request, signal: controller.signal, onProgress: () => {} });
    expect(outcome).toEqual({ kind: "cancelled" });
  });
});

describe("progress", () => {
  test("starts with all selected agencies waiting, then follows the server", () => {
    const waiting = waitingSources([
      { program: "Axis", key: "a1", name: "Berlin", identifiers: ["c"], aliases: [] },
    ]);
    expect(waiting).toEqual([source({ sourceId: "a1", program: "Axis", agency: "Berlin" })]);
    const started = applyProgress(waiting, {
      type: "started",
      sources: [source(), source({ program: "Axon" })],
    });
    const after = applyProgress(started, {
      type: "status",
      source: source({ program: "Axon", state: "slow" }),
    });
    expect(after.map((one) => one.state)).toEqual(["waiting", "slow"]);
  });

  test("a program is announced when it has finished, with its failures", () => {
    const sources = [
      source({ state: "ok", reads: 1203 }),
      source({ sourceId: "key-2", state: "failed", message: "refused our key" }),
      source({ program: "Axon", state: "asking" }),
    ];
    expect(announcement(byProgram(sources))).toBe(
      "Rekor: 1 of 2 answered, 1 without an answer · 1,203 reads.",
    );
  });

  test("a program without any answer is not reported as having no reads", () => {
    const silent = byProgram([
      source({ state: "failed" }),
      source({ sourceId: "key-2", state: "unsupported" }),
    ]);
    expect(announcement(silent)).toBe("Rekor: 0 of 2 answered, 2 without an answer.");
  });

  test("every state has its own text, and a failure never reads as no reads", () => {
    const states = ["waiting", "asking", "slow", "ok", "failed", "unsupported", "cancelled"] as const;
    const words = states.map((state) => sourceLook(source({ state })).words);
    expect(new Set(words).size).toBe(states.length);
    expect(sourceLook(source({ state: "ok", reads: 5, truncated: true })).words).toBe("5 reads, more exist");
    expect(sourceLook(source({ state: "failed", message: "refused our key" })).words).toBe(
      "Failed: refused our key",
    );
    expect(sourceLook(source({ state: "slow", reads: 2 })).words).toBe("Slow, 2 reads so far");
  });
});
