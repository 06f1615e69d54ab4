// What a backup is in R2: sealed parts under `backups/<id>/`, and a manifest that is written last. A backup without a
// manifest does not exist. The manifest is in clear, for whoever has to choose one, and signed by a seal over its hash.

import { BackupManifest, type BackupPart } from "#app/entities/operations/backup.ts";
import { randomToken, type SealingKeys, seal, sha256, unseal } from "#app/lib/crypto/primitives.ts";
import { openBytes, SealBroken, sealBytes } from "#app/lib/crypto/sealed-bytes.ts";
import { gunzip, gzip } from "#app/lib/files/gzip.ts";
import { parseJson } from "#app/lib/json/parse.ts";

const PREFIX = "backups/";
/** Ids as they are given to runs; whatever else is asked for is no backup, and never a key of the bucket. */
const ID = /^[\w-]{1,64}$/;
const manifestKey = (id: string) => `${PREFIX}${id}/manifest.json`;
const purposeOf = (id: string) => `backup|${id}`;

/** Something about a backup is not what was written; the message names it. */
export class BackupFault extends Error {}

/** A broken seal as a fault of what was opened; any other failure may be over at the next try, and stays as it is. */
export function faultOf(what: string, error: unknown): unknown {
  return error instanceof SealBroken ? new BackupFault(`${what} cannot be opened: ${error.message}.`) : error;
}

type Where = { bucket: R2Bucket; keys: SealingKeys; id: string };

/** Writes lines as a part under a key that no other worker uses. */
export async function putPart(
  { bucket, keys, id }: Where,
  input: { section: string; name: string; n: number; lines: string[] },
): Promise<BackupPart> {
  const { section, name, n, lines } = input;
  const key = `${PREFIX}${id}/${section}/${name}/${String(n).padStart(6, "0")}-${randomToken(6)}.ndjson.gz.sealed`;
  const sealed = await sealBytes(keys, { purpose: purposeOf(id), name: key }, await gzip(lines.join("\n")));
  await bucket.put(key, sealed);
  return { key, rows: lines.length, bytes: sealed.length, sha256: await sha256(sealed) };
}

/** The lines of a part. Throws BackupFault where it is gone, another, or holds another number of rows. */
export async function readPart({ bucket, keys, id }: Where, part: BackupPart): Promise<string[]> {
  const object = await bucket.get(part.key);
  if (!object) throw new BackupFault(`The part ${part.key} is gone.`);
  const sealed = new Uint8Array(await object.arrayBuffer());
  if ((await sha256(sealed)) !== part.sha256)
    throw new BackupFault(`The part ${part.key} is not what was written: its SHA-256 is another.`);
  const file = { purpose: purposeOf(id), name: part.key };
  const packed = await openBytes(keys, file, sealed).catch((error) => {
    throw faultOf(`The part ${part.key}`, error);
  });
  const text = await gunzip(packed);
  const lines = text === "" ? [] : text.split("\n");
  if (lines.length !== part.rows)
    throw new BackupFault(`The part ${part.key} has ${lines.length} rows and not ${part.rows}.`);
  return lines;
}

const signatureOf = (id: string) => ({ table: "backups", id, field: "manifest" });

export async function putManifest({ bucket, keys, id }: Where, manifest: BackupManifest): Promise<void> {
  const text = JSON.stringify(manifest);
  const signature = await seal(keys, signatureOf(id), await sha256(text));
  await bucket.put(manifestKey(id), JSON.stringify({ manifest: text, signature }), {
    httpMetadata: { contentType: "application/json" },
  });
}

/** The manifest of a backup, or undefined where there is no such backup. Throws BackupFault where it was changed. */
export async function readManifest({ bucket, keys, id }: Where): Promise<BackupManifest | undefined> {
  const object = ID.test(id) ? await bucket.get(manifestKey(id)) : null;
  if (!object) return undefined;
  const { manifest, signature } = (parseJson(await object.text()) ?? {}) as Record<string, unknown>;
  const text = String(manifest);
  const signed = await unseal(keys, signatureOf(id), String(signature)).catch(() => {
    throw new BackupFault(
      `The manifest of ${id} cannot be verified: no sealing key of this installation signed it.`,
    );
  });
  const parsed = BackupManifest.safeParse(parseJson(text));
  if (signed !== (await sha256(text)) || !parsed.success)
    throw new BackupFault(`The manifest of ${id} is not what was written.`);
  return parsed.data;
}

/** Ids of everything that lies here as a backup, whole or not. */
export async function listBackupIds(bucket: R2Bucket): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page: R2Objects = await bucket.list({ prefix: PREFIX, delimiter: "/", ...(cursor && { cursor }) });
    for (const prefix of page.delimitedPrefixes) ids.push(prefix.slice(PREFIX.length, -1));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor);
  return ids;
}

/** Ids of all backups that have a manifest, newest first. */
export async function listManifests(bucket: R2Bucket): Promise<string[]> {
  const ids = await listBackupIds(bucket);
  const whole = await Promise.all(ids.map((id) => bucket.head(manifestKey(id))));
  return ids
    .filter((_, at) => whole[at] !== null)
    .sort()
    .reverse();
}

/** Removes a backup: its manifest first, so that what is half removed is none. False while something is left. */
export async function removeBackup(bucket: R2Bucket, id: string): Promise<boolean> {
  await bucket.delete(manifestKey(id));
  for (let page = 0; page < 20; page++) {
    const listed = await bucket.list({ prefix: `${PREFIX}${id}/`, limit: 1000 });
    if (listed.objects.length === 0) return true;
    await bucket.delete(listed.objects.map(({ key }) => key));
  }
  return false;
}
