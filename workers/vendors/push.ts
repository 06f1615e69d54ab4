/**
 * Simulates Apple's push service and a browser's: both check requests as the real ones do, record the accepted pushes,
 * and answer with their own codes. Also simulates the browser, which makes subscriptions and decrypts payloads. Device
 * tokens that begin with `bad` are invalid; those that begin with `dead` belong to a phone that removed the app.
 */
import { base64url, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { pushSecrets } from "#app/lib/crypto/web-push-encryption.ts";

/** An accepted push. `id` is the apns-id, or the topic of a Web Push. */
type Taken = {
  channel: "apns" | "webpush";
  device: string;
  id: string;
  collapse: string;
  at: number;
  payload: unknown;
};

type Browser = { keys: CryptoKeyPair; point: Uint8Array<ArrayBuffer>; auth: Uint8Array<ArrayBuffer> };

const ECDH = { name: "ECDH", namedCurve: "P-256" } as const;
const ECDSA = { name: "ECDSA", namedCurve: "P-256" } as const;
const HOUR_S = 3600;

let taken: Taken[] = [];
let browsers = new Map<string, Browser>();
/** When the newest token of each signing key was issued, in seconds. */
let issued = new Map<string, number>();

/** Answers with the pushes accepted since the start or the last DELETE. */
export function handlePushLog(request: Request): Response {
  if (request.method === "DELETE") {
    taken = [];
    browsers = new Map();
    issued = new Map();
  }
  return Response.json(taken);
}

/** Returns the device that a call is for, so that a fault can affect one device. */
export function pushedDevice(path: string[]): string | null {
  return path[0] === "3" ? (path[2] ?? null) : (path[1] ?? null);
}

type Jwt = {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  signed: string;
  signature: string;
};

function readJwt(text: string): Jwt | null {
  const [head, body, signature] = text.split(".");
  try {
    const part = (value = "") =>
      JSON.parse(new TextDecoder().decode(fromBase64(value))) as Record<string, unknown>;
    return { header: part(head), claims: part(body), signed: `${head}.${body}`, signature: signature ?? "" };
  } catch {
    return null;
  }
}

const refusal = (status: number, reason: string) => Response.json({ reason }, { status });

/** POST /3/device/{token}, with Apple's checks and error codes. */
export async function handleApns(request: Request, device: string): Promise<Response> {
  const header = (name: string) => request.headers.get(name) ?? "";
  const token = readJwt(/^bearer (.+)$/.exec(header("authorization"))?.[1] ?? "");
  if (!token) return refusal(403, "MissingProviderToken");
  const now = Date.now() / 1000;
  const at = Number(token.claims.iat);
  const key = `${token.claims.iss}/${token.header.kid}`;
  if (token.header.alg !== "ES256" || !token.header.kid || !token.claims.iss || !(at <= now + 60))
    return refusal(403, "InvalidProviderToken");
  if (at < now - HOUR_S) return refusal(403, "ExpiredProviderToken");
  const before = issued.get(key);
  if (before !== undefined && at > before && at - before < HOUR_S / 3)
    return refusal(429, "TooManyProviderTokenUpdates");
  issued.set(key, Math.max(before ?? 0, at));
  if (header("apns-topic") === "") return refusal(400, "MissingTopic");
  if (header("apns-push-type") !== "alert") return refusal(400, "InvalidPushType");
  const id = header("apns-id");
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return refusal(400, "BadMessageId");
  if (header("apns-collapse-id").length > 64) return refusal(400, "BadCollapseId");
  if (!/^\d+$/.test(header("apns-expiration"))) return refusal(400, "BadExpirationDate");
  if (!/^[0-9a-f]{64,200}$/.test(device) || device.startsWith("bad")) return refusal(400, "BadDeviceToken");
  if (device.startsWith("dead")) return refusal(410, "Unregistered");
  const body = await request.text();
  if (body.length > 4096) return refusal(413, "PayloadTooLarge");
  const collapse = header("apns-collapse-id");
  taken.push({ channel: "apns", device, id, collapse, at: Date.now(), payload: JSON.parse(body) });
  return new Response(null, { status: 200, headers: { "apns-id": id } });
}

/** POST /_simulator/push/subscriptions: creates a browser with a subscription. */
export async function handleSubscribe(url: URL): Promise<Response> {
  const keys = (await crypto.subtle.generateKey(ECDH, true, ["deriveBits"])) as CryptoKeyPair;
  const point = new Uint8Array((await crypto.subtle.exportKey("raw", keys.publicKey)) as ArrayBuffer);
  const auth = crypto.getRandomValues(new Uint8Array(16));
  const id = base64url(crypto.getRandomValues(new Uint8Array(18)));
  browsers.set(id, { keys, point, auth });
  const subscription = { p256dh: base64url(point), auth: base64url(auth) };
  return Response.json({ endpoint: `${url.origin}/wpush/${id}`, expirationTime: null, keys: subscription });
}

/** POST /wpush/{id}: RFC 8030 with VAPID. Verifies the signature and decrypts the payload as the browser would. */
export async function handleWebPush(request: Request, id: string): Promise<Response> {
  const header = (name: string) => request.headers.get(name) ?? "";
  const browser = browsers.get(id);
  // A subscription that was made with a key which Odin no longer has.
  if (id.startsWith("former"))
    return new Response("the VAPID credentials do not correspond to the subscription", { status: 403 });
  if (!browser) return new Response("push subscription has unsubscribed or expired", { status: 410 });
  if (!(await isVapid(header("authorization"), new URL(request.url).origin)))
    return new Response("the VAPID credentials are not valid", { status: 403 });
  if (!/^\d+$/.test(header("ttl"))) return new Response("TTL is missing", { status: 400 });
  const topic = header("topic");
  if (!/^[\w-]{1,32}$/.test(topic)) return new Response("Topic is wrong", { status: 400 });
  if (header("content-encoding") !== "aes128gcm") return new Response("encoding", { status: 415 });
  const body = new Uint8Array(await request.arrayBuffer());
  if (body.length > 4096) return new Response("too large", { status: 413 });
  const payload = JSON.parse(await opened(browser, body)) as { alert_id?: string };
  taken.push({
    channel: "webpush",
    device: id,
    id: topic,
    collapse: String(payload.alert_id),
    at: Date.now(),
    payload,
  });
  return new Response(null, { status: 201, headers: { location: `/m/${topic}` } });
}

async function isVapid(authorization: string, origin: string): Promise<boolean> {
  const [, token = "", point = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const jwt = readJwt(token);
  if (!jwt || jwt.claims.aud !== origin) return false;
  const left = Number(jwt.claims.exp) - Date.now() / 1000;
  if (!(left > 0 && left <= 24 * HOUR_S)) return false;
  const key = await crypto.subtle.importKey("raw", fromBase64(point), ECDSA, false, ["verify"]);
  const data = new TextEncoder().encode(jwt.signed);
  return crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, fromBase64(jwt.signature), data);
}

/** Decrypts the single record of a message (RFC 8188): salt, size, the sender's public key, ciphertext. */
async function opened({ keys, point, auth }: Browser, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const ends = 21 + (body[20] ?? 0);
  const [salt, sender] = [body.slice(0, 16), body.slice(21, ends)];
  const key = await crypto.subtle.importKey("raw", sender, ECDH, false, []);
  const algorithm = { name: "ECDH", public: key };
  const shared = new Uint8Array(await crypto.subtle.deriveBits(algorithm, keys.privateKey, 256));
  const secrets = await pushSecrets({ shared, auth, salt, receiver: point, sender });
  const aes = await crypto.subtle.importKey("raw", secrets.key, "AES-GCM", false, ["decrypt"]);
  const plain = new Uint8Array(
    await crypto.subtle.decrypt({ name: "AES-GCM", iv: secrets.nonce }, aes, body.slice(ends)),
  );
  return new TextDecoder().decode(plain.subarray(0, plain.lastIndexOf(2)));
}
