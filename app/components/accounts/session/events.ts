const ENDED = "odin:session-ended";
const BACK = "odin:session-back";

/**
 * Handles a 401: the session watch locks the page and asks the user to sign in again; without a watch, the browser goes
 * to the sign-in screen.
 */
export function sessionHasEnded(): void {
  if (!reportSessionEnd()) location.assign("/");
}

/** Tells the session watch that the session has ended. Returns false if the page has no watch. */
export function reportSessionEnd(): boolean {
  return !window.dispatchEvent(new Event(ENDED, { cancelable: true }));
}

/** Calls the listener when the session has ended. Returns a function that removes the listener. */
export function onSessionEnd(onEnd: () => void): () => void {
  const listener = (event: Event) => {
    event.preventDefault();
    onEnd();
  };
  window.addEventListener(ENDED, listener);
  return () => window.removeEventListener(ENDED, listener);
}

/** Announces that the same user signed in again on this page, so that polling can resume. */
export function sessionIsBack(): void {
  window.dispatchEvent(new Event(BACK));
}

/** Calls the listener when the user has signed in again. Returns a function that removes the listener. */
export function onSessionBack(onBack: () => void): () => void {
  window.addEventListener(BACK, onBack);
  return () => window.removeEventListener(BACK, onBack);
}

const CHANNEL = "odin-session";

/** Tells all windows of this browser whose session it is; empty if no one is signed in. */
export function announceSession(username: string): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(username);
  channel.close();
}

/** Calls the listener when a window announces whose session it is. Returns a function that removes the listener. */
export function onSessionAnnounced(listener: (username: string) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => listener(String(data));
  return () => channel.close();
}
