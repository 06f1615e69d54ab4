import { useSyncExternalStore } from "react";
import { createListeners } from "#app/lib/listeners.ts";

type Waiting = { settle: (confirmed: boolean) => void; answer: Promise<boolean> };

let waiting: Waiting | undefined;
const listeners = createListeners();

function change(next: Waiting | undefined) {
  waiting = next;
  listeners.notify();
}

/** Opens the dialog and returns whether the user confirmed their identity. Concurrent calls share one dialog. */
export function askForStepUp(): Promise<boolean> {
  if (waiting) return waiting.answer;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  change({ settle: resolve, answer: promise });
  return promise;
}

/** Closes the dialog and resolves the waiting calls. */
export function settleStepUp(confirmed: boolean): void {
  const before = waiting;
  change(undefined);
  before?.settle(confirmed);
}

export function useStepUpIsOpen(): boolean {
  return useSyncExternalStore(
    listeners.subscribe,
    () => waiting !== undefined,
    () => false,
  );
}
