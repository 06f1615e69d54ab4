import { afterEach, expect, test, vi } from "vitest";
import { askExport, runExport } from "#app/components/exports/run.ts";

afterEach(() => vi.unstubAllGlobals());

test("an export that the user cancels while its progress arrives is canceled, and any other that breaks off is not", async () => {
  const progress = `${JSON.stringify({ type: "started", id: "one", total: 2 })}\n`;
  const outcomeOf = async (cancel: boolean) => {
    const controller = new AbortController();
    vi.stubGlobal("fetch", async () => new Response(progress));
    const { kind } = await runExport({
      kind: "zip",
      body: { records: [{ id: "a" }], justification: "Stolen vehicle", case_number: "", result_id: "" },
      signal: controller.signal,
      onProgress: () => {
        if (cancel) controller.abort();
      },
    });
    return kind;
  };
  expect([await outcomeOf(true), await outcomeOf(false)]).toEqual(["cancelled", "failed"]);
});

test("polling an export does not count as use of the session", async () => {
  const send = vi.fn(async (_: string, init: RequestInit) => {
    expect(new Headers(init.headers).get("odin-background")).toBe("1");
    return Response.json({ id: "one" });
  });
  vi.stubGlobal("fetch", send);
  expect(await askExport("one")).toEqual({ id: "one" });
  send.mockResolvedValueOnce(new Response("{}", { status: 404 }));
  expect(await askExport("one")).toBe("gone");
  send.mockResolvedValueOnce(new Response("{}", { status: 503 }));
  expect(await askExport("one")).toBeUndefined();
  expect(send).toHaveBeenCalledTimes(3);
});
