import { expect, it, vi } from "vitest";
import { askInParts } from "#app/components/forms/long-task.ts";

type Part = { next: number | null };

/** A server that does three parts. */
const serve = async (before: Part | undefined) => {
  const done = (before?.next ?? 0) + 1;
  return { ok: true as const, value: { next: done === 3 ? null : done } };
};

it("a long task continues after each part, and returns the answer to the last one", async () => {
  const onPart = vi.fn();
  const end = await askInParts<Part>(serve, { signal: new AbortController().signal, onPart });
  expect(end).toEqual({ ok: true, value: { next: null } });
  expect(onPart.mock.calls).toEqual([[{ next: 1 }], [{ next: 2 }]]);
});

it("a long task asks for no further part after it was stopped, and after a failure", async () => {
  const stop = new AbortController();
  const ask = vi.fn(serve);
  const stopped = askInParts<Part>(ask, { signal: stop.signal, onPart: () => stop.abort() });
  expect(await stopped).toBeUndefined();
  expect(ask).toHaveBeenCalledTimes(2);

  const failure = {
    ok: false as const,
    message: "Failed",
    reference: "",
    status: 500,
    declined: false,
    loss: "",
  };
  const fail = vi.fn(async () => failure);
  const { signal } = new AbortController();
  expect(await askInParts<Part>(fail, { signal, onPart: () => {} })).toEqual(failure);
  expect(fail).toHaveBeenCalledTimes(1);
});
