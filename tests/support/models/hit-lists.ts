// Changes of groups' lists, made in the product and in the model, which must have the same plates before and after.

import { expect } from "vitest";
import { openImport } from "#app/domain/hotlists/imports.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { at } from "#app/lib/at.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { actorOf, type Client, formInit, testApp } from "../../factories.ts";
import { endImport } from "../acts/hotlists.ts";
import type { Commands } from "./hit-commands.ts";
import { REASON, type World } from "./hit-world.ts";
import { keyOf, type ModelEntry, type ModelGroup } from "./hits.ts";
import * as lists from "./lists.ts";
import { status } from "./sequences.ts";

type Listed = {
  id: number;
  revision: number;
  plate_number: string;
  state: string;
  match_policy: string;
  state_required: boolean;
  expires_at: string | null;
};

/** Returns the plates of a group, after comparing them with the model. */
async function platesOf(world: World, group: ModelGroup): Promise<Listed[]> {
  const admin = await world.as(at(world.admins, group.agency));
  const answer = await status(admin.fetch(`/groups/${group.id}/edit-data`), 200, "edit-data");
  const { plates } = await answer.json<{ plates: Listed[] }>();
  const found = plates.map((one) => [
    `${one.plate_number}|${one.state}`,
    [one.match_policy, one.state_required, one.expires_at],
  ]);
  const wanted = [...group.entries].map(([key, one]) => [
    key,
    [one.policy, one.required, one.expiresAt === null ? null : isoTime(one.expiresAt)],
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
  return plates;
}

type Chosen = { admin: Client; group: ModelGroup };

/** Does something to a group that is not archived, as its administrator. */
async function inGroup(world: World, n: number, act: (chosen: Chosen) => Promise<unknown>): Promise<void> {
  const groups = world.is.groups.filter(({ archived }) => !archived);
  const group = groups[n % groups.length];
  if (!group) return;
  await act({ admin: await world.as(at(world.admins, group.agency)), group });
  await platesOf(world, group);
}

/** Does something to an entry of a group. */
function toEntry(
  world: World,
  { group: n, entry: m }: { group: number; entry: number },
  act: (chosen: Chosen & { entry: ModelEntry; row: Listed }) => Promise<unknown>,
): Promise<void> {
  return inGroup(world, n, async (chosen) => {
    const { group } = chosen;
    const entry = [...group.entries.values()][m % group.entries.size];
    const plates = await platesOf(world, group);
    const row = plates.find((one) => entry && `${one.plate_number}|${one.state}` === keyOf(entry));
    if (entry && row) await act({ ...chosen, entry, row });
  });
}

const until = ({ is }: World, ms: number | null) => (ms === null ? null : is.now + ms);
const wish = ({ is }: World, ms: number | null) => (ms === null ? "never" : isoTime(is.now + ms));

function csvOf(rows: lists.Row[]): string {
  const lines = rows.map(({ plate, state, expiresAt }) =>
    [plate, state, REASON, expiresAt === null ? "" : isoTime(expiresAt)].join(","),
  );
  return ["plate,state,reason,expiry", ...lines].join("\n");
}

const rowsOf = (world: World, rows: Commands["import"]["rows"]): lists.Row[] =>
  rows.map(({ plate, state, expires }) => ({ plate, state, expiresAt: until(world, expires) }));

export function list(world: World, { group: n, expires, ...input }: Commands["list"]): Promise<void> {
  return inGroup(world, n, ({ admin, group }) => {
    const { plate, state, policy, required } = input;
    const wanted = lists.list(world.is, group, { ...input, expiresAt: until(world, expires) });
    const body = {
      ...{ plate_number: plate, reason: REASON, state, group_id: group.id },
      ...{ match_policy: policy, state_required: required && state !== "", expires: wish(world, expires) },
    };
    return status(admin.post("/hotlist/add-plate-direct", body), wanted, `list ${plate} ${state}`);
  });
}

export function edit(world: World, input: Commands["edit"]): Promise<void> {
  return toEntry(world, input, ({ admin, group, entry, row }) => {
    const { state, policy, required, expires } = input;
    const renew = input.renew && expires === undefined;
    const renewed = renew ? lists.policyExpiry(world.is, group) : undefined;
    const expiresAt = expires === undefined ? renewed : until(world, expires);
    const wanted = lists.edit(world.is, group, entry, {
      ...(state !== undefined && { state }),
      ...(policy && { policy }),
      ...(required !== undefined && { required }),
      ...(expiresAt !== undefined && { expiresAt }),
    });
    const body = {
      ...{ revision: row.revision, renew, state, match_policy: policy, state_required: required },
      ...(expires !== undefined && { expires: wish(world, expires) }),
    };
    const path = `/groups/${group.id}/plates/${row.id}`;
    return status(admin.post(path, body, { method: "PATCH" }), wanted, "edit");
  });
}

export function remove(world: World, input: Commands["remove"]): Promise<void> {
  return toEntry(world, input, ({ admin, group, entry, row }) => {
    lists.remove(group, entry);
    const form = formInit({ plate_id: String(row.id) });
    return status(admin.fetch(`/groups/${group.id}/remove-plate`, form), 200, "remove");
  });
}

export function renew(world: World, { group: n, part }: Commands["renew"]): Promise<void> {
  return inGroup(world, n, ({ admin, group }) => {
    lists.renewPart(world.is, group, part);
    return status(admin.post(`/groups/${group.id}/renew-plates`, { part }), 200, "renew");
  });
}

/** Imports a file in one request, which is refused while another import of the group is open. */
export function upload(world: World, { group: n, mode, rows }: Commands["import"]): Promise<void> {
  return inGroup(world, n, ({ admin, group }) => {
    const given = rowsOf(world, rows);
    const wanted = group.open ? 409 : 200;
    if (wanted === 200) {
      lists.openImport(world.is, group, given, mode);
      lists.readImport(world.is, group, { isUpload: true });
      lists.applyImport(world.is, group);
    }
    const form = formInit({ mode, csv_file: new File([csvOf(given)], "plates.csv") });
    return status(admin.fetch(`/groups/${group.id}/bulk-upload-plates`, form), wanted, "import");
  });
}

/** Uploads a file, which may be read at once, or later. */
export function begin(
  world: World,
  { group: n, mode, onConflict, rows, reads }: Commands["begin"],
): Promise<void> {
  return inGroup(world, n, async ({ admin, group }) => {
    if (group.open) return;
    const given = rowsOf(world, rows);
    const body = new TextEncoder().encode(csvOf(given));
    const options = { preset: "odin" as const, mode, on_conflict: onConflict, name: "plates.csv" };
    const actor = (await actorOf(admin)) as SessionActor;
    const { id } = await openImport(testApp(), actor, {
      groupId: group.id,
      options,
      body,
      size: body.length,
    });
    lists.openImport(world.is, group, given, mode);
    world.imports.set(group, id);
    if (!reads) return;
    await endImport(testApp(), id);
    lists.readImport(world.is, group);
  });
}

/** Applies or cancels the open import. */
export function end(world: World, { group: n, how }: Commands["end"]): Promise<void> {
  return inGroup(world, n, async ({ admin, group }) => {
    const id = world.imports.get(group) ?? "";
    if (!group.open) return;
    if (how === "apply") {
      await endImport(testApp(), id);
      lists.readImport(world.is, group);
      lists.applyImport(world.is, group);
    }
    group.open = undefined;
    await status(admin.fetch(`/groups/${group.id}/import/${id}/${how}`, { method: "POST" }), 200, how);
    await endImport(testApp(), id);
  });
}
