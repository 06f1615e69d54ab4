// How long the owner's screens take to load with a thousand agencies, in real D1 inside workerd: the status screen, and
// the users and agencies of the owner's panel. The peer is the same installation with ten agencies.

import { TEST_SECRETS } from "../support/secrets.ts";
import type { Figure } from "./figure.ts";
import { withDatabases } from "./workers/live-harness.ts";
import type { Measured } from "./workers/status.ts";

export const name = "status";

const FEW = 10;
const AGENCIES = Number(process.env.BENCH_AGENCIES ?? 1000);
const CHUNK = 100;

const STATUS_MS = 300;
const STATUS_ROWS = 70_000;
const OWNER_MS = 300;
const OWNER_KB = 400;

export async function run(): Promise<Figure[]> {
  const vars = { ...TEST_SECRETS, OWNER_USERNAME: "owner", PUBLIC_ORIGIN: "", ALLOW_LOOPBACK_VENDORS: "" };
  return withDatabases({ name, main: "status.ts", vars }, async (call) => {
    const measure = (screen: string) => call<Measured>(`/measure?screen=${screen}`);
    await call(`/fill?from=0&count=${FEW}`);
    const few = { status: await measure("status"), owner: await measure("owner") };
    for (let from = FEW; from < AGENCIES; from += CHUNK)
      await call(`/fill?from=${from}&count=${Math.min(CHUNK, AGENCIES - from)}`);
    const all = { status: await measure("status"), owner: await measure("owner") };
    for (const [screen, { statements }] of Object.entries(all))
      for (const { sql, rows } of statements) console.log(`${screen}: ${rows} rows read: ${sql}`);
    const figure = (screen: "status" | "owner", what: "ms" | "rows" | "kB", limit: number): Figure => ({
      name: `${screen}: ${what === "rows" ? "rows read" : what} with ${AGENCIES.toLocaleString("en-US")} agencies`,
      own: all[screen][what],
      peer: few[screen][what],
      unit: what,
      goal: 1,
      limit,
    });
    return [
      figure("status", "ms", STATUS_MS),
      figure("status", "rows", STATUS_ROWS),
      figure("owner", "ms", OWNER_MS),
      figure("owner", "kB", OWNER_KB),
    ];
  });
}
