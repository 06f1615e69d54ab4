// Names in lists: SQLite would put "Troop 10" before "Troop 2", and "Élan" after "Troop".

import { expect, it } from "vitest";
import { countAgencies } from "#app/domain/search/searchable.ts";
import { openControl } from "#app/store/database.ts";
import { listOtherAgencies } from "#app/store/hotlists/groups.ts";
import { listRekorKeys } from "#app/store/integrations/settings.ts";
import { listForShares } from "#app/store/integrations/sharing.ts";
import { listAllSources, listSourcesWithoutCameras } from "#app/store/integrations/sources.ts";
import { bindings, newAgency, setUpPart, unique } from "../../factories.ts";

const ORDER = ["Élan", "troop 2", "Troop 10"];

it("names with numbers and accents are in the order in which people look for them", async () => {
  const word = unique("");
  const named = (name: string) => `${name} ${word}`;
  const ours = await newAgency();
  const others = [];
  for (const name of ORDER.toReversed()) others.push(await newAgency(named(name)));
  const baseUrl = "https://vendor.example";
  await setUpPart({
    axisShares: others.map(({ id }) => ({ ownerAgencyId: id, viewerAgencyId: ours.id })),
    axisCameras: others.map(({ id, name }) => ({
      id: unique("camera"),
      agencyId: id,
      name,
      latitude: 41,
      longitude: -72,
      secret: unique("secret"),
    })),
    axonIntegrations: others.map(({ id }) => ({
      baseUrl,
      id: unique("axon"),
      agencyId: id,
      clientId: "c",
      partnerId: "p",
      clientSecret: "s",
    })),
    rekorKeys: others.map(({ name }) => ({
      baseUrl,
      id: unique("rekor"),
      tenantId: ours.id,
      agency: name,
      key: unique("key"),
    })),
  });
  const db = openControl(bindings.DB);
  const tenant = { tenantId: ours.id, now: Date.now() };
  const own = (names: string[]) => names.filter((name) => name.endsWith(word));
  const programs = [...ORDER, ...ORDER, ...ORDER].map(named);
  for (const list of [listAllSources, listSourcesWithoutCameras])
    expect(own((await list(db, tenant)).map(({ agency }) => agency))).toEqual(programs);
  const sources = (await listAllSources(db, tenant)).filter(({ agency }) => agency.endsWith(word));
  expect([sources.length, countAgencies(sources)]).toEqual([9, 3]);
  const keys = await listRekorKeys(db, tenant);
  const shares = await listForShares(db, { program: "Axis", agencyId: ours.id });
  const invitable = await listOtherAgencies(db, ours.id);
  for (const names of [
    keys.map(({ agency }) => agency),
    shares.map(({ name }) => name),
    invitable.map(({ name }) => name),
  ])
    expect(own(names)).toEqual(ORDER.map(named));
});
