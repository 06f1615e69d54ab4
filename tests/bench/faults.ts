// Ingests 100,000 reads, a tenth polled from Axon and the rest posted to our webhooks, while a tenth of all calls to
// databases, buckets and queue fails. Each read must lead to exactly its alerts, every delivery must finish, each push
// keeps its id when retried, and no picture is lost or left behind. The simulated push service counts the pushes.

import { TEST_SECRETS } from "../support/secrets.ts";
import { startTestVendors } from "../support/vendors.ts";
import type { Figure } from "./figure.ts";
import { findWorkerd } from "./support/workerd.ts";
import type { Outcome } from "./workers/faults.ts";
import { axonReadsPerDay, MISSING_PICTURES } from "./workers/faults-axon.ts";
import type { Open } from "./workers/faults-judge.ts";
import { withDatabases } from "./workers/live-harness.ts";

export const name = "faults";

const READS = 100_000;
const AXON_SHARE = 0.1;
/** Time limit for the whole run. */
const LIMIT_SECONDS = 480;

type Taken = { device: string; id: string; collapse: string };

export async function run(): Promise<Figure[]> {
  const reads = Number(process.env.BENCH_READS ?? READS);
  const readsPerDay = axonReadsPerDay(reads * AXON_SHARE);
  const vendors = await startTestVendors({ readsPerDay });
  const began = performance.now();
  const settings = {
    OWNER_USERNAME: "owner",
    PUBLIC_ORIGIN: "",
    ALLOW_LOOPBACK_VENDORS: "yes",
    APNS_URL: vendors.url,
    APNS_TOPIC: "app.odin.bench",
    APNS_KEY_ID: "BENCHKEY01",
    APNS_TEAM_ID: "BENCHTEAM1",
    VAPID_SUBJECT: "",
  };
  try {
    const outcome = await withDatabases(
      { name, main: "faults.ts", vars: { ...TEST_SECRETS, ...settings } },
      async (call) => {
        const query = new URLSearchParams({
          reads: `${reads}`,
          vendors: vendors.url,
          secret: vendors.secret,
          readsPerDay: `${readsPerDay}`,
        });
        const { faults } = await call<{ faults: object[] }>(`/start?${query}`);
        await fetch(`${vendors.url}/_simulator/faults`, { method: "PUT", body: JSON.stringify(faults) });
        const log = (what: string) => {
          if (!process.env.ODIN_VERBOSE) return;
          const cpu = findWorkerd().map((one) => (one.cpuMs() / 1000).toFixed(0));
          console.log(`${((performance.now() - began) / 1000).toFixed(0)} s (workerd ${cpu} s): ${what}`);
        };
        log("the world is ready");
        for (let isDone = false; !isDone; ) {
          const state = await call<{ isDone: boolean; second: number; open: Open }>("/step");
          isDone = state.isDone;
          log(`second ${state.second}, open: ${JSON.stringify(state.open)}`);
        }
        return call<Outcome>("/judge");
      },
    );
    const taken = (await (await fetch(`${vendors.url}/_simulator/push`)).json()) as Taken[];
    return figuresOf(outcome, { reads, taken, seconds: (performance.now() - began) / 1000 });
  } finally {
    await vendors.stop();
  }
}

function figuresOf(outcome: Outcome, seen: { reads: number; taken: Taken[]; seconds: number }): Figure[] {
  const { taken, seconds } = seen;
  const ids = new Map<string, Set<string>>();
  for (const { device, collapse, id } of taken) {
    const key = `${device} ${collapse}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  const tokens = new Map(outcome.devices.map(({ userId, token }) => [userId, token]));
  const untrue = outcome.delivered.filter(
    ({ alert_id, user_id = "" }) => !ids.has(`${tokens.get(user_id)} ${alert_id}`),
  );
  report(outcome, seen);
  requireEnoughFaults(outcome, seen.reads);
  // One is added to each count, so that the goal of 1 is met only if the count is zero.
  const none = (what: string, count: number): Figure => ({
    name: `faults: ${what}, plus 1`,
    own: count + 1,
    peer: 1,
    unit: "",
    goal: 1,
  });
  const { alerts, reads, pictures } = outcome;
  return [
    none("reads lost or doubled", reads.lost + reads.doubled),
    none("alerts lost", alerts.lost),
    none("alerts doubled or wrong", alerts.wrong),
    none("members without their deliveries", outcome.untold),
    none("unfinished deliveries", outcome.open.deliveries + outcome.open.alerts),
    none("unfinished Axon pictures and polls", outcome.open.pictures + outcome.open.polls),
    none("pushes of one alert with two ids", [...ids.values()].filter((set) => set.size > 1).length),
    none("pushes marked as delivered, but not received", untrue.length),
    none("pictures referenced, but missing", pictures.gone + pictures.robbed),
    none("pictures of another car", pictures.wrong),
    none("alerts without their pictures", pictures.missing),
    none("pictures that Axon has, but an alert lacks", Math.max(0, pictures.axonMissing - MISSING_PICTURES)),
    none("pictures and keys left after cleanup", pictures.left + outcome.keysLeft),
    { name: "faults: total time", own: seconds, peer: LIMIT_SECONDS, unit: "s", goal: 1 },
  ];
}

function report(outcome: Outcome, { reads, taken }: { reads: number; taken: Taken[] }): void {
  const { alerts, faults, refused, second, states, delivered, pictures } = outcome;
  console.log(
    [
      `${reads} reads, ${outcome.reads.kept} of them Axis reads kept and ${outcome.reads.axon} polled from Axon; ${alerts.due} alerts expected`,
      `faults: ${faults.D1} in databases, ${faults.R2} in buckets, ${faults.Queue} in the queue; ${refused} refusals; ${second} simulated seconds`,
      `${delivered.length} pushes delivered, ${taken.length} received by the push service; deliveries by final state:`,
      ...states.map(({ channel, state, reason, count }) => `  ${channel} ${state} ${count} ${reason}`),
      `pictures: ${pictures.stray} unreferenced at the end, and ${pictures.left} left after cleanup`,
    ].join("\n"),
  );
}

/** Throws if there were too few faults, pushes or lost pictures for the run to be meaningful. */
function requireEnoughFaults({ alerts, reads, faults, delivered, pictures }: Outcome, total: number): void {
  const isEasy =
    faults.D1 < total / 100 ||
    faults.R2 < total / 1000 ||
    faults.Queue === 0 ||
    delivered.length < alerts.due ||
    reads.kept === 0 ||
    reads.axon < total / 20 ||
    pictures.stray === 0;
  if (isEasy) throw new Error("there were too few faults, pushes or reads to prove anything");
}
