// Creates alerts from live reads: matches each read against the entries of all hotlists that may see its camera. A
// pass is one drive of a vehicle past a camera; a vendor may send several events of it, and the one with the
// highest rank is shown. Each step queries for a whole batch. Alerts are committed before this returns, so that a
// webhook acknowledges only stored alerts.
// Idempotent: repeated, late or reordered events create no duplicate.

import type { AppContext } from "#app/context.ts";
import type { MatchKind } from "#app/entities/alerts/hit.ts";
import {
  differencesOf,
  foldedPlates,
  isTimely,
  type LiveRead,
  matchKindOf,
  type WatchingEntry,
} from "#app/entities/alerts/match.ts";
import type { CameraCorrection } from "#app/entities/ingest/camera.ts";
import { at, chunksOf } from "#app/lib/at.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { findEntries, findWatching, type PassAlert } from "#app/store/alerts/matching.ts";
import { type AlertToWrite, writeAlerts } from "#app/store/alerts/writes.ts";
import type { ImageKeys } from "#app/store/archive/images.ts";
import type { ControlDb } from "#app/store/database.ts";
import { listCorrections } from "#app/store/ingest/rekor-cameras.ts";
import { listMaySearch } from "#app/store/search/permission.ts";
import { announceAlerts } from "./fan-out.ts";
import { copyVendorImages, NO_PICTURES, type Pictured, storeSentImages } from "./images.ts";
import { findWildcardEntries, knownWildcards } from "./wildcards.ts";

/** Reads per statement. Their lookup keys are one bound text, which may have two million bytes. */
const BATCH = 4000;

/**
 * A read and an entry that matches it. `has` says which pictures its alert already has, `shows` says whether the alert
 * will show this event.
 */
type Hit = { read: LiveRead; entry: WatchingEntry; kind: MatchKind; has: Pictured; shows: boolean };

/**
 * Matches reads against every hotlist in force and writes their alerts. When it returns, the alerts are committed
 * and the notification of members is queued. Returns how many alerts it wrote. Throws if a database call fails; the whole
 * call can then be repeated.
 */
export async function matchReads(app: AppContext, reads: LiveRead[]): Promise<number> {
  let written = 0;
  for (const batch of chunksOf(reads, BATCH)) written += await matchBatch(app, batch);
  return written;
}

async function matchBatch(app: AppContext, reads: LiveRead[]): Promise<number> {
  const now = app.clock();
  const hits = await findHits(app, reads, now);
  if (hits.length === 0) return 0;
  const stored = await storeSentImages(
    app,
    hits.filter(({ shows }) => shows),
  );
  const corrections = await correctionsOf(app.db, hits);
  // Of two events of a pass in one batch, the better one is written last and is kept.
  const alerts = hits
    .toSorted((a, b) => a.read.rank - b.read.rank)
    .map((hit) =>
      alertOf(hit, { now, stored: stored.get(hit), correction: correctionFor(hit.read, corrections) }),
    );
  // The clock is read again: storing pictures takes time, and lists of alerts find new ones by creation time.
  const unannounced = await writeAlerts(app.db, alerts, app.clock());
  // The sender need not wait for the queue: cron finds alerts whose message is lost.
  app.waitUntil(announceAlerts(app, unannounced));
  const pictured = alerts.filter(({ vendorImages }) => vendorImages !== null).map(({ id }) => id);
  if (pictured.length > 0) app.waitUntil(copyVendorImages(app, pictured));
  return alerts.length;
}

function alertOf(
  { read, entry, kind }: Hit,
  known: { now: number; stored: ImageKeys | undefined; correction: CameraCorrection | undefined },
): AlertToWrite {
  const { facts, rank, passKey, origin, vendorImages } = read;
  const { vehicle = null, plate = null } = known.stored ?? {};
  const { latitude, longitude } = known.correction ?? facts;
  const left = vendorImages && {
    ...vendorImages,
    vehicle: vehicle ? null : vendorImages.vehicle,
    plate: plate ? null : vendorImages.plate,
  };
  return {
    // The id is derived from the content, so that two concurrent runs create the same alert.
    id: stableId("alert", String(entry.id), passKey),
    entry,
    passKey,
    program: origin.program,
    matchKind: kind,
    facts: {
      ...facts,
      latitude,
      longitude,
      vehicleImageKey: vehicle,
      plateImageKey: plate,
    },
    rank,
    cameraAgencyId: origin.agencyId,
    integrationId: origin.integrationId,
    cameraAgency: known.correction?.agency ?? null,
    differences: differencesOf(entry, read, known.now),
    vendorImages: left && (left.vehicle || left.plate) ? left : null,
  };
}

/**
 * Returns the correction that applies to a read. The sender writes the camera's id, so a camera of another agency may
 * be made up: the hit then keeps the sender's name and location, even if the owner gave the sender's camera away.
 */
function correctionFor(
  { origin, facts }: LiveRead,
  corrections: ReadonlyMap<string, CameraCorrection>,
): CameraCorrection | undefined {
  if (origin.program !== "Rekor") return undefined;
  const correction = corrections.get(facts.cameraId);
  const owner = correction?.agencyId ?? origin.agencyId;
  return owner === origin.agencyId ? correction : undefined;
}

/**
 * Returns the owner's corrections of the Rekor cameras of these hits, by camera id. Queried only for hits, which
 * are few.
 */
async function correctionsOf(db: ControlDb, hits: Hit[]): Promise<Map<string, CameraCorrection>> {
  const reads = hits.map(({ read }) => read).filter(({ origin }) => origin.program === "Rekor");
  const ids = [...new Set(reads.map(({ facts }) => facts.cameraId))];
  if (ids.length === 0) return new Map();
  return new Map((await listCorrections(db, { ids })).map((one) => [one.cameraId, one]));
}

/**
 * Returns the alerts to create, and the alerts of the same passes to amend, for entries whose agency may see the
 * camera.
 */
async function findHits(app: AppContext, reads: LiveRead[], now: number): Promise<Hit[]> {
  const folded = reads.map(foldedPlates);
  const known = knownWildcards(app.db, now);
  const watching = await findWatching(app.db, {
    wildcardsAfter: known.newest,
    foldedPlates: [...new Set(folded.flat())],
    passKeys: [...new Set(reads.map(({ passKey }) => passKey))],
    now,
  });
  const wildcards = await findWildcardEntries(app.db, { reads, known, page: watching.wildcards, now });
  const earlier = await earlierAlerts(app.db, watching.alerts, now);
  const hits = reads.flatMap((read, i): Hit[] => {
    const candidates = [
      ...at(folded, i).flatMap((plate) => watching.entries.get(plate) ?? []),
      ...(wildcards.get(read) ?? []),
    ];
    const made = earlier.get(read.passKey) ?? [];
    if (candidates.length === 0 && made.length === 0) return [];
    const known = new Set(made.map(listingOf));
    const once = new Map(candidates.map((entry) => [entry.id, entry]));
    const fresh = [...once.values()].flatMap((entry): Hit[] => {
      if (known.has(listingOf(watchedBy(entry)))) return [];
      const isInTime = isTimely(entry, { program: read.origin.program, seenAt: read.seenAt }, now);
      const kind = isInTime ? matchKindOf(entry, read) : null;
      return kind ? [{ read, entry, kind, has: NO_PICTURES, shows: true }] : [];
    });
    // A later event never removes an alert; the alert then shows the better of the two events. A repeated event changes
    // nothing, but if its first attempt ended halfway, the members are notified now. If they are, nothing is written:
    // the Axon poller reads the last ten minutes every minute, and cron fetches pictures that are missing.
    const amended = made.flatMap(({ entry, matchKind, rank, hasVehicle, hasPlate, isFannedOut }): Hit[] => {
      if (!entry || rank > read.rank || (rank === read.rank && isFannedOut === 1)) return [];
      const kind = matchKindOf(entry, read) ?? matchKind;
      const has = { vehicle: hasVehicle === 1, plate: hasPlate === 1 };
      return [{ read, entry, kind, has, shows: rank < read.rank }];
    });
    // Events of one pass in the same batch amend each other's alerts.
    earlier.set(read.passKey, [...made, ...fresh.map(madeBy)]);
    return [...fresh, ...amended];
  });
  return onlyVisible(app.db, hits, now);
}

const watchedBy = ({ groupId, plate, state }: WatchingEntry) => ({
  groupId,
  listedPlate: plate,
  listedState: state,
});

/** Returns the identity of a listing: an entry that replaces an equal one does not alert for the same pass again. */
const listingOf = ({ groupId, listedPlate, listedState }: ReturnType<typeof watchedBy>) =>
  JSON.stringify([groupId, listedPlate, listedState]);

function madeBy({ read, entry, kind }: Hit): MadeAlert {
  const { passKey, rank, facts, sentImages } = read;
  const has = (image: keyof Pictured, key: string | null) =>
    Number(key !== null || sentImages.some((sent) => sent.kind === image));
  return {
    ...watchedBy(entry),
    passKey,
    entryId: entry.id,
    rank,
    matchKind: kind,
    hasVehicle: has("vehicle", facts.vehicleImageKey),
    hasPlate: has("plate", facts.plateImageKey),
    isFannedOut: 0,
    entry,
  };
}

async function onlyVisible(db: ControlDb, hits: Hit[], now: number): Promise<Hit[]> {
  if (hits.length === 0) return hits;
  const nameOf = ({ read: { origin } }: Hit) =>
    `${origin.program} ${origin.agencyId} ${origin.integrationId}`;
  const origins = new Map(hits.map((hit) => [nameOf(hit), hit.read.origin]));
  const tenants = [...new Set(hits.map(({ entry }) => entry.agencyId))];
  const pairs = await listMaySearch(db, { origins: [...origins.values()], tenants, now });
  const names = [...origins.keys()];
  const allowed = new Set(pairs.map(([origin, tenant]) => `${names[origin]} ${tenant}`));
  return hits.filter((hit) => allowed.has(`${nameOf(hit)} ${hit.entry.agencyId}`));
}

type MadeAlert = PassAlert & { entry: WatchingEntry | undefined };

/**
 * Returns the earlier alerts of these passes with their entries as they are now. Removed entries stay in the table.
 */
async function earlierAlerts(
  db: ControlDb,
  alerts: PassAlert[],
  now: number,
): Promise<Map<string, MadeAlert[]>> {
  if (alerts.length === 0) return new Map();
  const ids = [...new Set(alerts.map(({ entryId }) => entryId))];
  const entries = await findEntries(db, { ids, now, inForce: false });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return Map.groupBy(
    alerts.map((alert) => ({ ...alert, entry: byId.get(alert.entryId) })),
    ({ passKey }) => passKey,
  );
}
