// The world of the bench `faults`: agencies with cameras, groups whose members have phones, listed plates, and the
// posts of the cameras. The expected alerts of each read are derived here, independently of the product.

import type { AppContext } from "#app/context.ts";
import { setUp } from "#app/domain/operations/setup.ts";
import { hex } from "#app/lib/crypto/encoding.ts";
import { seal, sha256 } from "#app/lib/crypto/primitives.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { deviceAddressOwner, saveDevice } from "#app/store/alerts/push-devices.ts";
import { inOneStep } from "#app/store/database.ts";
import {
  type AxonRead,
  axonId,
  axonIntegrations,
  axonReads,
  axonWatched,
  type VendorSide,
} from "./faults-axon.ts";
import { axisEvent, type Post, rekorDocument } from "./faults-posts.ts";

const AGENCIES = 10;
const CAMERAS = 10;
/** Number of members of each group of an agency. */
const GROUPS = [4, 2, 0];
/** One car in LISTED_EVERY is listed, and one in REKOR_LISTED_EVERY, so that the fewer cars of Rekor are listed too. */
const LISTED_EVERY = 47;
const REKOR_LISTED_EVERY = 200;
const LIST = 450;
/** One car in this many is posted to Rekor's webhooks, each in its own document. */
const REKOR_EVERY = 25;
/** The agency that the owner of the first Axon integration has blocked. */
const SHUT_OUT = AGENCIES - 1;

/** A member's phone, with its push token. */
export type Device = { userId: string; token: string };

export type FaultWorld = {
  posts: Post[];
  /** The number of expected alerts for each name (`alertName`). */
  expected: Map<string, number>;
  devices: Device[];
  agencies: string[];
  /** Plates read by Axis cameras, each of a different car: all are kept. */
  kept: Set<string>;
  axonReads: number;
};

/** Returns the key that alerts are counted by. */
export const alertName = (alert: { group: string; listed: string; read: string }) =>
  `${alert.group} ${alert.listed} ${alert.read}`;

/** Returns the n-th plate. No two are look-alikes of each other; a leading 0 allows a misread as O. */
const plateOf = (n: number) => {
  const letters = "ACEFHJKLMNPRTUVWXY";
  const letter = (by: number) => letters[Math.floor(n / by) % letters.length] as string;
  return `0${letter(1)}${letter(18)}${letter(324)}${letter(5832)}77`;
};

type Camera = { id: string; agencyId: string; secret: string };

/** Listed plates and the alerts expected of them. */
type Lists = { entries: [group: string, plate: string, policy: string][]; expected: Map<string, number> };

const groupOf = (agency: string, g: number) => `${agency}-group-${g}`;

/** Creates the world. Axon's reads are checked within `window`. */
export async function makeWorld(
  app: AppContext,
  options: {
    db: D1Database;
    reads: number;
    now: number;
    vendors: VendorSide;
    window: { from: number; to: number };
  },
): Promise<FaultWorld> {
  const { db, reads, now, vendors, window } = options;
  const agencies = Array.from({ length: AGENCIES }, (_, i) => `agency-${i}`);
  const cameras = agencies.flatMap((agencyId) =>
    Array.from({ length: CAMERAS }, (_, i) => ({
      id: `${agencyId}-camera-${i}`,
      agencyId,
      name: `Camera ${i}`,
      latitude: 41.7,
      longitude: -72.7,
      secret: `secret of ${agencyId} ${i}`,
    })),
  );
  const integrations = await axonIntegrations(vendors, agencies);
  await setUp(app, {
    agencies: agencies.map((id) => ({ id, name: id })),
    axisCameras: cameras,
    users: [],
    rekorKeys: [],
    axonIntegrations: integrations,
    axonBlacklist: [{ integrationId: axonId(0), agencyId: agencies[SHUT_OUT] as string }],
    axisShares: [],
    webhooks: agencies.map((id) => ({
      id,
      agencyId: id,
      name: id,
      secret: `webhook of ${id}`,
      createdBy: "",
    })),
  });
  for (const { id } of integrations)
    await db
      .prepare("INSERT INTO poll_cursors (integration_id, cursor, leased_until, at) VALUES (?, ?, 0, 0)")
      .bind(id, isoTime(window.from))
      .run();
  const devices: Device[] = [];
  for (const agency of agencies)
    for (const [g, size] of GROUPS.entries()) devices.push(...(await addGroup(app, { db, agency, g, size })));

  const lists: Lists = { entries: [], expected: new Map() };
  const fromAxon = axonReads(vendors.readsPerDay, window);
  watchAxon(lists, agencies, fromAxon);
  const passed = pass(lists, { cars: reads - fromAxon.length, cameras, agencies, now });
  await addEntries(db, lists.entries);
  return { ...passed, expected: lists.expected, devices, agencies, axonReads: fromAxon.length };
}

function expectAlert({ expected }: Lists, alert: Parameters<typeof alertName>[0]): void {
  const name = alertName(alert);
  expected.set(name, (expected.get(name) ?? 0) + 1);
}

/** Creates the posts to our webhooks: each car passes one camera once. */
function pass(
  lists: Lists,
  input: { cars: number; cameras: Camera[]; agencies: string[]; now: number },
): { posts: Post[]; kept: Set<string> } {
  const { cars, cameras, agencies, now } = input;
  const posts: Post[] = [];
  const kept = new Set<string>();
  const gathered = new Map<string, object[]>(cameras.map(({ secret }) => [secret, []]));
  let listed = 0;
  for (let n = 0; n < cars; n++) {
    const camera = cameras[n % cameras.length] as Camera;
    // A camera has no two passes at the same instant.
    const at = now - 120_000 + n;
    const isTwice = n % 7 === 0;
    const isListed = n % LISTED_EVERY === 0 || n % REKOR_LISTED_EVERY === 0;
    const shape = isListed ? listed++ % 5 : null;
    const plate = plateOf(n);
    const seen = shape === 1 ? `O${plate.slice(1)}` : plate;
    if (shape !== null) watchCar(lists, { plate, seen, shape, agency: camera.agencyId, agencies });
    if (n % REKOR_EVERY === 0) {
      for (const isPreview of isTwice ? [true, false] : [false])
        posts.push({
          program: "rekor",
          secret: `webhook of ${camera.agencyId}`,
          body: rekorDocument(seen, { agent: camera.id, at, isPreview, pictured: isListed }),
        });
      continue;
    }
    kept.add(seen);
    for (const carState of isTwice ? (["new", "lost"] as const) : (["lost"] as const)) {
      const event = axisEvent(seen, { car: `car ${n}`, at, carState, pictured: isListed });
      // Most listed cars are posted at once, as connected cameras do; others are posted in lists.
      if (shape !== null && shape > 0) {
        posts.push({ program: "axis", secret: camera.secret, body: event, asForm: shape === 3 });
        continue;
      }
      const list = gathered.get(camera.secret) as object[];
      list.push(event);
      if (list.length === LIST) posts.push({ program: "axis", secret: camera.secret, body: list.splice(0) });
    }
  }
  for (const [secret, body] of gathered) if (body.length > 0) posts.push({ program: "axis", secret, body });
  return { posts, kept };
}

function watchCar(
  lists: Lists,
  car: { plate: string; seen: string; shape: number; agency: string; agencies: string[] },
): void {
  const { plate, seen, shape, agency, agencies } = car;
  const watch = (listed: string, policy: string, g: number) => {
    const group = groupOf(agency, g);
    lists.entries.push([group, listed, policy]);
    expectAlert(lists, { group, listed, read: seen });
  };
  watch(shape === 2 ? `${plate.slice(0, 6)}?` : plate, shape === 1 ? "lookalike" : "exact", 0);
  if (shape === 3) watch(plate, "exact", 1);
  if (shape === 4) watch(plate, "exact", 2);
  // Another agency lists the plate too, but has no access to this camera.
  const other = agencies[(agencies.indexOf(agency) + 1) % agencies.length] as string;
  lists.entries.push([groupOf(other, 0), plate, "lookalike"]);
}

/** Lists Axon plates for the cameras' owner, and for some, for another agency or for the blocked one. */
function watchAxon(lists: Lists, agencies: string[], reads: AxonRead[]): void {
  const watchers = new Map<string, Set<string>>();
  for (const [i, { plate, integration }] of axonWatched(reads).entries()) {
    const own = watchers.get(plate) ?? new Set<string>();
    watchers.set(plate, own.add(groupOf(agencies[integration] as string, 1)));
    if (i % 3 === 0) own.add(groupOf(agencies[integration + 4] as string, 0));
    if (i % 3 === 1) own.add(groupOf(agencies[SHUT_OUT] as string, 0));
  }
  for (const [plate, groups] of watchers)
    for (const group of groups) lists.entries.push([group, plate, "exact"]);
  for (const { plate, integration } of reads)
    for (const group of watchers.get(plate) ?? [])
      if (integration !== 0 || group !== groupOf(agencies[SHUT_OUT] as string, 0))
        expectAlert(lists, { group, listed: plate, read: plate });
}

async function addEntries(db: D1Database, entries: Lists["entries"]): Promise<void> {
  for (let from = 0; from < entries.length; from += 2000)
    await db
      .prepare(
        `INSERT INTO hotlist_entries (group_id, plate, match_policy, created_at, added_by, added_by_name, added_by_agency,
          digest, from_version) SELECT value ->> 0, value ->> 1, value ->> 2, 0, '', '', '', 0, 1 FROM json_each(?)`,
      )
      .bind(JSON.stringify(entries.slice(from, from + 2000)))
      .run();
}

/** Creates a group whose members have pushes enabled and one phone each; returns the phones. */
async function addGroup(
  app: AppContext,
  options: { db: D1Database; agency: string; g: number; size: number },
): Promise<Device[]> {
  const { db, agency, g, size } = options;
  const group = groupOf(agency, g);
  const users = Array.from({ length: size }, (_, i) => `${group}-member-${i}`);
  const ids = JSON.stringify(users);
  await db.batch([
    db
      .prepare(
        `INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by)
          VALUES (?1, ?2, ?1, 1, 'u', 1, 'u')`,
      )
      .bind(group, agency),
    db
      .prepare(
        `INSERT INTO users (id, agency_id, username, name, email, role, hotlist_viewer, password_hash, created_at)
          SELECT value, ?1, value, value, value || '@police.example', 'user', 1, 'none', 1 FROM json_each(?2)`,
      )
      .bind(agency, ids),
    db
      .prepare(
        "INSERT INTO alert_group_members (group_id, user_id, added_at, added_by) SELECT ?1, value, 1, 'u' FROM json_each(?2)",
      )
      .bind(group, ids),
    db
      .prepare(
        "INSERT INTO push_preferences (user_id, enabled, time_zone, changed_at) SELECT value, 1, 'UTC', 1 FROM json_each(?1)",
      )
      .bind(ids),
  ]);
  const phones: Device[] = [];
  for (const userId of users) {
    const address = `1${hex(crypto.getRandomValues(new Uint8Array(32)))}`.slice(0, 64);
    const addressHash = await sha256(address);
    const id = stableId("push-device", userId, addressHash);
    const sealedAddress = await seal(app.config.sealingKeys, deviceAddressOwner(id), address);
    const device = { id, userId, channel: "apns" as const, name: "Phone", addressHash, sealedAddress };
    await inOneStep(app.db, [saveDevice(app.db, { ...device, createdAt: 1 })]);
    phones.push({ userId, token: address });
  }
  return phones;
}
