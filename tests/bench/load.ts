// Load on the product as `npm start` serves it, with its simulated vendors: 5, 20 and 50 signed-in users work a shift
// (support/load-shift.ts) while cameras post reads; then 20 users work without pauses. The product, the vendors and the
// senders share the same cores. Each phase lasts five minutes; LOAD_SECONDS=60 shortens it, and LOAD_USERS=50 sets the
// numbers of users. ODIN_SKIP_BUILD=1 uses the existing build.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAppContext } from "#app/context.ts";
import { setUp } from "#app/domain/operations/setup.ts";
import { EntryDetails } from "#app/entities/hotlists/calls.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { ROOT, readSecrets, readSettings, type Settings } from "../../workers/local/settings.ts";
import { migrateStorage, openStorage, seedStorage } from "../../workers/local/storage.ts";
import { axisCameraSecret } from "../../workers/vendors/credentials.ts";
import { AGENCIES, CAMERAS } from "../../workers/vendors/world/places.ts";
import { startProduct } from "../support/operations/product.ts";
import { freePort } from "../support/vendors.ts";
import { type Figure, median, percentile } from "./figure.ts";
import { type Answered, poll, ROUND_MS, type Site, signIn, type User, work } from "./support/load-shift.ts";
import { axisEvent, sentOf } from "./support/webhook-posts.ts";
import { findWorkerd, type Process } from "./support/workerd.ts";
import { plateOf } from "./workers/plates.ts";

export const name = "load";

const SECONDS = Number(process.env.LOAD_SECONDS ?? 300);
const USERS = (process.env.LOAD_USERS ?? "5,20,50").split(",").map(Number);
const SATURATED_USERS = 20;
const SATURATED_SECONDS = Math.min(SECONDS, 60);
/** Reads that cameras post per second, with two pictures each. */
const READS_PER_SECOND = 5;
const PICTURE = 60_000;
/** One read in this many has a listed plate. */
const HIT_EVERY = 50;
const LISTED = 1000;

/** The goal at 50 users; exports may take longer. */
const P95_MS = 300;
const GOAL_USERS = 50;
const NOT_LIMITED = ["POST /export-pdf"];
/** Memory may grow by a tenth during the last phase. */
const FLAT = 1.1;

const AGENCY = "hartford-pd";
const PASSWORD = "Load-Bench-2026!";
const LIST = "load-bench";

export async function run(): Promise<Figure[]> {
  const state = mkdtempSync(join(tmpdir(), "odin-bench-load-"));
  const port = await freePort();
  const vendorsPort = await freePort();
  const settings: Settings = {
    ...readSettings({ PORT: `${port}`, VENDORS_PORT: `${vendorsPort}`, ODIN_STATE: state }),
    identityPort: await freePort(),
  };
  const env = {
    PORT: `${port}`,
    VENDORS_PORT: `${vendorsPort}`,
    IDENTITY_PORT: `${settings.identityPort}`,
    ODIN_STATE: state,
    DEMO_DAYS: process.env.DEMO_DAYS ?? "7",
    DEMO_READS_PER_DAY: process.env.DEMO_READS_PER_DAY ?? "500",
  };
  try {
    await addUsers(settings, Math.max(...USERS, SATURATED_USERS));
    const stop = await startProduct(ROOT, env);
    try {
      return await measure(settings);
    } finally {
      await stop();
    }
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

/** Adds users to the demo's first agency, and a hotlist of which all are members; one in five edits it. */
async function addUsers(settings: Settings, count: number): Promise<void> {
  const { env, dispose } = await openStorage(settings);
  try {
    await migrateStorage(env);
    await seedStorage(settings, env);
    const users = Array.from({ length: count }, (_, n) => ({
      id: `user-${nameOf(n)}`,
      agencyId: AGENCY,
      username: nameOf(n),
      name: `Load ${n}`,
      email: `${nameOf(n)}@${AGENCY}.example`,
      role: "user" as const,
      hotlistAdmin: n % 5 === 0,
      hotlistViewer: n % 5 !== 0,
      password: PASSWORD,
    }));
    await setUp(createAppContext(env, { waitUntil: () => {} }), {
      agencies: AGENCIES.filter(({ id }) => id === AGENCY).map(({ id, name }) => ({ id, name })),
      users,
      rekorKeys: [],
      axonIntegrations: [],
      axonBlacklist: [],
      axisCameras: [],
      axisShares: [],
      alertGroups: [
        {
          id: LIST,
          agencyId: AGENCY,
          name: "Load bench",
          description: "",
          createdBy: `user-${nameOf(0)}`,
          members: users.map(({ id }) => id),
          plates: Array.from({ length: LISTED }, (_, n) => ({
            ...EntryDetails.parse({ reason: "Load bench" }),
            number: plateOf(n, "7"),
          })),
        },
      ],
    });
  } finally {
    await dispose();
  }
}

const nameOf = (n: number) => `load${String(n).padStart(2, "0")}`;

type Phase = { users: number; seconds: number; roundMs: number };

async function measure(settings: Settings): Promise<Figure[]> {
  const url = `http://127.0.0.1:${settings.port}`;
  // The vendors' process was started first.
  const app = findWorkerd()
    .sort((a, b) => a.pid - b.pid)
    .at(-1);
  let answers: Answered[] = [];
  const site: Site = { url, agencies: [], note: (answered) => answers.push(answered) };
  const users: User[] = [];
  for (let n = 0; n < Math.max(...USERS, SATURATED_USERS); n++) {
    const cookie = await signIn(url, { username: nameOf(n), password: PASSWORD });
    users.push({ name: nameOf(n), cookie, edits: n % 5 === 0 ? LIST : undefined, reads: LIST });
  }
  site.agencies = await agenciesOf(url, users[0] as User);
  const cameras = await post(settings, url, site.note);
  try {
    const phase = async (one: Phase) => {
      answers = [];
      const memory = await runPhase(site, users.slice(0, one.users), { ...one, app });
      print(one, answers, memory);
      return { answers, memory };
    };
    const paced = new Map<number, Awaited<ReturnType<typeof phase>>>();
    for (const count of USERS)
      paced.set(count, await phase({ users: count, seconds: SECONDS, roundMs: ROUND_MS }));
    const saturated = await phase({ users: SATURATED_USERS, seconds: SATURATED_SECONDS, roundMs: 0 });
    const busy = app?.residentMb() ?? 0;
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const [now = 0, own = 0] = [app?.residentMb(), app?.privateMb()].map((mb) => Math.round(mb ?? 0));
    console.log(
      `\nworkerd had ${Math.round(busy)} MB; after ${IDLE_MS / SECOND} s without users ${now} MB, ${own} of them its own`,
    );
    return figuresOf(paced, saturated.answers);
  } finally {
    await cameras.end();
  }
}

function figuresOf(
  paced: Map<number, { answers: Answered[]; memory: number[] }>,
  saturated: Answered[],
): Figure[] {
  const [count, last] = [...paced].at(-1) ?? [];
  if (count === undefined || !last) return [];
  // The goal applies to 50 users; times with fewer users are only printed.
  const limited =
    count === GOAL_USERS ? [...routesOf(last.answers)].filter(([route]) => !NOT_LIMITED.includes(route)) : [];
  const third = Math.max(1, Math.floor(last.memory.length / 3));
  const errors = [...paced.values()].flatMap(({ answers }) => answers).concat(saturated);
  return [
    ...limited.map(([route, times]) => ({
      name: `load: p95 of ${route} at ${count} users, vs. ${P95_MS} ms`,
      own: percentile(times, 95),
      peer: P95_MS,
      unit: "ms",
      goal: 1,
    })),
    {
      name: "load: errors",
      own: errors.filter(({ error }) => error !== undefined).length,
      peer: 0,
      unit: "answers",
      goal: 1,
      limit: 0,
    },
    {
      name: `load: memory of workerd at the end of ${count} users, vs. the first third and a tenth`,
      own: median(last.memory.slice(-third)),
      peer: median(last.memory.slice(0, third)) * FLAT,
      unit: "MB",
      goal: 1,
    },
  ];
}

async function agenciesOf(url: string, user: User): Promise<string[]> {
  const listOf = async (path: string): Promise<Record<string, unknown>[]> =>
    (await fetch(url + path, { headers: { cookie: user.cookie } })).json() as never;
  return [
    ...(await listOf("/api-keys-data")).map(({ agency }) => String(agency)),
    ...(await listOf("/axon-authorized-integrations")).map(({ agency_name }) => String(agency_name)),
    ...(await listOf("/axis-authorized-agencies")).map(({ agency_name }) => String(agency_name)),
  ];
}

/** Posts reads of all Axis cameras at a steady rate until stopped. */
async function post(settings: Settings, url: string, note: (answered: Answered) => void) {
  const { VENDOR_SECRET } = readSecrets(settings);
  const secrets = await Promise.all(
    CAMERAS.filter(({ program }) => program === "axis").map(({ id }) => axisCameraSecret(VENDOR_SECRET, id)),
  );
  let cars = 0;
  const working = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const car = cars++;
    const sent = send(car).catch((error) =>
      note({ route: "POST /ingest/axis", ms: 0, error: String(error) }),
    );
    working.add(sent);
    sent.finally(() => working.delete(sent));
  }, SECOND / READS_PER_SECOND);
  async function send(car: number): Promise<void> {
    // The product treats a car id that repeats within ten minutes as the same pass with new pictures.
    const plate = car % HIT_EVERY === 0 ? plateOf((car / HIT_EVERY) % LISTED, "7") : plateOf(car, "8");
    const { type, body } = await sentOf(axisEvent(plate, PICTURE));
    const start = performance.now();
    const answer = await fetch(`${url}/ingest/axis/${secrets[car % secrets.length]}`, {
      method: "POST",
      headers: { "content-type": type },
      body,
    });
    const text = await answer.text();
    const ms = performance.now() - start;
    note({ route: "POST /ingest/axis", ms, ...(!answer.ok && { error: `${answer.status} ${text}` }) });
  }
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(working);
    },
  };
}

const SAMPLE_MS = 5 * SECOND;
/** How long only the cameras work at the end, to see whether memory is released. */
const IDLE_MS = 20 * SECOND;

/** Runs a phase of users. Returns the memory of workerd in MB, sampled every five seconds. */
async function runPhase(
  site: Site,
  users: User[],
  { seconds, roundMs, app }: Phase & { app: Process | undefined },
): Promise<number[]> {
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(app?.residentMb() ?? 0), SAMPLE_MS);
  const end = performance.now() + seconds * SECOND;
  const ended = () => performance.now() >= end;
  await Promise.all(users.flatMap((user) => [poll(site, user, ended), work(site, user, { roundMs, ended })]));
  clearInterval(sampling);
  return memory;
}

function routesOf(answers: Answered[]): Map<string, number[]> {
  const routes = new Map<string, number[]>();
  for (const { route, ms } of answers) routes.set(route, [...(routes.get(route) ?? []), ms]);
  return new Map([...routes].sort(([a], [b]) => a.localeCompare(b)));
}

function print({ users, seconds, roundMs }: Phase, answers: Answered[], memory: number[]): void {
  const pace = roundMs === 0 ? "without pauses" : `a search every ${roundMs / SECOND} s each`;
  console.log(
    `\n${users} users, ${pace}, ${seconds} s: ${(answers.length / seconds).toFixed(1)} answers a second`,
  );
  for (const [route, times] of routesOf(answers)) {
    const [p50, p95, p99] = [50, 95, 99].map((percent) => percentile(times, percent).toFixed(0).padStart(6));
    const rate = (times.length / seconds).toFixed(2).padStart(6);
    console.log(`  ${route.padEnd(34)} ${rate} /s   p50 ${p50}   p95 ${p95}   p99 ${p99} ms`);
  }
  const errors = answers.filter(({ error }) => error !== undefined);
  for (const { route, error } of errors.slice(0, 5)) console.log(`  error: ${route}: ${error}`);
  const every = Math.max(1, Math.floor(memory.length / 10));
  const shown = memory.filter((_, i) => i % every === 0).map((mb) => mb.toFixed(0));
  console.log(`  errors: ${errors.length}; memory of workerd, MB: ${shown.join(" ")}`);
}
