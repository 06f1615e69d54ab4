// Bundles of key rings: copies of the encrypted rings of many agencies in one object of R2. A Worker has at most six
// concurrent R2 calls, so a thousand rings take seconds, but all bundles take half a second (docs/scale.md). A bundle
// may lack new keys, which searches look for anyway. It has no destroyed key: destroying one deletes the bundle (if the
// worker dies before that, the next run of the job writes it again), and a bundle is replaced only if it was not
// deleted since before its rings were read.

import pLimit from "p-limit";
import * as z from "zod/mini";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { listPages } from "#app/lib/files/list-pages.ts";

/** A ring as it is stored: encrypted, with the ETag of its object. */
export type SealedRing = { sealed: string; etag: string };

const Bundle = z.object({
  /** Random: an ETag of R2 is a hash of the content, and that of a bundle that was deleted and created again must differ. */
  id: z.string(),
  rings: z.record(z.string(), z.object({ sealed: z.string(), etag: z.string() })),
});
type Bundle = z.infer<typeof Bundle>;

/** Maximum number of rings that are loaded one by one: three rounds of six calls take as long as all bundles. */
export const FEW_RINGS = 18;
/** Maximum number of rings per run; the next run continues. */
const MOST_A_RUN = 3000;
/** Maximum concurrent R2 calls of a Worker. */
const AT_ONCE = 6;

const RINGS = "read-keys/";
const PREFIX = "ring-bundles/";

/** Returns the key of an agency's ring in R2. */
export const ringKey = (agencyId: string) => `${RINGS}${agencyId}`;

/** The key of an agency's bundle, one of 16. */
const bundleKey = (agencyId: string) => `${PREFIX}${stableId(agencyId).slice(0, 1)}`;

/** Returns the rings of these agencies that are in bundles. Throws if R2 fails. */
export async function readBundles(bucket: R2Bucket, agencyIds: string[]): Promise<Map<string, SealedRing>> {
  const keys = new Set(agencyIds.map(bundleKey));
  const bundles = await Promise.all([...keys].map(async (key) => (await bucket.get(key))?.json()));
  const rings = new Map<string, SealedRing>();
  for (const bundle of bundles)
    for (const [agencyId, ring] of Object.entries(bundle ? Bundle.parse(bundle).rings : {}))
      rings.set(agencyId, ring);
  return rings;
}

/** Deletes the bundle that has an agency's ring, after keys were removed from the ring. The next two runs write it again. */
export async function deleteBundle(bucket: R2Bucket, agencyId: string): Promise<void> {
  const key = bundleKey(agencyId);
  // Most bundles are already deleted: a purge destroys keys of many agencies, and R2 takes one write a second for each
  // object.
  if (await bucket.head(key)) await bucket.delete(key);
}

/** Writes the bundles whose rings have changed. Returns their number. */
export async function writeBundles(bucket: R2Bucket): Promise<number> {
  const bundles = new Map<string, R2Object>();
  for await (const { objects } of listPages(bucket, { prefix: PREFIX, include: ["customMetadata"] }))
    for (const object of objects) bundles.set(object.key, object);
  const rings: { agencyId: string; etag: string }[] = [];
  for await (const { objects } of listPages(bucket, { prefix: RINGS }))
    for (const { key, etag } of objects) rings.push({ agencyId: key.slice(RINGS.length), etag });
  if (rings.length <= FEW_RINGS) return 0;
  let read = 0;
  let written = 0;
  for (const [key, members] of Map.groupBy(rings, ({ agencyId }) => bundleKey(agencyId))) {
    const before = bundles.get(key);
    const version = await sha256(JSON.stringify(members));
    if (before?.customMetadata?.version === version || read >= MOST_A_RUN) continue;
    // A bundle that did not exist is filled by the next run, because only an existing one shows that it was not
    // deleted.
    const bundle = {
      id: randomToken(),
      rings: before ? await readRings(bucket, members) : {},
    } satisfies Bundle;
    if (before) read += members.length;
    const put = await bucket.put(key, JSON.stringify(bundle), {
      onlyIf: before ? { etagMatches: before.etag } : { etagDoesNotMatch: "*" },
      customMetadata: { version: before ? version : "" },
    });
    if (put) written++;
  }
  return written;
}

async function readRings(bucket: R2Bucket, members: { agencyId: string }[]): Promise<Bundle["rings"]> {
  const rings = await pLimit(AT_ONCE).map(members, async ({ agencyId }) => {
    const object = await bucket.get(ringKey(agencyId));
    return object ? [[agencyId, { sealed: await object.text(), etag: object.etag }] as const] : [];
  });
  return Object.fromEntries(rings.flat());
}
