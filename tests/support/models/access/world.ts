// What the model of access is compared with: agencies whose people, cameras, lists and settings have marks, which are
// texts that nothing else has.

import { vi } from "vitest";
import { SERVICE_SCOPES } from "#app/entities/accounts/service-scopes.ts";
import { at } from "#app/lib/at.ts";
import {
  bindings,
  type Client,
  client,
  newAgency,
  newService,
  setUpPart,
  type TestUser,
  unique,
  userOf,
  vendors,
} from "../../../factories.ts";
import { groupDocument, newPlate, newWebhook, postRekor } from "../../../live.ts";
import type { ModelGroup, Right } from "../hits.ts";
import { status } from "../sequences.ts";
import * as model from "./rules.ts";

export const AGENCIES = 3;
const RIGHTS: Right[] = ["none", "viewer", "hotadmin", "admin"];

export type ThingKind =
  | "group"
  | "hit"
  | "result"
  | "export"
  | "outgoing"
  | "service"
  | "user"
  | "agency"
  | "hold"
  | "camera"
  | "key"
  | "webhook"
  | "entry"
  | "attachment"
  | "image"
  | "finding";

/** Something with an id of its own. */
export type Thing = {
  kind: ThingKind;
  id: string;
  /** Who may open it now. */
  mayOpen: (viewer: model.Person) => boolean;
  marks: string[];
  /** Whose it is, if it is one person's alone. */
  by?: model.Person;
  /** The group, or the plate, that an address names besides. */
  in?: string;
};

const used = new Set<string>();

/** Returns a text that is a plate and part of a name, and that no other secret has. */
export function newMark(): string {
  for (;;) {
    const mark = `QX${newPlate().slice(0, 6)}`;
    if (used.has(mark)) continue;
    used.add(mark);
    return mark;
  }
}

/** The owner, who administers all agencies. There is one in an installation, in an agency of its own. */
async function newOwner(): Promise<TestUser> {
  const { id } = await newAgency();
  const mark = newMark();
  const user = userOf(id, { username: "owner", name: `Owner ${mark}`, role: "admin" });
  await setUpPart({ users: [user] });
  return user;
}
let owner: Promise<TestUser> | undefined;

/** Creates the agencies and everything that they have, at a time of whole seconds. */
export async function newWorld(start: number) {
  vi.setSystemTime(start);
  owner ??= newOwner();
  const ownerUser = await owner;
  const agencies = await Promise.all(Array.from({ length: AGENCIES }, () => newAgency()));
  const is: model.Model = {
    ...{ now: start, people: [], groups: [], acted: new Map(), shares: new Map(), keptOut: new Set() },
    ...{ results: [], exports: [], secrets: new Map() },
    known: Array.from({ length: AGENCIES + 1 }, () => new Set()),
  };
  const accounts = new Map<model.Person, TestUser>();
  const things: Thing[] = [];
  const secret = (what: string, mayKnow: model.Secret["mayKnow"], kind: model.SecretKind = "other") => {
    const mark = newMark();
    is.secrets.set(mark, { what, kind, mayKnow });
    return mark;
  };
  const person = (user: TestUser, agency: number, right: Right, mark: string) => {
    const one = model.newPerson(user.id, { agency, right, mark });
    is.people.push(one);
    accounts.set(one, user);
    is.secrets.set(mark, {
      what: `the name of ${user.id}`,
      kind: "other",
      mayKnow: (viewer) => model.mayKnowPerson(is, viewer, one),
    });
    is.known[agency]?.add(mark);
    const mayOpen = (viewer: model.Person) => model.isAdmin(viewer) && viewer.agency === agency;
    things.push({ kind: "user", id: user.id, mayOpen, marks: [mark] });
    return one;
  };
  const users: TestUser[] = [];
  for (const [agency, { id }] of agencies.entries())
    for (const right of [...RIGHTS, "admin" as const]) {
      const mark = newMark();
      const user = userOf(id, {
        ...{ username: unique(`user-${mark}`).toLowerCase(), name: `Name ${mark}` },
        ...{ role: right === "admin" ? "admin" : "user" },
        ...{ hotlistAdmin: right === "hotadmin", hotlistViewer: right === "viewer" },
      });
      users.push(user);
      person(user, agency, right, mark);
    }
  const ownerMark = /QX\w{6}/.exec(ownerUser.name)?.[0] ?? "";
  person(ownerUser, AGENCIES, "admin", ownerMark).isOwner = true;
  const ofAgency = (agency: number) => (viewer: model.Person) =>
    model.isAdmin(viewer) && viewer.agency === agency;
  /** Those whose agency may search the camera or is alerted by it, and those who see one of its hits. */
  const cameraHits = new Map<string, Set<ModelGroup>>();
  const camera = (program: "Axis" | "Rekor", agency: number) => {
    const hits = new Set<ModelGroup>();
    const mark = secret(`a camera of ${program}`, (viewer) => {
      if (viewer.disabled) return false;
      if (viewer.isOwner && program === "Rekor") return true;
      if (model.seesAny(viewer, hits) || model.hasFound(is, viewer, mark)) return true;
      return model.maySearch(is, program, agency, viewer.agency);
    });
    cameraHits.set(mark, hits);
    return mark;
  };
  const axis = agencies.map(({ id: agencyId }, agency) => {
    const mark = camera("Axis", agency);
    const id = unique("camera");
    things.push({ kind: "camera", id, mayOpen: ofAgency(agency), marks: [mark] });
    return {
      ...{ id, agencyId, name: `Camera ${mark}`, secret: unique("secret") },
      ...{ latitude: 41.5, longitude: -72.5 },
    };
  });
  const rekorKeys = agencies.map(({ id: tenantId }, agency) => {
    const name = secret(
      "the agency of a Rekor key",
      (viewer) => !viewer.disabled && viewer.agency === agency,
    );
    const key = secret("a Rekor key", () => false);
    const id = unique("rekor");
    things.push({ kind: "key", id, mayOpen: ofAgency(agency), marks: [name] });
    return {
      id,
      tenantId,
      agency: `Department ${name}`,
      baseUrl: vendors.url,
      key: `${key}-${unique("key")}`,
    };
  });
  const axonUrl = secret(
    "the address of Axon",
    (viewer) => !viewer.disabled && model.maySearch(is, "Axon", model.AXON_OWNER, viewer.agency),
  );
  const axonIds = secret("the ids of Axon", ofAgency(model.AXON_OWNER));
  const axonSecret = secret("the secret of Axon", () => false);
  await setUpPart({
    ...{ users, axisCameras: axis, rekorKeys },
    axonIntegrations: [
      {
        ...{ id: unique("axon"), agencyId: at(agencies, model.AXON_OWNER).id },
        ...{ baseUrl: `${vendors.url}/axon/${axonUrl}`, clientId: `id-${axonIds}` },
        ...{ clientSecret: `secret-${axonSecret}`, partnerId: `partner-${axonIds}` },
      },
    ],
  });
  await bindings.DB.prepare("UPDATE agencies SET investigations_per_day = 1000").run();
  const webhooks: { secret: string; mark: string; cameraId: string }[] = [];
  for (const [agency, { id }] of agencies.entries()) {
    const webhook = await newWebhook(id);
    const [mark, cameraId] = [camera("Rekor", agency), unique("rekor-camera")];
    webhooks.push({ secret: webhook.secret, mark, cameraId });
    things.push({ kind: "webhook", id: webhook.id, mayOpen: ofAgency(agency), marks: [] });
    const named = secret("the name of a webhook", ofAgency(agency));
    await bindings.DB.prepare("UPDATE doors SET name = ? WHERE id = ?")
      .bind(`Scout ${named}`, webhook.id)
      .run();
  }
  const clients = new Map<model.Person, { since: number; client: Client }>();
  /** Sessions from before a change of the person's rights. */
  const stale = new Map<model.Person, Client>();
  const world = {
    ...{ is, agencies, accounts, things, secret, axis, webhooks, cameraHits, clients, stale, ofAgency },
    plates: new Map<string, model.Plate>(),
    holds: [] as { id: string; agency: number; by: model.Person; state: string }[],
    services: [] as { person: model.Person; id: string }[],
    /** Reads that came, by plate. */
    entries: [] as { group: ModelGroup; mark: string; id: number; revision: number }[],
    counts: { asked: 0, opened: 0, refused: 0, changes: 0, rows: 0, marks: 0 },
  };
  await addServices(world);
  await addSettings(world);
  for (const { id } of agencies)
    things.push({ kind: "agency", id, mayOpen: (one) => one.isOwner, marks: [] });
  return world;
}
export type World = Omit<Awaited<ReturnType<typeof newWorld>>, never>;

/** Returns the administrator of an agency who never changes; of the last one it is the owner. */
export const chiefOf = ({ is }: World, agency: number): model.Person =>
  agency < AGENCIES ? at(is.people, agency * 5 + 4) : at(is.people, AGENCIES * 5);

const FRESH_MS = 5 * 60_000;

/** Returns a person's client. Its session begins again after a while, or when the rights have changed. */
export async function clientOf(world: World, person: model.Person): Promise<Client> {
  const known = world.clients.get(person);
  if (known && (person.isService || world.is.now - known.since < FRESH_MS)) return known.client;
  const one = await client(world.accounts.get(person) as TestUser);
  world.clients.set(person, { since: world.is.now, client: one });
  return one;
}

/** Makes a person sign in again, and keeps the session from before. */
export function endSession(world: World, person: model.Person): void {
  const known = world.clients.get(person);
  if (!known) return;
  world.stale.set(person, known.client);
  world.clients.delete(person);
}

const SCOPES = SERVICE_SCOPES.map(({ value }) => value);

async function addServices(world: World): Promise<void> {
  for (const agency of world.agencies.keys()) {
    const isOwn = world.ofAgency(agency);
    const served = (viewer: model.Person) =>
      !viewer.disabled && world.is.results.some((one) => one.by === viewer && one.service === name);
    const name: string = world.secret(
      "the name of a service account",
      (viewer) => isOwn(viewer) || served(viewer),
    );
    world.is.known[agency]?.add(name);
    const service = await newService(await clientOf(world, chiefOf(world, agency)), {
      ...{ name: `Service ${name}`, scopes: SCOPES, per_minute: 3000 },
    });
    const person = model.newPerson(service.id, { agency, right: "admin", mark: name });
    person.isService = true;
    world.is.people.push(person);
    world.clients.set(person, { since: world.is.now, client: { ...service, user: null } });
    world.services.push({ person, id: service.id });
    world.things.push({ kind: "service", id: service.id, mayOpen: world.ofAgency(agency), marks: [name] });
  }
}

/** Gives each agency a receiver outside, a legal hold, and the first read of a camera of Rekor. */
async function addSettings(world: World): Promise<void> {
  for (const [agency, { secret, mark, cameraId }] of world.webhooks.entries()) {
    const chief = await clientOf(world, chiefOf(world, agency));
    const name = world.secret("the name of a receiver", world.ofAgency(agency));
    world.is.known[agency]?.add(name);
    const body = {
      name: `Receiver ${name}`,
      url: `${vendors.url}/receiver/${name}`,
      events: ["disposition"],
    };
    const added = await status(chief.post("/outgoing-webhooks", body), 200, "receiver");
    const { id } = (await added.json()) as { id: string };
    world.things.push({ kind: "outgoing", id, mayOpen: world.ofAgency(agency), marks: [name] });
    const document = groupDocument({
      ...{ best_plate_number: "AA00000", epoch_start: world.is.now, agent_uid: cameraId },
      web_server_config: { camera_label: `Lane ${mark}`, agent_label: "HQ" },
    });
    await status(postRekor(secret, document), 200, "the first read of Rekor");
  }
}
