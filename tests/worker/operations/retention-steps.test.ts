// How the agencies share the steps of a purge of reads.

import { expect, it } from "vitest";
import { purgeExpired } from "#app/domain/operations/retention.ts";
import { DAY, HOUR, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import { PLAIN_READ } from "../../support/archive.ts";

const NOON = utcDay(Date.now()) * DAY + 12 * HOUR;

/**
 * Creates agencies that keep reads for five days, each with `expired` expired reads of a day that many days ago, and a later
 * one of the same day.
 */
async function agenciesOnTheirDay(count: number, expired: number, daysAgo = 5): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { id } = await newAgency();
    await bindings.DB.prepare("UPDATE agencies SET retention_days = 5 WHERE id = ?").bind(id).run();
    ids.push(id);
  }
  const times = [...Array.from({ length: expired }, (_, i) => -HOUR - i), HOUR];
  await testApp().reads.insertReads(
    ids.flatMap((agencyId) =>
      times.map((after) => ({
        ...PLAIN_READ,
        agencyId,
        cameraId: "steps",
        cameraName: "steps",
        carState: "new" as const,
        plate: "STEPS1",
        carId: unique("car"),
        capturedAt: NOON - daysAgo * DAY + after,
        eventAt: NOON - daysAgo * DAY + after,
      })),
    ),
  );
  return ids;
}

async function readsOf(agencyId: string): Promise<number> {
  const counts = await Promise.all(
    testApp().readsDatabases.map((database) =>
      database
        .prepare(
          "SELECT count(*) AS n FROM sealed_reads JOIN read_keys k ON k.id = key_id WHERE k.agency_id = ?",
        )
        .bind(agencyId)
        .first<number>("n"),
    ),
  );
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

const appAfterRuns = (runs: number) => testApp(() => NOON + runs * 5 * MINUTE);

it("the backlogs of some agencies do not keep the others waiting until they end", async () => {
  const [many, stored] = [8, 501];
  const behind = await agenciesOnTheirDay(many, stored - 1);
  const n = (await bindings.DB.prepare("SELECT count(*) AS n FROM agencies").first<number>("n")) ?? 0;
  for (let runs = 0; runs < n; runs++) await purgeExpired(appAfterRuns(runs), { queries: 10_000, steps: 1 });
  for (const id of behind) expect(await readsOf(id)).toBeLessThan(stored);
});

it("a run reaches as many agencies as its queries allow, if each has a few expired reads", async () => {
  const ids = await agenciesOnTheirDay(70, 1);
  await purgeExpired(appAfterRuns(0));
  for (const id of ids) expect(await readsOf(id)).toBe(1);
});

it("an agency that falls behind by days comes first until it has caught up, however many others there are", async () => {
  const [behind = ""] = await agenciesOnTheirDay(1, 1300, 8);
  // Enough for two or three agencies, and a step of 400 reads for the first one.
  for (let runs = 0; runs < 6; runs++) await purgeExpired(appAfterRuns(runs), { queries: 80, steps: 2 });
  expect(await readsOf(behind)).toBe(0);
});
