import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { SECOND } from "#app/lib/time/dates.ts";
import { Button } from "./button.tsx";

/** Renders lazy parts only in the browser and after the screen itself, to keep the first load small. */
export function LazySlot({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return mounted ? <Suspense fallback={fallback}>{children}</Suspense> : fallback;
}

/**
 * A part of a screen whose code is loaded when it is first rendered. If loading fails, the rest of the screen stays,
 * and the part says so and can be loaded again. A quiet part has no room for a message: it shows nothing and retries by
 * itself.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>, { quiet = false } = {}) {
  let loaded: ComponentType<P> | undefined;

  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when its module is loaded
  function NotLoaded(props: P) {
    const [Part, setPart] = useState(() => loaded);
    if (Part) return <Part {...props} />;
    const again = async () => {
      const part = await load();
      loaded = part;
      setPart(() => part);
    };
    return quiet ? <QuietRetry again={again} /> : <Retry again={again} />;
  }

  // React keeps the result of a failed load, so the load never fails: it returns a replacement for the part.
  return lazy<ComponentType<P>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: NotLoaded }),
    ),
  );
}

type RetryProps = { again: () => Promise<void> };

function Retry({ again }: RetryProps) {
  const [pending, setPending] = useState(false);
  // A new version of Odin has other files, which only a reloaded page knows.
  const [isGone, setGone] = useState(false);
  async function retry() {
    setPending(true);
    try {
      await again();
    } catch {
      setPending(false);
      setGone(navigator.onLine);
    }
  }
  return (
    <div
      role="alert"
      className="m-auto flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line bg-raised px-3 py-1.5 text-sm"
    >
      This part could not be loaded.
      <Button
        size="sm"
        pending={pending}
        pendingLabel="Loading…"
        onClick={isGone ? () => location.reload() : retry}
      >
        {isGone ? "Reload page" : "Try again"}
      </Button>
    </div>
  );
}

function QuietRetry({ again }: RetryProps) {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => startRetrying(() => latest.current(), window), []);
  return null;
}

const FIRST_PAUSE_MS = 5 * SECOND;

/**
 * Repeats an action until it succeeds: after pauses that double, and whenever the network returns. Returns a function
 * that stops it.
 */
export function startRetrying(act: () => Promise<void>, network: EventTarget): () => void {
  let pause = FIRST_PAUSE_MS;
  let timer = setTimeout(retry, pause);
  let isPending = false;
  let hasEnded = false;
  async function retry() {
    if (isPending) return;
    isPending = true;
    clearTimeout(timer);
    try {
      await act();
      end();
    } catch {
      isPending = false;
      pause *= 2;
      if (!hasEnded) timer = setTimeout(retry, pause);
    }
  }
  function end() {
    hasEnded = true;
    clearTimeout(timer);
    network.removeEventListener("online", retry);
  }
  network.addEventListener("online", retry);
  return end;
}
