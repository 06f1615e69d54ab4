import { scrypt } from "node:crypto";
import { base64url, fromBase64, hex } from "./encoding.ts";
import { allPeppers, parsePeppers } from "./peppers.ts";
import { equalInConstantTime, hmac } from "./primitives.ts";

/** The cost of scrypt: N as a power of two, block size r, parallelism p. */
export type ScryptCost = { log2N: number; r: number; p: number };

/** OWASP's scrypt parameters (2^14, 8, 5): 16 MiB and about 0.12 s in workerd, well within an isolate's 128 MB. */
export const SCRYPT_COST: ScryptCost = { log2N: 14, r: 8, p: 5 };

const KEY_BYTES = 32;

/** A hash that matches no password, for users without one. */
export const UNMATCHABLE_HASH = `scrypt$14,8,5$${"A".repeat(22)}$${"A".repeat(43)}`;

async function derive(
  password: string,
  pepper: string,
  salt: Uint8Array,
  cost: ScryptCost,
): Promise<Uint8Array> {
  // The HMAC accepts passwords of any length and makes a stolen table useless without the pepper.
  const keyed = hex(await hmac(pepper, password.normalize("NFKC")));
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const options = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem: 64 * 1024 * 1024 };
  scrypt(keyed, salt, KEY_BYTES, options, (error, key) =>
    error ? reject(error) : resolve(new Uint8Array(key)),
  );
  return promise;
}

/**
 * Hashes a password with a new 128-bit salt (CJIS IA-5(1)(a); OWASP password storage). A pepper is a secret key
 * outside the database.
 * Returns `scrypt$log2N,r,p$salt$hash`, with the pepper's version after p unless it is 1, so that cost and pepper
 * can be raised later. `peppers` is PASSWORD_PEPPER here and below.
 */
export async function hashPassword(
  password: string,
  peppers: string,
  cost: ScryptCost = SCRYPT_COST,
): Promise<string> {
  const { pepper, mark } = newestOf(peppers);
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const key = await derive(password, pepper, salt, cost);
  return `scrypt$${cost.log2N},${cost.r},${cost.p}${mark}$${base64url(salt)}$${base64url(key)}`;
}

function newestOf(peppers: string): { pepper: string; mark: string } {
  const { newest, byVersion } = parsePeppers(peppers);
  return { pepper: byVersion.get(newest) ?? "", mark: newest === 1 ? "" : `,${newest}` };
}

/**
 * Returns whether a password matches a stored hash. Throws if the text is not such a hash. Always costs one scrypt,
 * even if the pepper of the hash no longer exists and nothing can match.
 */
export async function verifyPassword(password: string, peppers: string, stored: string): Promise<boolean> {
  const { byVersion } = parsePeppers(peppers);
  const random = parseRandom(stored);
  const { cost, version, salt, key } = random
    ? { cost: SCRYPT_COST, version: random.version, salt: fromBase64(random.salt), key: null }
    : parseHash(stored);
  const pepper = byVersion.get(version) ?? newestOf(peppers).pepper;
  const derived = await derive(password, pepper, salt, cost);
  const matches = random
    ? equalInConstantTime(await macOf(pepper, random.salt, password), random.mac)
    : key !== null && equalInConstantTime(derived, key);
  return byVersion.has(version) && matches;
}

/**
 * Hashes a random, single-use secret of at least 64 bits. A keyed hash is enough for a secret that cannot be
 * guessed, and is fast enough for an upload of ten thousand users. Returns `random$salt$mac`, with the pepper's
 * version as above.
 */
export async function hashRandomPassword(password: string, peppers: string): Promise<string> {
  const { pepper, mark } = newestOf(peppers);
  const salt = base64url(crypto.getRandomValues(new Uint8Array(16)));
  return `random${mark}$${salt}$${base64url(await macOf(pepper, salt, password))}`;
}

/**
 * Returns whether `hashRandomPassword` made a hash from this password; false for hashes of `hashPassword`. Not for
 * sign-ins, because its time differs from that of scrypt.
 */
export async function isRandomPassword(password: string, peppers: string, stored: string): Promise<boolean> {
  const random = parseRandom(stored);
  if (!random) return false;
  const pepper = parsePeppers(peppers).byVersion.get(random.version);
  return pepper !== undefined && equalInConstantTime(await macOf(pepper, random.salt, password), random.mac);
}

function parseRandom(stored: string) {
  const match = /^random(?:,(\d+))?\$([\w-]+)\$([\w-]+)$/.exec(stored);
  if (!match) return undefined;
  const [, version = "1", salt = "", mac = ""] = match;
  return { version: Number(version), salt, mac: fromBase64(mac) };
}

const macOf = (pepper: string, salt: string, password: string) => hmac(pepper, `${salt}:${password}`);

/**
 * Returns a random password of 80 bits in four groups, without letters that look alike when read aloud or written.
 */
export function randomPassword(): string {
  let letters = "";
  while (letters.length < LETTERS) letters += lettersOf(crypto.getRandomValues(new Uint8Array(24)));
  return inGroups(letters);
}

/** Returns a password of the same form that depends only on the newest pepper and `what`. */
export async function derivedPassword(peppers: string, what: string): Promise<string> {
  const { pepper } = newestOf(peppers);
  let letters = "";
  for (let block = 0; letters.length < LETTERS; block++)
    letters += lettersOf(await hmac(pepper, `initial-password:${block}:${what}`));
  return inGroups(letters);
}

const ALPHABET = "abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679";
/** 49^16 is more than 2^89. */
const LETTERS = 16;

/** Skipping bytes of 245 and more makes every letter equally likely. */
function lettersOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => (byte < 245 ? ALPHABET[byte % 49] : "")).join("");
}

function inGroups(letters: string): string {
  return (letters.slice(0, LETTERS).match(/.{4}/g) ?? []).join("-");
}

/**
 * Returns the digests for a user's password history: slow digests with a salt per user, so that one computation per
 * pepper compares a new password with all earlier ones. One digest per pepper, first the newest pepper's, which is
 * stored.
 */
export async function passwordDigests(
  password: string,
  peppers: string,
  userId: string,
): Promise<[string, ...string[]]> {
  const digestUnder = async (pepper: string) => {
    const salt = (await hmac(pepper, `history:${userId}`)).slice(0, 16);
    return base64url(await derive(password, pepper, salt, SCRYPT_COST));
  };
  const [newest, ...older] = allPeppers(peppers);
  const digests: [string, ...string[]] = [await digestUnder(newest)];
  for (const pepper of older) digests.push(await digestUnder(pepper));
  return digests;
}

/** Returns whether a hash was made with another cost or an older pepper and should be replaced at sign-in. */
export function needsRehash(stored: string, peppers: string, cost: ScryptCost = SCRYPT_COST): boolean {
  if (stored.startsWith("random")) return false;
  const made = parseHash(stored);
  if (made.version !== parsePeppers(peppers).newest) return true;
  return made.cost.log2N !== cost.log2N || made.cost.r !== cost.r || made.cost.p !== cost.p;
}

function parseHash(stored: string): {
  cost: ScryptCost;
  version: number;
  salt: Uint8Array;
  key: Uint8Array;
} {
  const match = /^scrypt\$(\d+),(\d+),(\d+)(?:,(\d+))?\$([\w-]+)\$([\w-]+)$/.exec(stored);
  if (!match) throw new Error("not a password hash");
  const [, log2N, r, p, version = "1", salt = "", key = ""] = match;
  return {
    cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
    version: Number(version),
    salt: fromBase64(salt),
    key: fromBase64(key),
  };
}
