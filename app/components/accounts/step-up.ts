import { useSyncExternalStore } from "react";

type Waiting = { settle: (confirmed: boolean) => void; answer: Promise<boolean> };

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();

function change(next: Waiting | undefined) {
  waiting = next;
  for (const listener of listeners) listener();
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
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting !== undefined,
    () => false,
  );
}
