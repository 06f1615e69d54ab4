import { Suspense, useEffect, useSyncExternalStore } from "react";
import { lazyPart } from "#app/components/ui/lazy-slot.tsx";
import type { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { createListeners } from "#app/lib/listeners.ts";

// Lazy-loaded, to keep the first load small.
const PastReadsDialog = lazyPart(async () => (await import("./past-reads.tsx")).PastReadsDialog, {
  quiet: true,
});

let question: PastReadsQuestion | undefined;
const listeners = createListeners();

/** Shows the past reads of a plate, even after the part of the screen that offered them is gone. */
export function showPastReads(next: PastReadsQuestion | undefined): void {
  question = next;
  listeners.notify();
}

/** The dialog that `showPastReads` opens. The layout renders one. */
export function PastReadsSlot() {
  const shown = useSyncExternalStore(
    listeners.subscribe,
    () => question,
    () => undefined,
  );
  // Cleared, so that the next user who signs in on this page does not see it.
  useEffect(() => () => showPastReads(undefined), []);
  return (
    <Suspense>
      {shown && <PastReadsDialog question={shown} onClose={() => showPastReads(undefined)} />}
    </Suspense>
  );
}
