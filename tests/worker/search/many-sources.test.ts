// A search of the Axon integrations of many agencies.

import { expect, it } from "vitest";
import { waiting } from "#app/domain/search/searchable.ts";
import { searchSources } from "#app/domain/search/sources.ts";
import type { SightingQuery } from "#app/entities/search/query.ts";
import { createColumns } from "#app/entities/search/result-builder.ts";
import { at } from "#app/lib/at.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { createTokenStore, listAxonSources } from "#app/store/integrations/sources.ts";
import { bindings, newAgency, testApp, unique } from "../../factories.ts";
import { queriesOf } from "../../support/workerd/queries.ts";

const MANY = 20;

it("looks up all their tokens with one query, because D1 allows a request 1,000", async () => {
  const { database, count } = queriesOf(bindings.DB);
  const app = testApp(Date.now, { DB: database });
  const mark = unique("axon");
  const agencies = await Promise.all(Array.from({ length: MANY }, () => newAgency()));
  // No host of VENDOR_HOSTS, so that nothing is sent.
  await bindings.DB.prepare(
    `INSERT INTO axon_integrations (id, agency_id, base_url, client_id, partner_id, sealed_secret, created_at)
    SELECT ?1 || key, value, 'https://not-allowed.example', 'c', 'p', 'x', 1 FROM json_each(?2)`,
  )
    .bind(mark, JSON.stringify(agencies.map(({ id }) => id)))
    .run();
  const tokens = createTokenStore(app.db, app.config.sealingKeys, app.clock);
  const now = Date.now();
  for (let n = 0; n < MANY; n++) await tokens.save(`${mark}${n}`, "token", now + HOUR);
  const all = await listAxonSources(app.db, { tenantId: at(agencies, 0).id, now });
  const sources = all.filter(({ id }) => id.startsWith(mark));
  const statuses = sources.map(waiting);
  const query: SightingQuery = {
    plate: { kind: "any" },
    plateState: "",
    color: "",
    make: "",
    bodyType: "",
    marks: [],
    from: now - HOUR,
    to: now,
  };
  const queries = await count(() =>
    searchSources(app, {
      sources,
      statuses,
      query,
      signal: new AbortController().signal,
      columns: createColumns(),
      report: () => {},
    }),
  );
  expect(statuses.map(({ state }) => state)).toEqual(Array(MANY).fill("failed"));
  // The circuit breakers and the tokens.
  expect(queries).toBe(2);
});
