import { useSyncExternalStore } from "react";

type Waiting = { settle: (confirmed: boolean) => void; answer: Promise<boolean> };

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();

function change(next: Waiting | undefined) {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Opens the dialog and gives whether the user confirmed who they are; calls that ask at once share one dialog. */
export function askForStepUp(): Promise<boolean> {
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    change({ settle: resolve, answer: promise });
  }
  return (waiting as Waiting).answer;
}

/** Closes the dialog with its answer. */
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
