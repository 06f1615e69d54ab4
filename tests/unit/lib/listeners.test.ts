import { expect, it, vi } from "vitest";
import { createListeners } from "#app/lib/listeners.ts";

it("calls the listeners that are subscribed, each once, with what is passed", () => {
  const { subscribe, notify } = createListeners<[text: string]>();
  const [first, second] = [vi.fn(), vi.fn()];
  const stop = subscribe(first);
  subscribe(second);
  subscribe(second);
  notify("one");
  stop();
  notify("two");
  expect(first.mock.calls).toEqual([["one"]]);
  expect(second.mock.calls).toEqual([["one"], ["two"]]);
});
