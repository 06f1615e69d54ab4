// A hundred thousand reads, a tenth of them asked of Axon and the others posted to our webhooks, while a tenth of all calls to
// databases, buckets and queue fails: none may lose its alert or have two, every delivery ends, no phone is told of one
// alert under two names, and no picture is lost or left behind. The simulated push service counts.

import { TEST_SECRETS } from "../support/secrets.ts";
import { startTestVendors } from "../support/vendors.ts";
import type { Figure } from "./figure.ts";
import { findWorkerd } from "./workerd.ts";
import type { Outcome } from "./workers/faults.ts";
import { axonReadsPerDay, MISSING_PICTURES } from "./workers/faults-axon.ts";
import type { Open } from "./workers/faults-judge.ts";
import { withDatabases } from "./workers/live-harness.ts";

export const name = "faults";

const READS = 100_000;
const AXON_SHARE = 0.1;
/** It is of no use where nobody waits for it. */
const MOST_SECONDS = 480;

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
        const told = { reads: `${reads}`, vendors: vendors.url, secret: vendors.secret };
        const query = new URLSearchParams({ ...told, readsPerDay: `${readsPerDay}` });
        const { faults } = await call<{ faults: object[] }>(`/start?${query}`);
        await fetch(`${vendors.url}/_simulator/faults`, { method: "PUT", body: JSON.stringify(faults) });
        const say = (what: string) => {
          if (!process.env.ODIN_VERBOSE) return;
          const cpu = findWorkerd().map((one) => (one.cpuMs() / 1000).toFixed(0));
          console.log(`${((performance.now() - began) / 1000).toFixed(0)} s (workerd ${cpu} s): ${what}`);
        };
        say("the world is made");
        for (let isDone = false; !isDone; ) {
          const played = await call<{ isDone: boolean; second: number; open: Open }>("/step");
          isDone = played.isDone;
          say(`second ${played.second}, open: ${JSON.stringify(played.open)}`);
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
  refuseEasy(outcome, seen.reads);
  // One more than was counted, beside 1: met only where there is none.
  const none = (what: string, count: number): Figure => ({
    name: `faults: ${what}, and 1`,
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
    none("members without their rows", outcome.untold),
    none("deliveries without an end", outcome.open.deliveries + outcome.open.alerts),
    none("pictures and polls of Axon without an end", outcome.open.pictures + outcome.open.polls),
    none("pushes of one alert with two ids", [...ids.values()].filter((set) => set.size > 1).length),
    none("pushes told as delivered and not taken", untrue.length),
    none("pictures named and not there", pictures.gone + pictures.robbed),
    none("pictures of another car", pictures.wrong),
    none("alerts without their pictures", pictures.missing),
    none("pictures that Axon has and an alert has not", Math.max(0, pictures.axonMissing - MISSING_PICTURES)),
    none("pictures and keys that upkeep left", pictures.left + outcome.keysLeft),
    { name: "faults: all of it", own: seconds, peer: MOST_SECONDS, unit: "s", goal: 1 },
  ];
}

function report(outcome: Outcome, { reads, taken }: { reads: number; taken: Taken[] }): void {
  const { alerts, faults, refused, second, states, delivered, pictures } = outcome;
  console.log(
    [
      `${reads} reads, ${outcome.reads.kept} of them Axis reads kept and ${outcome.reads.axon} asked of Axon; ${alerts.due} alerts due`,
      `faults: ${faults.D1} of databases, ${faults.R2} of buckets, ${faults.Queue} of the queue; ${refused} refusals; ${second} simulated seconds`,
      `${delivered.length} pushes delivered, ${taken.length} taken by the push service; deliveries by end:`,
      ...states.map(({ channel, state, reason, count }) => `  ${channel} ${state} ${count} ${reason}`),
      `pictures: ${pictures.stray} that nobody named when it was over, and ${pictures.left} after the upkeep`,
    ].join("\n"),
  );
}

/** A storm in which nothing failed, nobody was told or no picture was lost on its way would prove nothing. */
function refuseEasy({ alerts, reads, faults, delivered, pictures }: Outcome, told: number): void {
  const isEasy =
    faults.D1 < told / 100 ||
    faults.R2 < told / 1000 ||
    faults.Queue === 0 ||
    delivered.length < alerts.due ||
    reads.kept === 0 ||
    reads.axon < told / 20 ||
    pictures.stray === 0;
  if (isEasy) throw new Error("there were too few faults, pushes or reads to prove anything");
}
