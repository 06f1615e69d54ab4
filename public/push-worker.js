// The service worker of an installed Odin and of browsers with push. It shows pushes, and a page of its own while Odin
// cannot be reached, with the last hits. It caches nothing else: no page, picture or answer.
//
// A push names a hit and nothing else; what is shown is the same for every hit, and who may see it is decided when it is
// opened. The last hits are encrypted. They are deleted at a sign-out, when someone else signs in, and after the session's end.
"use strict";

const BODY = "Hotlist hit. Open Odin.";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(activate()));

async function activate() {
  // Pages are requested while the worker starts, so that it costs no time.
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
  await inTurn(openSession);
}

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
    icon: "/icon-192.png",
    requireInteraction: true,
    data: { id },
  });
  const badge = Number.isSafeInteger(message.badge) ? self.navigator.setAppBadge?.(message.badge) : undefined;
  event.waitUntil(Promise.all([shown, Promise.resolve(badge).catch(() => {}), inTurn(openSession)]));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const id = event.notification.data?.id;
  const path = id ? `/alert-history-detail/${encodeURIComponent(id)}` : "/alerts";
  event.waitUntil(show(path));
});

async function show(path) {
  const url = new URL(path, self.location.origin).href;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((window) => window.url === url);
  return there ? there.focus() : self.clients.openWindow(url);
}

// The browser has made itself a new address. Odin learns of it if the user who turned push on here is signed in;
// otherwise from that user's next page (components/alerts/push/this-browser.ts).
self.addEventListener("pushsubscriptionchange", (event) => {
  event.waitUntil(renew(event.oldSubscription, event.newSubscription));
});

const BACKGROUND = { "odin-background": "1" };

async function renew(before, after) {
  const options = before?.options ?? (await self.registration.pushManager.getSubscription())?.options;
  const subscription = after ?? (options && (await self.registration.pushManager.subscribe(options)));
  const owner = await open("readonly", (store) => store.get("owner"), PUSH);
  if (!subscription || !owner || (await signedIn()) !== owner) return;
  await fetch("/push/devices", {
    method: "POST",
    headers: { ...BACKGROUND, "content-type": "application/json" },
    body: JSON.stringify({ channel: "webpush", subscription: subscription.toJSON(), name: "Browser" }),
  });
}

async function signedIn() {
  const answer = await fetch("/session-time", { headers: BACKGROUND });
  return answer.ok ? (await answer.json()).username : undefined;
}

const notePushOwner = ({ username }) => open("readwrite", (store) => store.put(username, "owner"), PUSH);

// Pages of Odin tell what to keep. `session`: whose session it is and until when it lasts at least. `hits`: the newest
// hits. `forget`: no one is signed in any more. `push-owner`: who turned push on in this browser.
self.addEventListener("message", (event) => {
  const message = event.data ?? {};
  if (message.type === "session") event.waitUntil(inTurn(() => noteSession(message)));
  if (message.type === "hits") event.waitUntil(inTurn(() => keepHits(message)));
  if (message.type === "forget") event.waitUntil(inTurn(forget));
  if (message.type === "push-owner") event.waitUntil(inTurn(() => notePushOwner(message)));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate" && request.method === "GET") event.respondWith(navigate(event));
  // However someone signs out, with scripts or without.
  else if (new URL(request.url).pathname === "/logout") event.waitUntil(inTurn(forget));
});

async function navigate(event) {
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(event.request));
    // The sign-in screen: everyone who is signed in is sent on from here.
    const isSignIn = new URL(event.request.url).pathname === "/" && answer.ok;
    if (isSignIn) event.waitUntil(inTurn(forget));
    return answer;
  } catch {
    const kept = await inTurn(readHits).catch(() => undefined);
    return new Response(offlinePage(kept, event.request.url), {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
        "cache-control": "no-store",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
      },
    });
  }
}

// What is kept: `session` { username, until }, `key` (cannot be exported), `hits` { at, iv, sealed }.

const OFFLINE = "odin-offline";
/** Apart from what `forget` deletes: { owner }, the username. */
const PUSH = "odin-push";

let last = Promise.resolve();

/** Runs one piece of work after the other: messages arrive faster than the database answers. */
function inTurn(work) {
  last = last.then(work, work);
  return last;
}

function open(mode, work, name = OFFLINE) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction("kept", mode);
      const asked = work(transaction.objectStore("kept"));
      transaction.oncomplete = () => {
        database.close();
        resolve(asked?.result);
      };
      transaction.onabort = transaction.onerror = () => {
        database.close();
        reject(transaction.error);
      };
    };
  });
}

const read = (name) => open("readonly", (store) => store.get(name));
const write = (name, value) => open("readwrite", (store) => store.put(value, name));

async function forget() {
  await open("readwrite", (store) => store.clear());
  await self.navigator.clearAppBadge?.().catch(() => {});
}

async function noteSession({ username, until }) {
  const before = await read("session");
  if (before && before.username !== username) await forget();
  await write("session", { username, until });
}

async function keepHits({ username, hits }) {
  const session = await openSession();
  if (!session) return;
  // A page that another user's sign-in left open, or the session of the user before.
  if (session.username !== username) return forget();
  let key = await read("key");
  if (!key) {
    key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    await write("key", key);
  }
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const text = new TextEncoder().encode(JSON.stringify(hits));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bytesOf(username) }, key, text);
  await write("hits", { at: Date.now(), iv, sealed });
}

const bytesOf = (text) => new TextEncoder().encode(text);

/** Returns the session that is known to last, and deletes everything after its end. */
async function openSession() {
  const session = await read("session");
  const kept = session && (await read("hits"));
  // A clock that was set back would make the session last longer.
  const isBack = kept !== undefined && Date.now() < kept.at;
  if (session && Date.now() < session.until && !isBack) return session;
  if (session) await forget();
  return undefined;
}

async function readHits() {
  const session = await openSession();
  const [key, kept] = session ? [await read("key"), await read("hits")] : [];
  if (!key || !kept) return undefined;
  const { at, iv, sealed } = kept;
  const additionalData = bytesOf(session.username);
  const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, key, sealed);
  return { hits: JSON.parse(new TextDecoder().decode(text)), at, until: session.until };
}

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const html = (text) => String(text ?? "").replace(/[&<>"']/g, (character) => ENTITIES[character]);

function timeOf(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "unknown";
  const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" };
  return date.toLocaleString("sv-SE", { ...parts, timeZoneName: "short" });
}

const STYLE = `
  :root { color-scheme: light dark; --text: light-dark(#16202a, #e6ebef); --muted: light-dark(#52606d, #9aa7b3);
    --ground: light-dark(#f3f5f6, #10161b); --raised: light-dark(#fff, #182027); --line: light-dark(#d5dce1, #2c3740);
    --accent: light-dark(#0b5cad, #7db8f5); --hit: light-dark(#b3261e, #ff8a80); }
  body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
  main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem; }
  h1 { font-size: 1.375rem; margin: 0 0 0.25rem; }
  h2 { font-size: 1.125rem; margin: 1.5rem 0 0.25rem; }
  p { margin: 0 0 0.75rem; }
  .muted { color: var(--muted); }
  a.button { display: inline-flex; min-height: 2.75rem; align-items: center; padding: 0 1rem; border-radius: 0.375rem;
    border: 1px solid var(--line); background: var(--raised); color: var(--accent); font-weight: 600; text-decoration: none; }
  ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 0.5rem; }
  li { border: 1px solid var(--line); border-radius: 0.375rem; background: var(--raised); padding: 0.75rem; overflow-wrap: anywhere; }
  .plate { font: 600 1.125rem/1.4 ui-monospace, monospace; }
  .high { color: var(--hit); font-weight: 600; }
`;

function offlinePage(kept, address) {
  const list = !kept
    ? `<p>No hits are kept on this device. The newest ones are kept while you are signed in.</p>`
    : kept.hits.length === 0
      ? `<p>There were no hits in the last week.</p>`
      : `<ol>${kept.hits.map(hitItem).join("")}</ol>`;
  const heading = kept
    ? `<h2>Last hits</h2><p class="muted">As of ${html(timeOf(kept.at))}, without pictures. They are deleted when you sign out, or when your session ends at ${html(timeOf(kept.until))}.</p>`
    : `<h2>Last hits</h2>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Offline · Odin</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>You are offline</h1>
<p>Odin cannot be reached. Searches, pictures and new hits need a connection.</p>
<p><a class="button" href="${html(address)}">Try again</a></p>
${heading}
${list}
</main>
</body>
</html>`;
}

function hitItem({ plate, state, priority, timestamp, camera, group, reason, match }) {
  const rank = priority === "high" ? ` <span class="high">High priority</span>` : "";
  return `<li><div><span class="plate">${html(plate)}</span> ${html(state)}${rank}</div>
<div>${html(reason)}</div>
<div class="muted">${html(match)}</div>
<div class="muted">${html(group)} · ${html(camera)} · ${html(timestamp === null ? "time unknown" : timeOf(timestamp))}</div></li>`;
}
