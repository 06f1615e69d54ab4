import { afterEach, expect, test, vi } from "vitest";
import { askExport } from "#app/components/exports/run.ts";

afterEach(() => vi.unstubAllGlobals());

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
