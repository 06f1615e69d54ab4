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
