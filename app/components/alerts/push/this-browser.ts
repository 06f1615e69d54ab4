// This browser's push subscription and its user. A browser renews its subscription by itself, even while no one or
// another user is signed in, and a subscription made with a former key of Odin gets no pushes.

import { callApi } from "#app/components/forms/api.ts";
import { notePushOwner } from "#app/components/shell/offline.ts";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { describeClient } from "#app/entities/accounts/client-name.ts";
import type { NewDevice, PushDevice } from "#app/entities/alerts/push.ts";
import { base64url, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";

type User = Pick<CurrentUser, "id" | "username">;

const WORKER = "/push-worker.js";

/** The registration that a user made of this browser, by its hash in the list of devices; "" for none. */
const registration = (userId: string) => storedChoice(`odin-push.${userId}`, (text) => text ?? "");

/** Returns why this browser cannot receive push notifications, or undefined if it can. */
export function pushProblemHere(): string | undefined {
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return "This browser cannot receive push notifications. On an iPhone, add Odin to the home screen first.";
  if (Notification.permission === "denied")
    return "The browser's settings block notifications from this site.";
  return undefined;
}

async function subscription(): Promise<PushSubscription | null> {
  const worker = await navigator.serviceWorker.getRegistration(WORKER);
  return (await worker?.pushManager.getSubscription()) ?? null;
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
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: fromBase64(key) };
  let subscribed: PushSubscription;
  try {
    subscribed = await pushManager.subscribe(options);
  } catch {
    // A subscription with an older key blocks a new one.
    await (await pushManager.getSubscription())?.unsubscribe();
    subscribed = await pushManager.subscribe(options).catch(() => {
      throw new Error("The browser's push service could not be reached.");
    });
  }
  const { endpoint = "", keys = {} } = subscribed.toJSON();
  const { p256dh = "", auth = "" } = keys;
  return {
    channel: "webpush",
    subscription: { endpoint, keys: { p256dh, auth } },
    name: describeClient(navigator.userAgent),
  };
}

/** Ends this browser's subscription, and forgets that this user turned push on here. */
export async function unsubscribeHere(userId: string): Promise<void> {
  forgetHere(userId);
  await (await subscription())?.unsubscribe();
}

/** Notes that a user turned push on in this browser. */
export function rememberHere({ id, username }: User, hash: string): void {
  registration(id).set(hash);
  notePushOwner(username);
}

function forgetHere(userId: string): void {
  registration(userId).set("");
  notePushOwner("");
}

/**
 * Registers this browser again if the user turned push on in it and Odin does not push to its present subscription. A
 * device that is no longer in the user's list was removed elsewhere, or belongs to another user by now.
 */
export async function keepPushHere(user: User): Promise<void> {
  if (pushProblemHere() || Notification.permission !== "granted") return;
  const noted = registration(user.id).get();
  const here = await subscription();
  if (noted === "" && !here) return;
  const hash = here && (await sha256(here.endpoint));
  const list = await callApi<{ devices: PushDevice[] }>("/push/devices", { background: true });
  const found = await callApi<{ key: string }>("/push/key", { background: true });
  if (!list.ok || !found.ok) return;
  const deviceOf = (hash: string | null) => list.value.devices.find((device) => device.address_hash === hash);
  // The service worker may have registered the present subscription by itself.
  const device = deviceOf(hash) ?? deviceOf(noted);
  if (!device) {
    if (noted !== "") registration(user.id).set("");
    return;
  }
  const { key } = found.value;
  const isUsable = device.dropped_at === null && isMadeWith(here, key);
  if (isUsable && device.address_hash === hash) return rememberHere(user, hash);
  // A subscription that the push service refuses, or that was made with another key, is never used again.
  if (!isUsable) await here?.unsubscribe();
  const json = await subscribeHere(key);
  const added = await callApi<PushDevice>("/push/devices", { json, background: true });
  if (!added.ok) return;
  rememberHere(user, added.value.address_hash);
  if (added.value.id === device.id) return;
  await callApi(`/push/devices/${encodeURIComponent(device.id)}`, { method: "DELETE", background: true });
}

/** Returns whether a subscription was made with a key, as far as the browser reports it. */
function isMadeWith(here: PushSubscription | null, key: string): boolean {
  const subscribedKey = here?.options?.applicationServerKey;
  return !subscribedKey || base64url(new Uint8Array(subscribedKey)) === key;
}
