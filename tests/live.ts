/// <reference types="@cloudflare/vitest-plugin/types" />

import type { AppContext } from "#app/context.ts";
import { EntryDetails, type NewPlate } from "#app/entities/hotlists/calls.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { bindings, jsonInit, newUser, send, setUpPart, unique } from "./factories.ts";

/**
 * In the twenty hours before this instant, Axon's cameras of East Hartford saw eight cars. The simulated world depends
 * only on the time, and the hours before a test run may have no reads at all.
 */
export const BUSY_INSTANT = Date.UTC(2025, 5, 18, 20);

const LETTERS = "ACEFHJKLMNPRTUVWXY";
const DIGITS = "3479";
const PLATES = (LETTERS.length * DIGITS.length) ** 4;
/** Coprime to PLATES, so that no plate repeats before all are used, and consecutive plates differ a lot. */
const STRIDE = 10_000_019;
let lastPlate = Math.floor(Math.random() * PLATES);

/** Returns a plate that no other test has, of characters without look-alikes. */
export function newPlate(): string {
  lastPlate = (lastPlate + STRIDE) % PLATES;
  let rest = lastPlate;
  return Array.from({ length: 8 }, (_, i) => {
    const characters = i % 2 ? DIGITS : LETTERS;
    const character = characters.charAt(rest % characters.length);
    rest = Math.floor(rest / characters.length);
    return character;
  }).join("");
}

/** Returns a new hotlist entry for a plate. */
export function plate(number: string, over: Record<string, unknown> = {}): NewPlate {
  return { ...EntryDetails.parse({ reason: "Stolen vehicle", ...over }), number };
}

/** Creates a group that watches these plates, listed `listedAgo` ms ago; a new hotlist admin is its only member. */
export async function newGroup(
  agencyId: string,
  plates: NewPlate[],
  { listedAgo = 0 }: { listedAgo?: number } = {},
): Promise<{ id: string; entries: number[] }> {
  const author = await newUser(agencyId, { hotlistAdmin: true });
  const id = unique("group");
  await setUpPart({
    agencies: [{ id: agencyId, name: agencyId }],
    users: [author],
    alertGroups: [
      { id, agencyId, name: id, description: "", createdBy: author.id, members: [author.id], plates },
    ],
  });
  if (listedAgo > 0)
    await bindings.DB.prepare("UPDATE hotlist_entries SET created_at = created_at - ? WHERE group_id = ?")
      .bind(listedAgo, id)
      .run();
  const { results } = await bindings.DB.prepare(
    "SELECT id FROM hotlist_entries WHERE group_id = ? ORDER BY id",
  )
    .bind(id)
    .all<{ id: number }>();
  return { id, entries: results.map((row) => row.id) };
}

/** Inserts a Rekor webhook of an agency. Returns its id and secret. */
export async function newWebhook(agencyId: string): Promise<{ id: string; secret: string }> {
  const webhook = { id: unique("webhook"), secret: randomToken() };
  await bindings.DB.prepare(
    "INSERT INTO doors (id, agency_id, program, name, secret_hash, secret_last4, created_at, created_by) VALUES (?, ?, 'rekor', ?, ?, ?, 0, '')",
  )
    .bind(webhook.id, agencyId, webhook.id, await sha256(webhook.secret), webhook.secret.slice(-4))
    .run();
  return webhook;
}

/** Creates an Axis camera of an agency. Returns its id and the secret of its address. */
export async function newCamera(agencyId: string) {
  const one = { id: unique("camera"), secret: unique("secret") };
  await setUpPart({
    axisCameras: [{ ...one, agencyId, name: `Camera ${one.id}`, latitude: 41.76, longitude: -72.67 }],
  });
  return one;
}

/** Returns a group document of version 3, as Rekor agents send it. */
export function groupDocument(over: Record<string, unknown> = {}) {
  const at = (over.epoch_start as number | undefined) ?? Date.now();
  const number = (over.best_plate_number as string | undefined) ?? "AB12345";
  return {
    data_type: "alpr_group",
    version: 3,
    epoch_start: at,
    epoch_end: at + 3000,
    agent_uid: "AGENT1",
    agent_version: "4.1.1",
    agent_type: "alprd",
    camera_id: 1000,
    gps_latitude: 41.7637,
    gps_longitude: -72.6851,
    country: "us",
    best_plate: { plate: number, confidence: 93.2, region: "us-ct" },
    best_plate_number: number,
    best_confidence: 93.2,
    best_region: "us-ct",
    best_uuid: `AGENT1-1000-${at}`,
    is_preview: false,
    vehicle: { color: [{ name: "white", confidence: 99 }], make: [{ name: "bmw", confidence: 99 }] },
    web_server_config: { camera_label: "Main St NB", agent_label: "HQ" },
    ...over,
  };
}

export function postRekor(secret: string, document: unknown): Promise<Response> {
  return send(`/ingest/rekor/${secret}`, jsonInit(document));
}

/** Returns an event as an Axis camera pushes it. */
export function axisEvent(over: Record<string, unknown> = {}) {
  return {
    capture_timestamp: String(Date.now()),
    plateUTF8: "AB12345",
    plateCountry: "USA",
    plateRegionCode: "CT",
    plateConfidence: "0.91",
    carState: "new",
    carID: unique("car"),
    ...over,
  };
}

export function postAxis(secret: string, event: unknown): Promise<Response> {
  return send(`/ingest/axis/${secret}`, jsonInit(event));
}

export type AlertRow = {
  id: string;
  group_id: string;
  entry_id: number;
  pass_key: string;
  match_kind: string;
  plate: string;
  plate_state: string;
  make: string;
  confidence: number | null;
  camera_name: string;
  camera_agency_id: string;
  captured_at: number;
  vendor_images: string | null;
  differences: string;
  amended_at: number | null;
  disposition: string | null;
  vehicle_image_key: string | null;
  plate_image_key: string | null;
};

/** Returns the alerts of a group, in the order of their creation. */
export async function alertsOf(groupId: string): Promise<AlertRow[]> {
  const { results } = await bindings.DB.prepare("SELECT * FROM alerts WHERE group_id = ? ORDER BY rowid")
    .bind(groupId)
    .all<AlertRow>();
  return results;
}

/** Returns the context with an alert queue that only records the ids sent to it, in `told`. */
export function withoutQueue(app: AppContext): AppContext & { told: string[] } {
  const told: string[] = [];
  const alertJobs = {
    sendBatch: async (batch: Iterable<{ body: { id?: string } }>) => {
      for (const { body } of batch) told.push(body.id ?? "");
    },
  } as unknown as AppContext["alertJobs"];
  return { ...app, alertJobs, told };
}

export const daysAgo = (days: number) => isoTime(Date.now() - days * DAY);
