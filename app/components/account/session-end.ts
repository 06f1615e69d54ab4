const ENDED = "odin:session-ended";

/** A call was answered with "sign in": the watch hides the page and asks; without a watch the sign-in screen comes. */
export function sessionHasEnded(): void {
  const unheard = window.dispatchEvent(new Event(ENDED, { cancelable: true }));
  if (unheard) location.assign("/");
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
