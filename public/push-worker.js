// Shows pushes while Odin is not open. A push names a hit and nothing else; what is shown is the same for every hit,
// and who may see it is decided when it is opened.
"use strict";

const BODY = "Hotlist hit. Open Odin.";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let message = {};
  try {
    message = event.data?.json() ?? {};
  } catch {
    // A push that cannot be read is still a hit.
  }
  const id = typeof message.alert_id === "string" ? message.alert_id : "";
  const shown = self.registration.showNotification("Odin", {
    body: BODY,
    // The same hit again takes the place of the first, and rings no second time.
    tag: id || "odin",
    icon: "/favicon.svg",
    requireInteraction: true,
    data: { id },
  });
  const badge = Number.isSafeInteger(message.badge) ? self.navigator.setAppBadge?.(message.badge) : undefined;
  event.waitUntil(Promise.all([shown, Promise.resolve(badge).catch(() => {})]));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const id = event.notification.data?.id;
  const path = id ? `/alert-history-detail/${encodeURIComponent(id)}` : "/alerts";
  event.waitUntil(open(path));
});

async function open(path) {
  const url = new URL(path, self.location.origin).href;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((window) => window.url === url);
  return there ? there.focus() : self.clients.openWindow(url);
}

// The browser has made itself a new address: Odin learns of it, if the session still stands.
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renew(event.oldSubscription, event.newSubscription));
});

async function renew(before, after) {
  const options = before?.options ?? (await self.registration.pushManager.getSubscription())?.options;
  const subscription = after ?? (options && (await self.registration.pushManager.subscribe(options)));
  if (!subscription) return;
  await fetch("/push/devices", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ channel: "webpush", subscription: subscription.toJSON(), name: "Browser" }),
  });
}
