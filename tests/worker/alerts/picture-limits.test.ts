import { expect, it } from "vitest";
import { copyVendorImages, sweepVendorImages } from "#app/domain/alerts/images.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { anAlert, bindings, newAgency, testApp, unique } from "../../factories.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

/** What D1 allows one invocation. The other jobs of the sweep's cron, and the matching of a poll, need up to 300. */
const MAX_QUERIES = 1000 - 300;

/** Returns how many of these alerts still have pictures with the vendor. */
const waiting = (ids: string[]) =>
  bindings.DB.prepare(
    "SELECT count(*) AS n FROM alerts WHERE vendor_images IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
  )
    .bind(JSON.stringify(ids))
    .first<number>("n");

it("a sweep of hits that are all of different agencies stays within D1's limit, and the next ones do the rest", async () => {
  const ids: string[] = [];
  // As many as a sweep takes: 60 of each of four sources. Each would take two queries for its source and two to be saved.
  for (let i = 0; i < 240; i++) {
    const agencyId = unique("agency");
    const vendorImages = { program: "Rekor", source: `Agency ${i % 4}`, vehicle: "x", plate: null } as const;
    ids.push(
      (
        await anAlert(
          { id: unique("group"), agencyId },
          { program: "Rekor", createdAt: Date.now() - MINUTE, vendorImages },
        )
      ).id,
    );
  }
  const { database, count } = queriesOf(bindings.DB);
  for (let runs = 0; (await waiting(ids)) !== 0; runs++) {
    expect(runs).toBeLessThan(10);
    expect(await count(() => sweepVendorImages(testApp(Date.now, { DB: database })))).toBeLessThan(
      MAX_QUERIES,
    );
  }
});

it("an invocation that writes hundreds of hits fetches the pictures of some, and the sweep those of the others", async () => {
  const agency = await newAgency();
  const group = { id: unique("group"), agencyId: agency.id };
  const vendorImages = { program: "Axon", source: unique("axon"), vehicle: "x", plate: null } as const;
  const ids: string[] = [];
  for (let i = 0; i < 600; i++) ids.push((await anAlert(group, { program: "Axon", vendorImages })).id);
  const { database, count } = queriesOf(bindings.DB);
  const app = testApp(Date.now, { DB: database });
  // A poll calls it for each page of reads that has hits.
  const made = await count(async () => {
    for (let from = 0; from < ids.length; from += 30) await copyVendorImages(app, ids.slice(from, from + 30));
  });
  expect(made).toBeLessThan(100);
  expect(await waiting(ids)).toBe(560);
  await sweepVendorImages(testApp(() => Date.now() + MINUTE));
  expect(await waiting(ids)).toBe(500);
});
