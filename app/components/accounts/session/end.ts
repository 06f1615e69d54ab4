const ENDED = "odin:session-ended";
const BACK = "odin:session-back";

/** A call was answered with "sign in": the watch hides the page and asks; without a watch the sign-in screen comes. */
export function sessionHasEnded(): void {
  if (!isEndHeard()) location.assign("/");
}

/** Tells the watch that nobody is signed in any more; false where there is none. */
export function isEndHeard(): boolean {
  return !window.dispatchEvent(new Event(ENDED, { cancelable: true }));
}

/** Hears of a session that ended; gives what stops hearing. */
export function onSessionEnd(hear: () => void): () => void {
  const listener = (event: Event) => {
    event.preventDefault();
    hear();
  };
  window.addEventListener(ENDED, listener);
  return () => window.removeEventListener(ENDED, listener);
}

/** The same user has signed in again and the page stayed: what gave up asking the server may begin anew. */
export function sessionIsBack(): void {
  window.dispatchEvent(new Event(BACK));
}

/** Hears of a user who is back; gives what stops hearing. */
export function onSessionBack(hear: () => void): () => void {
  window.addEventListener(BACK, hear);
  return () => window.removeEventListener(BACK, hear);
}
