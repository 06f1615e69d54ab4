import { isEndHeard } from "./session-end.ts";

/**
 * Keeps the page where it is when the next screen's data is refused because the session has ended: an answer that
 * fails would put the lock in the page's place, and with it would go what was typed there. The question stays open
 * until the router gives it up, which it does when the lock asks anew or calls it off.
 *
 * Remix asks through the window's own fetch and has no other place to step in.
 */
export function holdScreensOfEndedSessions(): void {
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const answer = await send(input, init);
    const signal = init?.signal;
    const isScreen = input instanceof URL && input.pathname.endsWith(".data");
    if (!isScreen || !signal || answer.status !== 401 || !isEndHeard()) return answer;
    return new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason);
      else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  };
}
