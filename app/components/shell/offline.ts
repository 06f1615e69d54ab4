// Messages to the service worker of an installed Odin (public/push-worker.js), which shows the last hits while Odin
// cannot be reached. Browsers in which Odin is neither installed nor allowed to push have no worker and keep nothing.

import type { LiveAlert } from "#app/entities/alerts/hit.ts";
import { MINUTE } from "#app/lib/time/dates.ts";

const WORKER = "/push-worker.js";

/** An unchanged list is sent again after this time, so that the worker's page shows how current it is. */
const SEND_AGAIN_MS = MINUTE;

let lastSent: { hits: readonly LiveAlert[]; at: number } | undefined;

type Message =
  | { type: "session"; username: string; until: number }
  | { type: "hits"; username: string; hits: object[] }
  | { type: "forget" }
  | { type: "push-owner"; username: string };

async function post(message: Message): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration(WORKER).catch(() => undefined);
  registration?.active?.postMessage(message);
}

/** Registers the worker if Odin is installed, or when it gets installed. Returns a function that stops waiting. */
export function registerWhenInstalled(onReady: () => void): () => void {
  if (!("serviceWorker" in navigator)) return () => {};
  const register = async () => {
    try {
      await navigator.serviceWorker.register(WORKER);
      await navigator.serviceWorker.ready;
      onReady();
    } catch {
      // Without the worker, Odin works as it does in a browser.
    }
  };
  // Safari has its own name for an app on the home screen.
  const isInstalled =
    matchMedia("(display-mode: standalone)").matches || Reflect.get(navigator, "standalone") === true;
  if (isInstalled) void register();
  window.addEventListener("appinstalled", register);
  return () => window.removeEventListener("appinstalled", register);
}

/** Sends the session's user and the earliest time at which it may end. Another user's hits are deleted. */
export function noteSession(username: string, until: number): void {
  // The worker accepts hits only for a session that it knows.
  lastSent = undefined;
  void post({ type: "session", username, until });
}

/** Deletes the kept hits and their number on the icon. */
export function forgetHits(): void {
  badgeIcon(0);
  void post({ type: "forget" });
}

/**
 * Sends the user who turned push on in this browser, because only that user's session renews its registration; "" for
 * no one.
 */
export function notePushOwner(username: string): void {
  void post({ type: "push-owner", username });
}

/** Keeps the newest hits for reading without a connection, but not their images. */
export function keepHits(username: string, hits: readonly LiveAlert[]): void {
  const now = Date.now();
  if (lastSent?.hits === hits && now - lastSent.at < SEND_AGAIN_MS) return;
  lastSent = { hits, at: now };
  const kept = hits.map(({ id, plate, state, priority, timestamp, camera, group, reason, match }) => {
    return { id, plate, state, priority, timestamp, camera, group, reason, match };
  });
  void post({ type: "hits", username, hits: kept });
}

/** Shows the number of unread hits on the icon of the installed app. */
export function badgeIcon(unread: number): void {
  if (!("setAppBadge" in navigator)) return;
  const showing = unread > 0 ? navigator.setAppBadge(unread) : navigator.clearAppBadge();
  // Badges are not allowed in a browser tab.
  showing.catch(() => {});
}
