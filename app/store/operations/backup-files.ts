// The files of a backup in R2: encrypted parts under `backups/<id>/`, and a manifest that is written last. A backup
// without a manifest does not exist. The manifest is not encrypted, so that an operator can choose a backup, but it is
// signed: its SHA-256 is sealed with the backup key.

import * as z from "zod/mini";
import { BackupManifest, type BackupPart } from "#app/entities/operations/backup.ts";
import { randomToken, type SealingKeys, seal, sha256, unseal } from "#app/lib/crypto/primitives.ts";
import { openBytes, SealBroken, sealBytes } from "#app/lib/crypto/sealed-bytes.ts";
import { gunzip, gzip } from "#app/lib/files/gzip.ts";
import { listPages } from "#app/lib/files/list-pages.ts";
import { parseJson } from "#app/lib/json/parse.ts";

const PREFIX = "backups/";
/** The form of backup ids. Any other text is refused and never becomes part of a key. */
const ID = /^[\w-]{1,64}$/;
const manifestKey = (id: string) => `${PREFIX}${id}/manifest.json`;
const purposeOf = (id: string) => `backup|${id}`;

/** A file of a backup was changed or lost. The message names it. */
export class BackupFault extends Error {}

/** Returns a BackupFault for a failed decryption. Returns other errors unchanged, because a retry may succeed. */
export function faultOf(what: string, error: unknown): unknown {
  return error instanceof SealBroken ? new BackupFault(`${what} cannot be opened: ${error.message}.`) : error;
}

type Where = { bucket: R2Bucket; keys: SealingKeys; id: string };

/** Writes lines as a part, under a key that no other worker uses. Returns its entry for the manifest. */
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

/** Returns the lines of a part. Throws BackupFault if it is missing, was changed, or has another number of rows. */
export async function readPart({ bucket, keys, id }: Where, part: BackupPart): Promise<string[]> {
  const object = await bucket.get(part.key);
  if (!object) throw new BackupFault(`The part ${part.key} is gone.`);
  const sealed = new Uint8Array(await object.arrayBuffer());
  if ((await sha256(sealed)) !== part.sha256)
    throw new BackupFault(`The part ${part.key} is not what was written: its SHA-256 differs.`);
  const file = { purpose: purposeOf(id), name: part.key };
  const packed = await openBytes(keys, file, sealed).catch((error) => {
    throw faultOf(`The part ${part.key}`, error);
  });
  const text = await gunzip(packed);
  const lines = text === "" ? [] : text.split("\n");
  if (lines.length !== part.rows)
    throw new BackupFault(`The part ${part.key} has ${lines.length} rows instead of ${part.rows}.`);
  return lines;
}

const signatureOf = (id: string) => ({ table: "backups", id, field: "manifest" });

const SignedManifest = z.object({ manifest: z.string(), signature: z.string() });

/** Stores a backup's manifest with a signature that `readManifest` checks. With it the backup is complete. */
export async function putManifest({ bucket, keys, id }: Where, manifest: BackupManifest): Promise<void> {
  const text = JSON.stringify(manifest);
  const signature = await seal(keys, signatureOf(id), await sha256(text));
  await bucket.put(manifestKey(id), JSON.stringify({ manifest: text, signature }), {
    httpMetadata: { contentType: "application/json" },
  });
}

/** Returns the manifest of a backup, or undefined if there is no such backup. Throws BackupFault if it was changed. */
export async function readManifest({ bucket, keys, id }: Where): Promise<BackupManifest | undefined> {
  const object = ID.test(id) ? await bucket.get(manifestKey(id)) : null;
  if (!object) return undefined;
  const stored = SignedManifest.safeParse(parseJson(await object.text())).data;
  const { manifest: text, signature } = stored ?? { manifest: "", signature: "" };
  const signed = await unseal(keys, signatureOf(id), signature).catch(() => {
    throw new BackupFault(
      `The manifest of ${id} cannot be verified: no sealing key of this installation signed it.`,
    );
  });
  const parsed = BackupManifest.safeParse(parseJson(text));
  if (signed !== (await sha256(text)) || !parsed.success)
    throw new BackupFault(`The manifest of ${id} is not what was written.`);
  return parsed.data;
}

/** Returns the ids of all backups in the bucket, finished or not. */
export async function listBackupIds(bucket: R2Bucket): Promise<string[]> {
  const ids: string[] = [];
  for await (const { delimitedPrefixes } of listPages(bucket, { prefix: PREFIX, delimiter: "/" }))
    for (const prefix of delimitedPrefixes) ids.push(prefix.slice(PREFIX.length, -1));
  return ids;
}

/** Returns the ids of all backups with a manifest, newest first. */
export async function listManifests(bucket: R2Bucket): Promise<string[]> {
  const ids = await listBackupIds(bucket);
  const whole = await Promise.all(ids.map((id) => bucket.head(manifestKey(id))));
  return ids
    .filter((_, at) => whole[at] !== null)
    .sort()
    .reverse();
}

/** Removes a backup, its manifest first, so that a half-removed one no longer counts. Returns false if files remain. */
export async function removeBackup(bucket: R2Bucket, id: string): Promise<boolean> {
  await bucket.delete(manifestKey(id));
  for (let page = 0; page < 20; page++) {
    const listed = await bucket.list({ prefix: `${PREFIX}${id}/`, limit: 1000 });
    if (listed.objects.length === 0) return true;
    await bucket.delete(listed.objects.map(({ key }) => key));
  }
  return false;
}
