import { describeClient } from "#app/entities/accounts/client-name.ts";
import type { NewDevice } from "#app/entities/alerts/push.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";

const WORKER = "/push-worker.js";

/** Whether this browser can be rung, in words where it cannot. */
export function whyNotHere(): string | undefined {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "This browser cannot receive pushes. On an iPhone, add Odin to the home screen first.";
  if (Notification.permission === "denied")
    return "Notifications of this site are blocked in the browser's settings.";
  return undefined;
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** By what this browser knows itself in the list of devices; null where it is not subscribed. */
export async function ownHash(): Promise<string | null> {
  if (whyNotHere()) return null;
  const here = await subscription();
  return here && sha256(here.endpoint);
}

/** Asks for permission and subscribes; gives what Odin has to know. Throws an Error with words for the user. */
export async function subscribeHere(key: string): Promise<NewDevice> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser did not allow notifications.");
  await navigator.serviceWorker.register(WORKER);
  const registration = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: fromBase64(key) };
  let made: PushSubscription;
  try {
    made = await registration.pushManager.subscribe(options);
  } catch {
    // A subscription with another key than today's stands in the way of a new one.
    await (await registration.pushManager.getSubscription())?.unsubscribe();
    made = await registration.pushManager.subscribe(options).catch(() => {
      throw new Error("The browser's push service could not be reached.");
    });
  }
  const { endpoint = "", keys = {} } = made.toJSON();
  const { p256dh = "", auth = "" } = keys;
  return {
    channel: "webpush",
    subscription: { endpoint, keys: { p256dh, auth } },
    name: describeClient(navigator.userAgent),
  };
}

export async function unsubscribeHere(): Promise<void> {
  await (await subscription())?.unsubscribe();
}
