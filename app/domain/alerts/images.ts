// Pictures of hits, kept for as long as the hit is: those that came with the event are stored before the alert that
// names them, those that stay with the vendor are fetched after it, since nobody should wait for a picture to be told.
// What the vendor does not give now is asked for again by cron for an hour.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import type { LiveRead, SentImage, VendorImages } from "#app/entities/alerts/match.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { HOUR, SECOND } from "#app/lib/time/dates.ts";
import { isProviderFailure, type ProviderFailure, type ProviderImage } from "#app/providers/provider.ts";
import { listPictureless, type Pictureless, setPictures } from "#app/store/alerts/writes.ts";
import { newAlertImageKey, putReadImage, readImage, removeReadImages } from "#app/store/archive/images.ts";
import { listAxonSources, listRekorSources } from "#app/store/integrations/sources.ts";
import { listMaySearch } from "#app/store/search/permission.ts";

/** How long a vendor may take to give one picture. */
const DEADLINE_MS = 15_000;
/** A vendor's buffer forgets; what it has not given by then it will not give, and is asked for once more. */
const GIVE_UP_AFTER = HOUR;
/** Not even that where so much time has passed that nobody came to ask. */
const GIVE_UP_UNASKED = 2 * HOUR;
/** Alerts younger than this are still being looked after by whoever made them. */
const SWEEP_AFTER = 30 * SECOND;
const SWEEP = { limit: 240, ofSource: 60 };
/** A Worker waits on six connections at a time. */
const AT_ONCE = 6;
/** Pictures in a row that a source fails to give before the others of it are left for the next time. */
const MOST_FAILURES = 3;

/** Keys of a read's pictures in our own bucket. */
export type StoredKeys = { vehicle: string | null; plate: string | null };

/** Which pictures there are. */
export type Pictured = Record<keyof StoredKeys, boolean>;
export const NO_PICTURES: Pictured = { vehicle: false, plate: false };

/**
 * Stores the pictures that came with the reads of hits, anew for each hit: what one agency's policy, one case or a later
 * event of the pass no longer keeps must stay with the others that the same read alerted. Where neither the event nor
 * the alert has one, it is a copy of what the pass has so far. Gives their keys, by the hit.
 */
export async function keepSentImages<Hit extends { read: LiveRead; has: Pictured }>(
  app: Pick<AppContext, "images" | "clock">,
  hits: Hit[],
): Promise<Map<Hit, StoredKeys>> {
  const kept = new Map<Hit, StoredKeys>();
  for (const hit of hits) {
    const { sentImages, facts } = hit.read;
    const keys: StoredKeys = { vehicle: null, plate: null };
    const keep = async (kind: keyof StoredKeys, image: Omit<SentImage, "kind">) => {
      const key = newAlertImageKey({ at: app.clock(), type: image.type });
      await putReadImage(app.images, { key, ...image });
      keys[kind] = key;
    };
    for (const { kind, bytes, type } of sentImages)
      if (keys[kind] === null) await keep(kind, { bytes, type });
    const known = { vehicle: facts.vehicleImageKey, plate: facts.plateImageKey };
    for (const kind of ["vehicle", "plate"] as const) {
      if (keys[kind] !== null || hit.has[kind] || known[kind] === null) continue;
      const image = await readImage(app.images, known[kind]);
      if (image) await keep(kind, image);
    }
    kept.set(hit, keys);
  }
  return kept;
}

/** Fetches the pictures of these alerts from their vendors. Never throws: what fails is left for the sweep. */
export async function copyVendorImages(app: AppContext, alertIds: string[]): Promise<void> {
  try {
    await copyAll(app, await listPictureless(app.db, { ids: alertIds }));
  } catch (error) {
    console.warn("pictures of alerts wait for the sweep", error);
  }
}

/** The cron's part: tries again what was not fetched, and gives up on what is too old. */
export async function sweepVendorImages(app: AppContext): Promise<void> {
  const waiting = await listPictureless(app.db, { before: app.clock() - SWEEP_AFTER, ...SWEEP });
  await copyAll(app, waiting);
}

/** One whose pictures cannot be stored keeps no other from its own; afterwards it throws all the same. */
async function copyAll(app: AppContext, alerts: Pictureless[]): Promise<void> {
  const problems: unknown[] = [];
  const known: Known = { sources: new Map(), failures: new Map() };
  const copy = (alert: Pictureless) =>
    copyOne(app, alert, known).catch((error: unknown) => problems.push(error));
  await pMap(alerts, copy, { concurrency: AT_ONCE });
  if (problems.length > 0)
    throw new AggregateError(
      problems,
      `the pictures of ${problems.length} of ${alerts.length} hits could not be stored`,
    );
}

/** What one sweep has learnt: through what whose pictures are asked for, and how many in a row a source failed to give. */
type Known = { sources: Map<string, SearchSource | undefined>; failures: Map<string, number> };

async function copyOne(app: AppContext, alert: Pictureless, { sources, failures }: Known): Promise<void> {
  const { vendorImages, agencyId, cameraAgencyId } = alert;
  const name = `${vendorImages.program} ${vendorImages.source}`;
  const who = JSON.stringify([name, agencyId, cameraAgencyId]);
  if (!sources.has(who)) sources.set(who, await findSource(app, alert));
  const source = sources.get(who);
  const age = app.clock() - alert.createdAt;
  const left: VendorImages = { ...vendorImages };
  const keys: StoredKeys = { vehicle: null, plate: null };
  for (const kind of ["vehicle", "plate"] as const) {
    const locator = vendorImages[kind];
    if (locator === null) continue;
    const isAsked = (failures.get(name) ?? 0) < MOST_FAILURES;
    const image = !source ? "gone" : isAsked ? await fetchOne(app, { source, locator }) : "later";
    if (isAsked) failures.set(name, image === "later" ? (failures.get(name) ?? 0) + 1 : 0);
    const giveUp = age > (isAsked ? GIVE_UP_AFTER : GIVE_UP_UNASKED);
    if (image === "gone" || (image === "later" && giveUp)) left[kind] = null;
    else if (image !== "later") {
      keys[kind] = newAlertImageKey({ at: alert.createdAt, type: image.type });
      await putReadImage(app.images, { key: keys[kind], ...image });
      left[kind] = null;
    }
  }
  const isDone = left.vehicle === null && left.plate === null;
  const replaced = await setPictures(app.db, { alert, keys, left: isDone ? null : left });
  await removeReadImages(app.images, replaced);
}

/**
 * The source through which an alert's own agency, or the camera's for as long as it shares, may ask for the picture; the
 * search's rules decide.
 */
async function findSource(app: AppContext, alert: Pictureless): Promise<SearchSource | undefined> {
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
    return (error as ProviderFailure).kind === "missing" ? "gone" : "later";
  }
}
