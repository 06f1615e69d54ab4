import { describeClient } from "#app/entities/accounts/client-name.ts";
import type { NewDevice } from "#app/entities/alerts/push.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";

const WORKER = "/push-worker.js";

/** Returns why this browser cannot receive push notifications, or undefined if it can. */
export function pushProblemHere(): string | undefined {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "This browser cannot receive push notifications. On an iPhone, add Odin to the home screen first.";
  if (Notification.permission === "denied")
    return "The browser's settings block notifications from this site.";
  return undefined;
}

async function subscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Returns the hash that identifies this browser in the list of devices; null if it is not subscribed. */
export async function ownHash(): Promise<string | null> {
  if (pushProblemHere()) return null;
  const here = await subscription();
  return here && sha256(here.endpoint);
}

/** Asks for permission and subscribes. Returns what Odin stores. Throws an Error with a message for the user. */
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
    // A subscription with an older key blocks a new one.
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
