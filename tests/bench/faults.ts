// A hundred thousand reads while a tenth of all calls to databases and queue fails: none may lose its alert or have two,
// every delivery ends, and no phone is told of one alert under two names. The simulated push service counts.

import { TEST_SECRETS } from "../support/secrets.ts";
import { startTestVendors } from "../support/vendors.ts";
import type { Figure } from "./figure.ts";
import { withDatabases } from "./workers/live-harness.ts";

export const name = "faults";

const READS = 100_000;
/** It is of no use where nobody waits for it. */
const MOST_SECONDS = 480;

type Judged = {
  expected: number;
  lost: number;
  doubled: number;
  open: number;
  untold: number;
  kept: number;
  toKeep: number;
  faults: number;
  refused: number;
  second: number;
  states: Record<string, string>[];
  delivered: { alert_id: string; user_id: string }[];
  devices: { userId: string; token: string }[];
};

type Taken = { device: string; id: string; collapse: string };

export async function run(): Promise<Figure[]> {
  const reads = Number(process.env.BENCH_READS ?? READS);
  const vendors = await startTestVendors();
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
    const judged = await withDatabases(
      { name, main: "faults.ts", vars: { ...TEST_SECRETS, ...settings } },
      async (call) => {
        const { faults } = await call<{ faults: object[] }>(`/start?reads=${reads}`);
        await fetch(`${vendors.url}/_simulator/faults`, { method: "PUT", body: JSON.stringify(faults) });
        for (let isDone = false; !isDone; ) {
          const played = await call<{ isDone: boolean; second: number }>("/step");
          isDone = played.isDone;
          if (process.env.ODIN_VERBOSE) console.log(`second ${played.second}`);
        }
        return call<Judged>("/judge");
      },
    );
    const taken = (await (await fetch(`${vendors.url}/_simulator/push`)).json()) as Taken[];
    return figuresOf(judged, { reads, taken, seconds: (performance.now() - began) / 1000 });
  } finally {
    await vendors.stop();
  }
}

function figuresOf(judged: Judged, seen: { reads: number; taken: Taken[]; seconds: number }): Figure[] {
  const { taken, reads, seconds } = seen;
  const ids = new Map<string, Set<string>>();
  for (const { device, collapse, id } of taken) {
    const key = `${device} ${collapse}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  }
  const tokens = new Map(judged.devices.map(({ userId, token }) => [userId, token]));
  const untrue = judged.delivered.filter(
    ({ alert_id, user_id }) => !ids.has(`${tokens.get(user_id)} ${alert_id}`),
  );
  const { expected, kept, faults, refused, second, states, delivered } = judged;
  console.log(
    [
      `${reads} reads, ${kept} of them Axis reads kept; ${expected} alerts due; ${faults} faults, ${refused} refusals; ${second} simulated seconds`,
      `${delivered.length} pushes delivered, ${taken.length} taken by the push service; deliveries by end:`,
      ...states.map(({ channel, state, reason, count }) => `  ${channel} ${state} ${count} ${reason}`),
    ].join("\n"),
  );
  // A storm in which nothing failed, or nobody was told, would prove nothing.
  if (faults < reads / 100 || delivered.length < expected || kept === 0)
    throw new Error("there were too few faults or pushes to prove anything");
  // One more than was counted, beside 1: met only where there is none.
  const none = (what: string, count: number): Figure => ({
    name: `faults: ${what}, and 1`,
    own: count + 1,
    peer: 1,
    unit: "",
    goal: 1,
  });
  return [
    none("reads lost or doubled", Math.abs(kept - judged.toKeep)),
    none("alerts lost", judged.lost),
    none("alerts doubled or wrong", judged.doubled),
    none("members without their rows", judged.untold),
    none("deliveries without an end", judged.open),
    none("pushes of one alert with two ids", [...ids.values()].filter((set) => set.size > 1).length),
    none("pushes told as delivered and not taken", untrue.length),
    { name: "faults: all of it", own: seconds, peer: MOST_SECONDS, unit: "s", goal: 1 },
  ];
}
