import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startRetrying } from "#app/components/ui/lazy-slot.tsx";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("a part without a place is loaded again after pauses that double, until it is there", async () => {
  const load = vi.fn(() => Promise.reject(new Error("no network")));
  startRetrying(load, new EventTarget());
  for (const [seconds, calls] of [
    [4, 0],
    [1, 1],
    [9, 1],
    [1, 2],
    [20, 3],
  ] as const) {
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    expect(load).toHaveBeenCalledTimes(calls);
  }
  load.mockResolvedValue(undefined as never);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(load).toHaveBeenCalledTimes(4);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(load).toHaveBeenCalledTimes(4);
});

it("a part without a place is loaded at once when the network is back, once at a time", async () => {
  const network = new EventTarget();
  const load = vi.fn(() => new Promise<void>((_, reject) => setTimeout(reject, 1000)));
  const end = startRetrying(load, network);
  network.dispatchEvent(new Event("online"));
  network.dispatchEvent(new Event("online"));
  expect(load).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1000);
  network.dispatchEvent(new Event("online"));
  expect(load).toHaveBeenCalledTimes(2);
  end();
  await vi.advanceTimersByTimeAsync(1_000_000);
  network.dispatchEvent(new Event("online"));
  expect(load).toHaveBeenCalledTimes(2);
});
