import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addPendingExport, dropPendingExport, pendingExports } from "#app/components/exports/pending.ts";

beforeEach(() => {
  const storage = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
  });
});
afterEach(() => vi.unstubAllGlobals());

it("pending exports are kept per user of a browser, until the user was told about them", () => {
  addPendingExport("ann", "report-1");
  addPendingExport("ann", "report-2");
  addPendingExport("ben", "report-3");
  expect([pendingExports("ann"), pendingExports("ben")]).toEqual([["report-1", "report-2"], ["report-3"]]);
  // The server answers another user that there is no such export.
  dropPendingExport("ben", "report-1");
  dropPendingExport("ann", "report-2");
  expect([pendingExports("ann"), pendingExports("ben")]).toEqual([["report-1"], ["report-3"]]);
});
