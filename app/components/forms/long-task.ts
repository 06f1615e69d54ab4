import { useEffect, useRef, useState } from "react";
import { type Answer, notifyFailure } from "./api.ts";

/** The answer to one part of a long task; `next` is null after the last part. */
type Part = { next: unknown };

/** Calls the server for the part that follows `before`. */
type Ask<T> = (before: T | undefined, signal: AbortSignal) => Promise<Answer<T>>;

/** Asks part by part. Returns the last answer, or the first failure; undefined if the signal ended it. */
export async function askInParts<T extends Part>(
  ask: Ask<T>,
  { signal, onPart }: { signal: AbortSignal; onPart: (part: T) => void },
): Promise<Answer<T> | undefined> {
  for (let before: T | undefined; ; ) {
    const answer = await ask(before, signal);
    if (signal.aborted) return undefined;
    if (!answer.ok || answer.value.next === null) return answer;
    before = answer.value;
    onPart(before);
  }
}

/** A long task that the server does part by part. It ends when it is stopped, and when the user leaves the screen. */
export function useLongTask<T extends Part>() {
  const [last, setLast] = useState<T>();
  const [running, setRunning] = useState(false);
  const controller = useRef<AbortController>();
  useEffect(() => () => controller.current?.abort(), []);

  /** Returns the last answer; undefined if the task was stopped or failed, which is reported. */
  async function start(ask: Ask<T>): Promise<T | undefined> {
    controller.current?.abort();
    const started = new AbortController();
    controller.current = started;
    setLast(undefined);
    setRunning(true);
    const answer = await askInParts(ask, { signal: started.signal, onPart: setLast });
    if (!answer) return undefined;
    const value = answer.ok ? answer.value : undefined;
    setLast(value);
    setRunning(false);
    // The task only reads, or continues from where it was.
    if (!answer.ok && !answer.declined) notifyFailure({ ...answer, loss: "" });
    return value;
  }

  function stop() {
    controller.current?.abort();
    setRunning(false);
  }

  return {
    /** The answer to the latest part; it stays when the task ends. */
    last,
    running,
    start,
    stop,
  };
}
