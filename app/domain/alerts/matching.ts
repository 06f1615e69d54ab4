// Makes alerts of live reads: whatever entry watches for one, in whatever list that may see its camera. Everything is
// asked for a whole batch at once, and alerts are committed before this returns, so that a webhook answers only then.
// Doing it again, with events late, twice or out of order, makes nothing twice.

import type { AppContext } from "#app/context.ts";
import {
  differencesOf,
  foldedPlates,
  isTimely,
  type LiveRead,
  type MatchKind,
  matchKindOf,
  type WatchingEntry,
} from "#app/entities/alerts/match.ts";
import { findWildcards, indexWildcards, type WildcardIndex } from "#app/entities/alerts/wildcard-index.ts";
import type { CameraCorrection } from "#app/entities/ingest/camera.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import {
  findEntries,
  findWatching,
  listWildcards,
  type PassAlert,
  type Watching,
} from "#app/store/alerts/matching.ts";
import { type AlertToWrite, writeAlerts } from "#app/store/alerts/writes.ts";
import type { ControlDb } from "#app/store/database.ts";
import { listCorrections } from "#app/store/ingest/rekor-cameras.ts";
import { listMaySearch } from "#app/store/search/permission.ts";
import { announceAlerts } from "./fan-out.ts";
import { copyVendorImages, keepSentImages, NO_PICTURES, type Pictured, type StoredKeys } from "./images.ts";

/** Reads of one statement: what they are looked up by is one bound text, which may have two million bytes. */
const BATCH = 4000;

/**
 * A read and an entry that watches for it; `has` which pictures an alert of it has so far, `shows` where the alert will
 * show this event and no other.
 */
type Hit = { read: LiveRead; entry: WatchingEntry; kind: MatchKind; has: Pictured; shows: boolean };

/**
 * Matches reads against every list in force and writes their alerts. When it returns, they are committed and whoever
 * tells the members is being woken. Throws where a database does: then all of it may be done again.
 */
export async function matchReads(app: AppContext, reads: LiveRead[]): Promise<void> {
  for (let from = 0; from < reads.length; from += BATCH)
    await matchBatch(app, reads.slice(from, from + BATCH));
}

async function matchBatch(app: AppContext, reads: LiveRead[]): Promise<void> {
  const now = app.clock();
  const hits = await findHits(app, reads, now);
  if (hits.length === 0) return;
  const stored = await keepSentImages(
    app,
    hits.filter(({ shows }) => shows),
  );
  const corrections = await correctionsOf(app.db, hits);
  // Of two events of a pass in one batch the better one is written last, and so is what stays.
  const alerts = hits
    .toSorted((a, b) => a.read.rank - b.read.rank)
    .map((hit) => {
      const { origin, facts } = hit.read;
      const correction = origin.program === "Rekor" ? corrections.get(facts.cameraId) : undefined;
      return alertOf(hit, { now, stored: stored.get(hit), correction });
    });
  // By the clock of now: storing pictures takes its time, and lists of alerts tell new ones by when they were made.
  const untold = await writeAlerts(app.db, alerts, app.clock());
  // The sender need not wait for the queue: what is lost on the way to it stands in the outbox.
  app.waitUntil(announceAlerts(app, untold));
  const pictured = alerts.filter(({ vendorImages }) => vendorImages !== null).map(({ id }) => id);
  if (pictured.length > 0) app.waitUntil(copyVendorImages(app, pictured));
}

function alertOf(
  { read, entry, kind }: Hit,
  known: { now: number; stored: StoredKeys | undefined; correction: CameraCorrection | undefined },
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
    // Named by what it is of, so that two who make it at once make the same.
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
    cameraAgency: known.correction?.agency ?? null,
    differences: differencesOf(entry, read, known.now),
    vendorImages: left && (left.vehicle || left.plate) ? left : null,
  };
}

/** What the owner says of the Rekor cameras that hits came from, by camera; asked for hits only, which are few. */
async function correctionsOf(db: ControlDb, hits: Hit[]): Promise<Map<string, CameraCorrection>> {
  const reads = hits.map(({ read }) => read).filter(({ origin }) => origin.program === "Rekor");
  const ids = [...new Set(reads.map(({ facts }) => facts.cameraId))];
  if (ids.length === 0) return new Map();
  return new Map((await listCorrections(db, { ids })).map((one) => [one.cameraId, one]));
}

/** Alerts to make, and alerts of the same passes to amend, of entries whose agency may see the camera. */
async function findHits(app: AppContext, reads: LiveRead[], now: number): Promise<Hit[]> {
  const folded = reads.map(foldedPlates);
  const watching = await findWatching(app.db, {
    foldedPlates: [...new Set(folded.flat())],
    passKeys: [...new Set(reads.map(({ passKey }) => passKey))],
    now,
  });
  const wildcards = await wildcardEntries(app.db, { reads, watching, now });
  const earlier = await earlierAlerts(app.db, watching.alerts, now);
  const hits = reads.flatMap((read, at): Hit[] => {
    const candidates = [
      ...(folded[at] as string[]).flatMap((plate) => watching.entries.get(plate) ?? []),
      ...(wildcards.get(read) ?? []),
    ];
    const made = earlier.get(read.passKey) ?? [];
    if (candidates.length === 0 && made.length === 0) return [];
    const told = new Set(made.map(listingOf));
    const once = new Map(candidates.map((entry) => [entry.id, entry]));
    const fresh = [...once.values()].flatMap((entry): Hit[] => {
      if (told.has(listingOf(watchedBy(entry)))) return [];
      const { program } = read.origin;
      const isInTime = isTimely(entry, { program, capturedAt: read.facts.capturedAt }, now);
      const kind = isInTime ? matchKindOf(entry, read) : null;
      return kind ? [{ read, entry, kind, has: NO_PICTURES, shows: true }] : [];
    });
    // An alert stands whatever a later event says; it then says that too. The same event again changes nothing, but if
    // its first attempt ended halfway, the members have not been told yet.
    const amended = made.flatMap(({ entry, matchKind, rank, hasVehicle, hasPlate }): Hit[] => {
      if (!entry || rank > read.rank) return [];
      const kind = matchKindOf(entry, read) ?? matchKind;
      const has = { vehicle: hasVehicle === 1, plate: hasPlate === 1 };
      return [{ read, entry, kind, has, shows: rank < read.rank }];
    });
    // Events of one pass that come together amend each other's alerts.
    earlier.set(read.passKey, [...made, ...fresh.map(madeBy)]);
    return [...fresh, ...amended];
  });
  return maySeeOnly(app.db, hits, now);
}

const watchedBy = ({ groupId, plate, state }: WatchingEntry) => ({
  groupId,
  listedPlate: plate,
  listedState: state,
});

/** What is watched for, and by whom: an entry that takes the place of another like it alerts a pass no second time. */
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
    entry,
  };
}

async function maySeeOnly(db: ControlDb, hits: Hit[], now: number): Promise<Hit[]> {
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

/** What is held of the entries with wildcards of one database, and the number that it is true of. */
type Held = { version: number; ids: number[]; index: WildcardIndex };

/**
 * Kept between requests, since they are read at every car and hardly ever change. Every lookup brings the number that
 * moves with each change: what is held is never older than the lookup itself.
 */
const held = new WeakMap<object, Held>();

async function wildcardEntries(
  db: ControlDb,
  input: { reads: LiveRead[]; watching: Watching; now: number },
): Promise<Map<LiveRead, WatchingEntry[]>> {
  const { reads, watching, now } = input;
  let known = held.get(db.$client);
  if (known?.version !== watching.wildcardVersion) {
    const { version, entries } = await listWildcards(db);
    const index = indexWildcards(entries.map(({ plate }) => plate));
    known = { version, ids: entries.map(({ id }) => id), index };
    held.set(db.$client, known);
  }
  const { index, ids } = known;
  if (ids.length === 0) return new Map();
  const fitting = reads.map((read) => {
    const plates = new Set([read.plate, read.facts.plate].filter((plate) => plate !== ""));
    return [...plates].flatMap((plate) => findWildcards(index, plate)).map((number) => ids[number] as number);
  });
  const wanted = [...new Set(fitting.flat())];
  if (wanted.length === 0) return new Map();
  const entries = await findEntries(db, { ids: wanted, now, inForce: true });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return new Map(
    reads.map((read, at) => [
      read,
      (fitting[at] as number[]).map((id) => byId.get(id)).filter((entry) => entry !== undefined),
    ]),
  );
}

type MadeAlert = PassAlert & { entry: WatchingEntry | undefined };

/** What passes alerted before, with the entries as they are now: they stay in the books whatever becomes of them. */
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
