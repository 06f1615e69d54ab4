/// <reference types="@cloudflare/vitest-plugin/types" />

import { env, exports } from "cloudflare:workers";
import { inject } from "vitest";
import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { openSession, type SignedIn } from "#app/domain/accounts/sign-in.ts";
import { type SetupPlan, setUp } from "#app/domain/operations/setup.ts";
import { type Actor, type SessionActor, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { callerOf, findActor, sessionCookie } from "#app/http/session.ts";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { findUserByName, type StoredUser } from "#app/store/accounts/sign-in.ts";
import { openControl } from "#app/store/database.ts";
import { alerts } from "#app/store/schema/alerts.ts";
import { axisCameraSecret, axonCredentials, rekorApiKey } from "../workers/vendors/credentials.ts";
import type { Fault } from "../workers/vendors/faults.ts";
import { apiChecker } from "./support/api/check.ts";

export const bindings = env as unknown as Env;
const worker = (exports as unknown as { default: Fetcher }).default;

/** The origin of the product in tests; any host that is not loopback. */
export const ORIGIN = "https://odin.test";
export const PASSWORD = "Correct-Horse-7-Battery";

let made = 0;

/** Returns a name that no other test in this run has. */
export function unique(what: string): string {
  return `${what}-${++made}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Returns a request context with the given clock and environment variables. */
export function testApp(clock: () => number = Date.now, over: Partial<Env> = {}): AppContext {
  return createAppContext({ ...bindings, ...over } as Env, { waitUntil: () => {} }, clock);
}

export type NewUser = Partial<SetupPlan["users"][number]>;
export type TestUser = SetupPlan["users"][number];

const EMPTY: SetupPlan = {
  agencies: [],
  users: [],
  rekorKeys: [],
  axonIntegrations: [],
  axonBlacklist: [],
  axisCameras: [],
  axisShares: [],
};

/** The hash of the users' common password, which takes a tenth of a second to compute. */
const hashes = new Map<string, Promise<string>>();

/** Creates what the given parts of a setup plan describe. */
export async function setUpPart(plan: Partial<SetupPlan>): Promise<void> {
  await setUp(testApp(), { ...EMPTY, ...plan }, hashes);
}

export async function newAgency(name = unique("Agency")): Promise<{ id: string; name: string }> {
  const agency = { id: unique("agency"), name };
  await setUpPart({ agencies: [agency] });
  return agency;
}

/** Sets the number of days after which an agency's hotlist entries expire; 0 for never. */
export async function setExpiryDays(agencyId: string, days: number): Promise<void> {
  await bindings.DB.prepare("UPDATE agencies SET hotlist_default_days = ? WHERE id = ?")
    .bind(days, agencyId)
    .run();
}

export function userOf(agencyId: string, over: NewUser = {}): TestUser {
  const username = over.username ?? unique("user");
  return {
    id: unique("user"),
    agencyId,
    username,
    name: `Name of ${username}`,
    email: `${username}@police.example`,
    role: "user",
    hotlistAdmin: false,
    hotlistViewer: false,
    password: PASSWORD,
    ...over,
  };
}

export async function newUser(agencyId: string, over: NewUser = {}): Promise<TestUser> {
  const user = userOf(agencyId, over);
  await setUpPart({ users: [user] });
  return user;
}

const checkAnswer = apiChecker(inject("apiDocument"));

/** Sends a request to the whole built Worker. Throws if the response does not match the OpenAPI document. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const url = new URL(path, ORIGIN);
  const answer = await worker.fetch(new Request(url, { redirect: "manual", ...init }));
  await checkAnswer(init.method ?? "GET", url.href, answer);
  return answer;
}

export function jsonInit(body: unknown, init: RequestInit = {}): RequestInit {
  const headers = { "content-type": "application/json", ...(init.headers as Record<string, string>) };
  return { method: "POST", body: JSON.stringify(body), ...init, headers };
}

/** A POST of a multipart form. */
export function formInit(fields: Record<string, string | File>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { method: "POST", body };
}

/** A client with a session cookie, with a token, or not signed in. */
export type Client = {
  user: TestUser | null;
  /** Headers of every request of this client. */
  headers: Record<string, string>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
};

export function clientWith(user: TestUser | null, headers: Record<string, string>): Client {
  const fetch = (path: string, init: RequestInit = {}) =>
    send(path, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } });
  return { user, headers, fetch, post: (path, body, init) => fetch(path, jsonInit(body, init)) };
}

export const anonymous = clientWith(null, { "sec-fetch-site": "same-origin" });

export function signIn(user: { username: string; password: string }, over: object = {}): Promise<Response> {
  return send("/login", jsonInit({ username: user.username, password: user.password, ...over }));
}

/** Returns a response's text without its request id, which is different in every response. */
export async function textWithoutId(answer: Response): Promise<string> {
  return (await answer.text()).replaceAll(answer.headers.get("x-request-id") ?? "", "");
}

/** Returns the parsed JSON body of a response. */
export async function bodyOf<T = Record<string, unknown>>(answer: Response | Promise<Response>): Promise<T> {
  return (await answer).json();
}

/** Returns a user as a sign-in reads it. */
export async function storedUser({ username }: { username: string }): Promise<StoredUser> {
  const stored = await findUserByName(testApp().db, username);
  if (!stored) throw new Error(`${username} does not exist`);
  return stored;
}

/**
 * Opens the session of a user as it was read, as signing in does, but without the password's comparison, which takes a
 * tenth of a second.
 */
export function openSessionOf(
  user: StoredUser,
  over: { app?: AppContext; password?: string; kind?: "cookie" | "bearer"; notice?: string | undefined } = {},
): Promise<SignedIn> {
  const { app = testApp(), password = PASSWORD, kind = "cookie", notice } = over;
  const caller = callerOf(new Request(ORIGIN));
  return openSession(app, { user, attempt: { id: "", account: user.id }, password, caller, kind, notice });
}

async function sessionOf(user: TestUser, kind: "cookie" | "bearer", notice?: string): Promise<string> {
  const { password } = user;
  return (await openSessionOf(await storedUser(user), { password, kind, notice })).token;
}

/** Returns a client like a browser with Odin's own page, with a cookie and Fetch Metadata. */
export async function client(user: TestUser): Promise<Client> {
  const cookie = sessionCookie(await sessionOf(user, "cookie", USE_NOTIFICATION.version)).split(";")[0] ?? "";
  return clientWith(user, { cookie, "sec-fetch-site": "same-origin" });
}

/** Returns a client like a program, with a bearer token and no browser headers. */
export async function apiClient(user: TestUser): Promise<Client> {
  return clientWith(user, { authorization: `Bearer ${await sessionOf(user, "bearer")}` });
}

/** A service account as its program uses it. */
export type ServiceClient = Omit<Client, "user"> & { id: string; name: string; token: string };

/** Adds a service account as an administrator does. Returns its id and a client with its token. */
export async function newService(admin: Client, over: object = {}): Promise<ServiceClient> {
  const name = unique("service");
  const body = { name, scopes: ["search"], ...over };
  const answer = await admin.post("/service-accounts", body);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  const { id, token } = (await answer.json()) as { id: string; token: string };
  const { user: _, ...program } = clientWith(null, { authorization: `Bearer ${token}` });
  return { ...program, id, name: body.name, token };
}

/** Returns the actor of a client who is signed in, for domain functions. */
export async function actorOf(who: Client): Promise<Actor> {
  const actor = await findActor(testApp(), new Request(ORIGIN, { headers: who.headers }));
  if (!actor) throw new Error("no one is signed in");
  return actor;
}

/** Returns a signed-in actor for domain functions, without a session in the database. */
export function sessionActorOf(
  user: TestUser,
  agencyName: string,
  over: Partial<SessionActor> = {},
): SessionActor {
  const { id, username, name, email, agencyId, role, hotlistAdmin, hotlistViewer } = user;
  return {
    userId: id,
    ...{ username, name, email, agencyId, agencyName, role, hotlistAdmin, hotlistViewer },
    isOwner: false,
    investigator: role === "admin",
    sessionId: "session",
    ip: "local",
    userAgent: "test",
    kind: "cookie",
    sessionState: "full",
    provedAt: Number.POSITIVE_INFINITY,
    unusedUntil: Number.POSITIVE_INFINITY,
    endsAt: Number.POSITIVE_INFINITY,
    ...over,
  };
}

/** Returns a context that drops its jobs, for tests that run them by hand. */
export function quietApp(clock: () => number): AppContext {
  const metrics = { backlogCount: 0, backlogBytes: 0 };
  const sent = async () => ({ metadata: { metrics } });
  return { ...testApp(clock), jobs: { metrics: async () => metrics, send: sent, sendBatch: sent } };
}

/** The simulated vendors: faults, counts of calls, credentials. */
export const vendors = {
  get url(): string {
    return inject("vendors").url;
  },
  async setFaults(...faults: Fault[]): Promise<void> {
    await fetch(`${this.url}/_simulator/faults`, { method: "PUT", body: JSON.stringify(faults) });
  },
  /** Calls since they were last cleared, by program and agency. */
  async calls(): Promise<Record<string, number>> {
    return (await fetch(`${this.url}/_simulator/calls`)).json();
  },
  async clearCalls(): Promise<void> {
    await fetch(`${this.url}/_simulator/calls`, { method: "DELETE" });
  },
  async secretsOf(agencyId: string): Promise<string[]> {
    const { secret } = inject("vendors");
    const { clientId, clientSecret, partnerId } = await axonCredentials(secret, agencyId);
    return [await rekorApiKey(secret, agencyId), clientId, clientSecret, partnerId];
  },
};

/** Two tenants: ours can search two Rekor keys, Axon and Axis; theirs has one Rekor key. */
export type World = Awaited<ReturnType<typeof newWorld>>;

export async function newWorld() {
  const { url, secret } = inject("vendors");
  const [ours, theirs, east, hamden] = ["Ours", "Theirs", "East", "Hamden"].map((name) => ({
    id: unique(name.toLowerCase()),
    name: unique(`${name} Police`),
  })) as [Named, Named, Named, Named];
  const users = {
    officer: userOf(ours.id),
    colleague: userOf(ours.id),
    viewer: userOf(ours.id, { hotlistViewer: true }),
    hotadmin: userOf(ours.id, { hotlistAdmin: true }),
    admin: userOf(ours.id, { role: "admin" }),
    owner: userOf(ours.id, { username: "owner", role: "admin" }),
    stranger: userOf(theirs.id),
    strangeAdmin: userOf(theirs.id, { role: "admin" }),
  };
  const rekor = async (tenant: Named, vendorAgency: string) => ({
    id: unique("rekor"),
    tenantId: tenant.id,
    agency: unique(vendorAgency),
    baseUrl: url,
    key: await rekorApiKey(secret, vendorAgency),
  });
  const axon = async (agency: Named, vendorAgency: string) => ({
    id: unique("axon"),
    agencyId: agency.id,
    baseUrl: `${url}/axon/${vendorAgency}`,
    ...(await axonCredentials(secret, vendorAgency)),
  });
  const camera = async (agency: Named) => {
    const id = unique("camera");
    return {
      id,
      agencyId: agency.id,
      name: `Camera ${id}`,
      latitude: 41.76,
      longitude: -72.67,
      secret: await axisCameraSecret(secret, id),
    };
  };
  const rekorKeys = await Promise.all([
    rekor(ours, "hartford-pd"),
    rekor(ours, "manchester-pd"),
    rekor(theirs, "west-hartford-pd"),
  ]);
  const axonIntegrations = await Promise.all([axon(east, "east-hartford-pd"), axon(hamden, "hamden-pd")]);
  const axisCameras = await Promise.all([camera(ours), camera(theirs)]);
  await setUpPart({
    agencies: [ours, theirs, east, hamden],
    users: Object.values(users),
    rekorKeys,
    axonIntegrations,
    axonBlacklist: [{ integrationId: axonIntegrations[1]?.id ?? "", agencyId: ours.id }],
    axisCameras,
  });
  return {
    ours,
    theirs,
    users,
    rekorKeys,
    axonIntegrations,
    axisCameras,
    /** Everything that our tenant may search. */
    agencies: [rekorKeys[0]?.id, rekorKeys[1]?.id, axonIntegrations[0]?.id, ours.id] as string[],
    hartford: rekorKeys[0] as SetupPlan["rekorKeys"][number],
    manchester: rekorKeys[1] as SetupPlan["rekorKeys"][number],
    axon: axonIntegrations[0] as SetupPlan["axonIntegrations"][number],
    camera: axisCameras[0] as SetupPlan["axisCameras"][number],
  };
}

type Named = { id: string; name: string };

/** Returns a valid body of POST /search-data, with these changes. */
export function searchBody(agencies: string[], over: Record<string, unknown> = {}) {
  const now = Date.now();
  return {
    plate: "",
    justification: "Stolen vehicle, case 26-1044",
    case_number: "26-1044",
    start_time: isoTime(now - 7 * DAY),
    end_time: isoTime(now),
    agencies,
    ...over,
  };
}

/** The fields of a row of POST /search-data that the tests use. */
export type Row = {
  id: string;
  plate: string;
  timestamp: string | null;
  source_program: "Rekor" | "Axon" | "Axis";
  camera_name: string;
  agency: string;
  image_uuid: string | null;
  image_path: string | null;
  plate_image_url?: string | null;
  api_key?: string;
  match_score?: number;
  match_reason?: string;
};

export type Found = { rows: Row[]; resultId: string; sources: string; response: Response };

/** Searches. Throws unless the search succeeds. */
export async function search(who: Client, body: object): Promise<Found> {
  const response = await who.post("/search-data", body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return {
    response,
    rows: (await response.json()) as Row[],
    resultId: response.headers.get("odin-result-id") ?? "",
    sources: response.headers.get("odin-sources") ?? "",
  };
}

/** What `pushRead` sends. */
export const PUSHED = {
  vehicle: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0xff, 0xd9),
  plate: Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 17, 0x4a, 0x46, 0x50, 0xff, 0xd9),
};

/** Pushes one pass to a camera's webhook. Returns the id of the read. */
export async function pushRead(
  camera: { secret: string },
  pass: { plate: string; at: number; carId?: string },
  post = send,
): Promise<string> {
  const picture = (kind: keyof typeof PUSHED) => ({
    ImageFormat: "jpg",
    ImageType: kind,
    BinaryImage: btoa(String.fromCharCode(...PUSHED[kind])),
  });
  const event = {
    capture_timestamp: String(pass.at),
    plateUTF8: pass.plate,
    carState: "lost",
    carID: pass.carId ?? unique("car"),
    imageType: "vehicle",
    ImageArray: [picture("vehicle"), picture("plate")],
  };
  const response = await post(`/ingest/axis/${camera.secret}`, jsonInit(event));
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

export type AuditRow = {
  seq: number;
  at: number;
  user_id: string;
  username: string;
  session_id: string;
  agency_id: string;
  action: string;
  outcome: string;
  object: string;
  plate: string;
  case_number: string;
  programs_queried: string;
  detail: string;
};

/** Returns the user's newest rows of the audit log, oldest first. */
export async function auditOf(user: { username: string }, count = 1): Promise<AuditRow[]> {
  const { results } = await bindings.DB.prepare(
    "SELECT * FROM audit_log WHERE username = ? ORDER BY seq DESC LIMIT ?",
  )
    .bind(user.username, count)
    .all<AuditRow>();
  return results.reverse();
}

/** Returns the audit rows about an object, oldest first. */
export async function auditAbout(object: string): Promise<AuditRow[]> {
  const { results } = await bindings.DB.prepare("SELECT * FROM audit_log WHERE object = ? ORDER BY seq")
    .bind(object)
    .all<AuditRow>();
  return results;
}

/** Inserts an alert of a group as matching does, with these changes. Returns the row. */
export async function anAlert(
  group: { id: string; agencyId: string },
  over: Partial<typeof alerts.$inferInsert> = {},
): Promise<typeof alerts.$inferSelect> {
  const at = over.createdAt ?? Date.now();
  const [row] = await openControl(bindings.DB)
    .insert(alerts)
    .values({
      id: unique("alert"),
      groupId: group.id,
      agencyId: group.agencyId,
      entryId: 1,
      passKey: unique("pass"),
      program: "Axis",
      matchKind: "exact",
      plate: "AB12345",
      plateState: "CT",
      make: "Honda",
      color: "Blue",
      bodyType: "SUV",
      confidence: 91,
      capturedAt: at - 2000,
      cameraId: "camera-main-st",
      cameraName: "Main St",
      cameraAgencyId: group.agencyId,
      cameraAgency: "Some Police",
      latitude: 41_763_700,
      longitude: -72_685_100,
      listedPlate: "AB12345",
      listedState: "CT",
      reason: "Stolen vehicle",
      notes: "Seen with another car",
      caseNumber: "26-1044",
      listedAt: at - 27 * DAY,
      listedBy: "Hanna Hotlist",
      listedByAgency: "Some Police",
      createdAt: at,
      ...over,
    })
    .returning();
  if (!row) throw new Error("no alert was written");
  return row;
}

/** Returns every row of every table of every database, as one text. */
export async function dumpDatabases(): Promise<string> {
  const databases = Object.entries(bindings).filter(
    ([name]) => name === "DB" || name.startsWith("READS_"),
  ) as [string, D1Database][];
  const parts: string[] = [];
  for (const [, database] of databases) {
    const tables = await database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
      .all<{ name: string }>();
    for (const { name } of tables.results) {
      if (/^(sqlite_|d1_|plates_fts)/.test(name)) continue;
      parts.push(JSON.stringify((await database.prepare(`SELECT * FROM "${name}"`).all()).results));
    }
  }
  return parts.join("\n");
}
