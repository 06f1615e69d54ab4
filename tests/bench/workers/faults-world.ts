// The world of the bench `faults`: agencies with cameras, groups whose members have phones, listed plates, and the
// events that their cars make. What each event must lead to is known from here, not from what is measured.

import type { AppContext } from "#app/context.ts";
import { setUp } from "#app/domain/setup.ts";
import { seal, sha256 } from "#app/lib/crypto.ts";
import { hex } from "#app/lib/encoding.ts";
import { stableId } from "#app/lib/stable-id.ts";
import { inOneStep } from "#app/store/database.ts";
import { deviceAddressOwner, saveDevice } from "#app/store/push-devices.ts";

const AGENCIES = 10;
const CAMERAS = 10;
/** Members of a group; the last group of an agency has none. */
const GROUPS = [4, 2, 0];
/** One car in so many is listed somewhere. */
const LISTED_EVERY = 47;
const LIST = 450;
/** One read in so many comes from Rekor's webhooks, in a document of its own. */
export const REKOR_EVERY = 25;

export type Event =
  | { kind: "list"; secret: string; body: object[] }
  | { kind: "document"; secret: string; body: object };

/** A member's phone, by the token that the push service knows. */
export type Device = { userId: string; token: string };

export type FaultWorld = {
  events: Event[];
  /** `entry's plate and group, plate that was read`: each must be one alert. */
  expected: Set<string>;
  devices: Device[];
};

/** A plate by its number; none is another with look-alikes exchanged, and the 0 in it is read as O where one is. */
const plateOf = (n: number) => {
  const letters = "ACEFHJKLMNPRTUVWXY";
  const letter = (by: number) => letters[Math.floor(n / by) % letters.length] as string;
  return `0${letter(1)}${letter(18)}${letter(324)}${letter(5832)}77`;
};

export async function makeWorld(
  app: AppContext,
  options: { db: D1Database; reads: number; now: number },
): Promise<FaultWorld> {
  const { db, reads, now } = options;
  const agencies = Array.from({ length: AGENCIES }, (_, i) => ({ id: `agency-${i}`, name: `Agency ${i}` }));
  const cameras = agencies.flatMap(({ id }) =>
    Array.from({ length: CAMERAS }, (_, i) => ({
      id: `${id}-camera-${i}`,
      agencyId: id,
      name: `Camera ${i}`,
      latitude: 41.7,
      longitude: -72.7,
      secret: `secret of ${id} ${i}`,
    })),
  );
  await setUp(app, {
    agencies,
    axisCameras: cameras,
    users: [],
    rekorKeys: [],
    axonIntegrations: [],
    axonBlacklist: [],
    axisShares: [],
  });
  for (const { id } of agencies)
    await db
      .prepare(
        "INSERT INTO doors (id, agency_id, program, name, secret_hash, secret_last4, created_at, created_by) VALUES (?1, ?1, 'rekor', ?1, ?2, 'door', 0, '')",
      )
      .bind(id, await sha256(`door of ${id}`))
      .run();
  const devices: Device[] = [];
  for (const { id } of agencies)
    for (const [g, size] of GROUPS.entries())
      devices.push(...(await addGroup(app, { db, agency: id, g, size })));

  const entries: [group: string, plate: string, policy: string][] = [];
  const expected = new Set<string>();
  const lists = new Map<string, object[]>(cameras.map(({ secret }) => [secret, []]));
  const events: Event[] = [];
  for (let n = 0; n < reads; n++) {
    const plate = plateOf(n);
    let seen = plate;
    const camera = cameras[n % cameras.length] as (typeof cameras)[0];
    const group = (g: number, agency = camera.agencyId) => `${agency}-group-${g}`;
    const watch = (listed: string, policy: string, g: number) => {
      entries.push([group(g), listed, policy]);
      expected.add(`${group(g)} ${listed} ${seen}`);
    };
    if (n % LISTED_EVERY === 0) {
      const shape = (n / LISTED_EVERY) % 5;
      if (shape === 1) seen = `O${plate.slice(1)}`;
      watch(shape === 2 ? `${plate.slice(0, 6)}?` : plate, shape === 1 ? "lookalike" : "exact", 0);
      if (shape === 3) watch(plate, "exact", 1);
      if (shape === 4) watch(plate, "exact", 2);
      // Another agency watches for it too, and may not see this camera.
      const other = agencies[(agencies.findIndex(({ id }) => id === camera.agencyId) + 1) % AGENCIES];
      entries.push([group(0, other?.id), plate, "lookalike"]);
    }
    // No two passes of a camera at one instant.
    const at = now - 120_000 + n;
    const twice = n % 7 === 0;
    if (n % REKOR_EVERY === 0) {
      const document = rekorDocument(seen, { agent: camera.id, at });
      for (const is_preview of twice ? [true, false] : [false])
        events.push({
          kind: "document",
          secret: `door of ${camera.agencyId}`,
          body: { ...document, is_preview },
        });
      continue;
    }
    for (const carState of twice ? ["new", "lost"] : ["lost"]) {
      const list = lists.get(camera.secret) as object[];
      list.push(axisEvent(seen, { car: `car ${n}`, at, carState }));
      if (list.length === LIST) events.push({ kind: "list", secret: camera.secret, body: list.splice(0) });
    }
  }
  for (const [secret, body] of lists) if (body.length > 0) events.push({ kind: "list", secret, body });
  for (let from = 0; from < entries.length; from += 2000)
    await db
      .prepare(
        `INSERT INTO hotlist_entries (group_id, plate, match_policy, created_at, added_by, added_by_name, added_by_agency,
          digest, from_version) SELECT value ->> 0, value ->> 1, value ->> 2, 0, '', '', '', 0, 1 FROM json_each(?)`,
      )
      .bind(JSON.stringify(entries.slice(from, from + 2000)))
      .run();
  return { events, expected, devices };
}

const axisEvent = (plate: string, { car, at, carState }: { car: string; at: number; carState: string }) => ({
  capture_timestamp: String(at),
  plateUTF8: plate,
  plateCountry: "USA",
  plateRegionCode: "CT",
  plateConfidence: "0.91",
  carState,
  carID: car,
});

const rekorDocument = (plate: string, { agent, at }: { agent: string; at: number }) => ({
  data_type: "alpr_group",
  version: 3,
  epoch_start: at,
  epoch_end: at + 3000,
  agent_uid: agent,
  camera_id: 7,
  country: "us",
  best_plate_number: plate,
  best_confidence: 93.2,
  best_region: "us-ct",
});

/** A group whose members all want pushes and have one phone each; gives the phones. */
async function addGroup(
  app: AppContext,
  options: { db: D1Database; agency: string; g: number; size: number },
): Promise<Device[]> {
  const { db, agency, g, size } = options;
  const group = `${agency}-group-${g}`;
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
