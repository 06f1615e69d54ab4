// What the model of hits is compared with: agencies, users, cameras and webhooks of the product.

import { vi } from "vitest";
import { at } from "#app/lib/at.ts";
import { bindings, client, newAgency, newUser, type TestUser } from "../../factories.ts";
import { newCamera, newWebhook } from "../../live.ts";
import { AGENCIES, RIGHTS } from "./hit-commands.ts";
import * as model from "./hits.ts";
import { signedInClients, status } from "./sequences.ts";

export const REASON = "Stolen vehicle";
export type Sent = { made: Made; event: model.Event; post: () => Promise<Response> };
export type Made = { model: model.Pass; carId: string; camera: number };

/** Creates agencies with users of all rights, cameras and webhooks, at a time of whole seconds: files have no fractions. */
export async function newWorld(start: number) {
  vi.setSystemTime(start);
  const agencies = await Promise.all(Array.from({ length: AGENCIES }, () => newAgency()));
  const admins = await Promise.all(agencies.map(({ id }) => newUser(id, { role: "admin" })));
  const people: TestUser[] = [];
  for (const { id } of agencies)
    for (const right of RIGHTS)
      people.push(
        await newUser(id, {
          role: right === "admin" ? "admin" : "user",
          hotlistAdmin: right === "hotadmin",
          hotlistViewer: right === "viewer",
        }),
      );
  const users = people.map(
    ({ id }, i): model.ModelUser => ({
      ...{ id, agency: Math.floor(i / RIGHTS.length), disabled: false, push: { on: false, quiet: null } },
      right: at(RIGHTS, i % RIGHTS.length),
    }),
  );
  const cameras = await Promise.all(agencies.map(({ id }) => newCamera(id)));
  const webhooks = await Promise.all(agencies.map(({ id }) => newWebhook(id)));
  for (const person of people)
    if (person.role === "admin" || person.hotlistAdmin || person.hotlistViewer) {
      const token = crypto.randomUUID().replaceAll("-", "").repeat(2);
      await status(
        (await client(person)).post("/push/devices", { channel: "apns", token, name: "Phone" }),
        200,
        "device",
      );
    }
  const devices = new Set(users.filter(({ right }) => right !== "none"));
  const is = model.newModel(start, users, AGENCIES);
  const as = signedInClients(is);
  return {
    ...{ agencies, admins, people, cameras, webhooks, as, devices },
    pushed: new Set<string>(),
    ids: new Map<string, string>(),
    polls: new Map<model.ModelUser, { cursor: string; at: number; seen: number }>(),
    is,
    passes: [] as Made[],
    sent: [] as Sent[],
    imports: new Map<model.ModelGroup, string>(),
  };
}
export type World = Awaited<ReturnType<typeof newWorld>>;

export type Row = {
  id: string;
  group_id: string;
  listed_plate: string;
  listed_state: string;
  plate: string;
  plate_state: string;
  program: string;
  camera_agency_id: string;
  captured_at: number;
  fanned_out_at: number | null;
};

export const sorted = (texts: string[]) => texts.toSorted();

export async function rowsOf(world: World): Promise<Row[]> {
  const ids = JSON.stringify(world.is.groups.map(({ id }) => id));
  const { results } = await bindings.DB.prepare(
    "SELECT * FROM alerts WHERE group_id IN (SELECT value FROM json_each(?))",
  )
    .bind(ids)
    .all<Row>();
  return results;
}

export const nameOfRow = (row: Row) =>
  [row.group_id, row.listed_plate, row.listed_state, row.program, row.camera_agency_id, row.captured_at].join(
    " ",
  );
export const nameOfHit = (world: World, hit: model.ModelHit) =>
  [
    hit.group.id,
    hit.plate,
    hit.state,
    hit.pass.program,
    at(world.agencies, hit.pass.owner).id,
    hit.pass.firstAt,
  ].join(" ");
