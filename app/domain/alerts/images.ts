// Pictures of hits, kept as long as the hit. Pictures that came with the event are stored before the alert is written; one
// that cannot be stored in a few attempts does not stop it. Pictures that stay with the vendor are fetched afterwards, so that no
// notification waits for them; cron retries failed fetches for an hour.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import type { LiveRead, VendorImages } from "#app/entities/alerts/match.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { imageTypeOf } from "#app/lib/images/type.ts";
import { logWarning } from "#app/lib/log.ts";
import { retryBriefly } from "#app/lib/retry.ts";
import { HOUR, SECOND } from "#app/lib/time/dates.ts";
import { isProviderFailure, type ProviderImage } from "#app/providers/provider.ts";
import { listUnfetchedAlerts, saveFetchedPictures, type UnfetchedAlert } from "#app/store/alerts/writes.ts";
import { type ImageKeys, newAlertImageName, putImage, readImage } from "#app/store/archive/images.ts";
import { removeObjects } from "#app/store/files.ts";
import { listAxonSources, listRekorSources } from "#app/store/integrations/sources.ts";
import { listMaySearch } from "#app/store/search/permission.ts";

/** How long a vendor may take to return one picture. */
const DEADLINE_MS = 15_000;
/** A vendor deletes buffered pictures. After this time a failed fetch is final. */
const GIVE_UP_AFTER = HOUR;
/** The limit for pictures whose vendor was skipped after failures. */
const GIVE_UP_SKIPPED_AFTER = 2 * HOUR;
/** Younger alerts are still handled by the request that created them. */
const SWEEP_AFTER = 30 * SECOND;
const SWEEP = { limit: 240, ofSource: 60 };
/** Maximum concurrent connections of a Worker. */
const AT_ONCE = 6;
/** Each hit has up to two pictures. */
const HITS_AT_ONCE = AT_ONCE / 2;
/**
 * Hits whose pictures one invocation fetches right after writing them; the sweep fetches the pictures of all others. D1
 * allows 1,000 queries per invocation: each hit takes two, and each of its sources up to three.
 */
const MAX_AT_ONCE = 40;
/**
 * Maximum number of sources that one run looks up; hits of other sources wait for the next run, which takes other hits.
 */
const MAX_SOURCES = 60;
/** Pictures in a row that a source fails to return before its other pictures are left for the next run. */
const MAX_FAILURES = 3;

/** Whether an alert has its own copy of each picture. */
export type Pictured = Record<keyof ImageKeys, boolean>;
export const NO_PICTURES: Pictured = { vehicle: false, plate: false };

/**
 * Stores the pictures that came with the reads of hits. Each hit gets its own copy, so that deleting one (because
 * of an agency's policy, a case or a later event of the pass) leaves the others. If neither the event nor the alert
 * has a picture, the best picture of the pass is copied. If a copy fails, the hit shares the picture of its read, which
 * is purged with the read. Returns the keys by hit. Never throws.
 */
export async function storeSentImages<Hit extends { read: LiveRead; has: Pictured }>(
  app: Pick<AppContext, "images" | "clock">,
  hits: Hit[],
): Promise<Map<Hit, ImageKeys>> {
  const kept = new Map<Hit, ImageKeys>();
  const copy = async (hit: Hit) => {
    const { sentImages, facts } = hit.read;
    const keys: ImageKeys = { vehicle: null, plate: null };
    const known = { vehicle: facts.vehicleImageKey, plate: facts.plateImageKey };
    const keep = async (kind: keyof ImageKeys) => {
      // A new name for each attempt: R2 refuses a second write to an object within a second.
      const copyOnce = async () => {
        const sent = sentImages.find((image) => image.kind === kind);
        const image = sent ?? (hit.has[kind] ? null : await imageOf(app, known[kind]));
        return image && putImage(app.images, newAlertImageName(app.clock()), image);
      };
      try {
        keys[kind] = await retryBriefly(copyOnce);
      } catch (error) {
        logWarning("the picture of a hit was not stored", error);
        if (!hit.has[kind]) keys[kind] = known[kind];
      }
    };
    await Promise.all([keep("vehicle"), keep("plate")]);
    kept.set(hit, keys);
  };
  await pMap(hits, copy, { concurrency: HITS_AT_ONCE });
  return kept;
}

async function imageOf({ images }: Pick<AppContext, "images">, key: string | null) {
  const bytes = key === null ? null : await readImage(images, key);
  const type = bytes && imageTypeOf(bytes);
  return type ? { bytes, type } : null;
}

/**
 * Number of further hits whose pictures each invocation may fetch: matching calls copyVendorImages for each page of
 * reads.
 */
const shares = new WeakMap<AppContext, number>();

/**
 * Fetches the pictures of these alerts from their vendors, within the limit of the invocation. Never throws: the sweep
 * fetches the others, and retries failures.
 */
export async function copyVendorImages(app: AppContext, alertIds: string[]): Promise<void> {
  const share = shares.get(app) ?? MAX_AT_ONCE;
  const ids = alertIds.slice(0, share);
  if (ids.length === 0) return;
  shares.set(app, share - ids.length);
  try {
    await copyAll(app, await listUnfetchedAlerts(app.db, { ids }));
  } catch (error) {
    logWarning("the pictures of alerts were not fetched and are retried by the sweep", error);
  }
}

/** Called by cron: retries failed fetches, and gives up on alerts that are too old. */
export async function sweepVendorImages(app: AppContext): Promise<void> {
  const waiting = await listUnfetchedAlerts(app.db, { before: app.clock() - SWEEP_AFTER, ...SWEEP });
  await copyAll(app, waiting);
}

/** Copies the pictures of all alerts. Failures do not stop the others; they are thrown together at the end. */
async function copyAll(app: AppContext, alerts: UnfetchedAlert[]): Promise<void> {
  const problems: unknown[] = [];
  const known: Known = { sources: new Map(), failures: new Map() };
  const copy = (alert: UnfetchedAlert) =>
    copyOne(app, alert, known).catch((error: unknown) => problems.push(error));
  await pMap(alerts, copy, { concurrency: AT_ONCE });
  if (problems.length > 0)
    throw new AggregateError(
      problems,
      `the pictures of ${problems.length} of ${alerts.length} hits could not be stored`,
    );
}

/**
 * State of one sweep: the source for each program, vendor source and agencies, and each source's failures in a row.
 */
type Known = { sources: Map<string, Promise<SearchSource | undefined>>; failures: Map<string, number> };

async function copyOne(app: AppContext, alert: UnfetchedAlert, { sources, failures }: Known): Promise<void> {
  const { vendorImages, agencyId, cameraAgencyId } = alert;
  const name = `${vendorImages.program} ${vendorImages.source}`;
  const who = JSON.stringify([name, agencyId, cameraAgencyId]);
  if (!sources.has(who)) {
    if (sources.size >= MAX_SOURCES) return;
    sources.set(who, findSource(app, alert));
  }
  const source = await sources.get(who);
  const age = app.clock() - alert.createdAt;
  const left: VendorImages = { ...vendorImages };
  const keys: ImageKeys = { vehicle: null, plate: null };
  for (const kind of ["vehicle", "plate"] as const) {
    const locator = vendorImages[kind];
    if (locator === null) continue;
    const isAsked = (failures.get(name) ?? 0) < MAX_FAILURES;
    const image = !source ? "gone" : isAsked ? await fetchOne(app, { source, locator }) : "later";
    if (isAsked) failures.set(name, image === "later" ? (failures.get(name) ?? 0) + 1 : 0);
    const giveUp = age > (isAsked ? GIVE_UP_AFTER : GIVE_UP_SKIPPED_AFTER);
    if (image === "gone" || (image === "later" && giveUp)) left[kind] = null;
    else if (image !== "later") {
      keys[kind] = await putImage(app.images, newAlertImageName(alert.createdAt), image);
      left[kind] = null;
    }
  }
  const isDone = left.vehicle === null && left.plate === null;
  const replaced = await saveFetchedPictures(app.db, { alert, keys, left: isDone ? null : left });
  await removeObjects(app.images, replaced);
}

/**
 * Returns the source through which the picture may be requested: that of the alert's own agency, or of the camera's
 * agency while it shares. The rules of searching decide.
 */
async function findSource(app: AppContext, alert: UnfetchedAlert): Promise<SearchSource | undefined> {
  const { agencyId, cameraAgencyId, vendorImages } = alert;
  const { program, source } = vendorImages;
  const now = app.clock();
  if (program === "Axon")
    return (await listAxonSources(app.db, { tenantId: agencyId, now })).find(({ id }) => id === source);
  const origins = [{ program, agencyId: cameraAgencyId, integrationId: "" }];
  const isShared = (await listMaySearch(app.db, { origins, tenants: [agencyId], now })).length > 0;
  const name = source.toLowerCase();
  for (const tenant of new Set(isShared ? [cameraAgencyId, agencyId] : [agencyId])) {
    const found = (await listRekorSources(app.db, tenant)).find(
      ({ agency }) => agency.toLowerCase() === name,
    );
    if (found) return found;
  }
  return undefined;
}

async function fetchOne(
  app: AppContext,
  { source, locator }: { source: SearchSource; locator: string },
): Promise<ProviderImage | "gone" | "later"> {
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    return await app.providers[source.program].image({ source, locator, signal });
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    return error.kind === "missing" ? "gone" : "later";
  }
}
