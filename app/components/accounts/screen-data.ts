import { isEndHeard } from "#app/components/accounts/session/end.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { SECOND } from "#app/lib/time/dates.ts";

/** How long after a silence a screen's data is asked for again: doubled each time, up to the longest. */
const FIRST_WAIT_MS = SECOND;
const LONGEST_WAIT_MS = 15 * SECOND;

/**
 * Keeps the page where it is when the next screen's data does not come: an error would take its place, and with it
 * would go what was typed there. Where nobody answers it is asked again until somebody does, which is said. Where the
 * session has ended the question stays open until the router gives it up, as it does when the lock asks anew or calls
 * it off.
 *
 * Remix asks through the window's own fetch and has no other place to step in.
 */
export function keepPageStanding(): void {
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const signal = init?.signal;
    // A form is never sent twice.
    const isForm = (init?.method ?? "GET") !== "GET";
    if (isForm || !signal || !(input instanceof URL) || !input.pathname.endsWith(".data"))
      return send(input, init);
    const answer = await untilReached(() => send(input, init), signal);
    if (answer.status !== 401 || !isEndHeard()) return answer;
    return new Promise((_, reject) => onAbort(signal, reject));
  };
}

function onAbort(signal: AbortSignal, tell: (reason: unknown) => void): void {
  if (signal.aborted) tell(signal.reason);
  else signal.addEventListener("abort", () => tell(signal.reason), { once: true });
}

async function untilReached(ask: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  let notice: number | undefined;
  try {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted) throw error;
      }
      notice ??= notify.error("Odin cannot be reached.", {
        description: "It is asked again until it answers. What stands on this page stays.",
      });
      await pause(wait, signal);
    }
  } finally {
    if (notice !== undefined) notify.dismiss(notice);
  }
}

/** Ends early when the network is back; rejects when the question is given up. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    addEventListener("online", () => resolve(), { once: true, signal });
    onAbort(signal, (reason) => {
      clearTimeout(timer);
      reject(reason);
    });
  });
}
