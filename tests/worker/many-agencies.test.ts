// Screens of an installation with more agencies than they list: they have the first ones, and find the others.

import { beforeAll, describe, expect, it } from "vitest";
import { bindings, type Client, client, newAgency, newUser, setUpPart } from "../factories.ts";

const MANY = 250;
let owner: Client;
let boss: Client;
let other: Client;

beforeAll(async () => {
  const here = await newAgency();
  owner = await client(await newUser(here.id, { username: "owner", role: "admin" }));
  boss = await client(await newUser(here.id, { role: "admin" }));
  // By name after the agencies of other tests, so that the first ones are known.
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO agencies (id, name, created_at) SELECT 'many' || i, '!Many ' || (1000 + i), 0 FROM n`,
  )
    .bind(MANY)
    .run();
  const sharing = Array.from({ length: 80 }, (_, i) => `many${2 * i + 1}`);
  await setUpPart({
    axisShares: sharing.map((viewerAgencyId) => ({ ownerAgencyId: here.id, viewerAgencyId })),
  });
  other = await client(await newUser((await newAgency()).id, { role: "admin" }));
});

/** Returns the whole page, with the data that its scripts start with. */
async function page(who: Client, path: string): Promise<string> {
  const answer = await who.fetch(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.text()).replaceAll("<!-- -->", "");
}

const namesIn = (html: string) => [...new Set(html.match(/!Many \d+/g))].sort();
const numbered = (...numbers: number[]) => numbers.map((number) => `!Many ${1000 + number}`);
const first = (count: number, of: (i: number) => number) =>
  numbered(...Array.from({ length: count }, (_, i) => of(i)));

describe("the owner's screen", () => {
  it("has the first fifty agencies, and those that a search finds", async () => {
    const whole = await page(owner, "/owner");
    expect(namesIn(whole)).toEqual(first(50, (i) => i + 1));
    expect(whole).toMatch(/The first 50 of 25\d agencies, by name\./);
    const found = await page(owner, "/owner?agency=MANY+1249");
    expect(namesIn(found)).toEqual(numbered(249));
    expect(found).toContain("1 agency found.");
    expect(found).toContain('<option value="many249">');
    expect(found).toContain('href="/owner/policy/many249"');
  });

  it("keeps the search for users and that for agencies", async () => {
    const html = await page(owner, "/owner?agency=MANY+1249&find=no-agency-has-this");
    expect(html).toContain('<input type="hidden" name="agency" value="MANY 1249"/>');
    expect(html).toContain('<input type="hidden" name="find" value="no-agency-has-this"/>');
  });

  it("still gives a program all agencies", async () => {
    expect(namesIn(await page(owner, "/owner-data"))).toHaveLength(MANY);
  });
});

describe("the agencies with which reads are shared", () => {
  it("are the first fifty of both lists, with the number of all", async () => {
    const html = await page(boss, "/integrations/axis");
    expect(html).toContain("Shared with (80)");
    expect(html).toContain("The first 50 of 80 agencies, by name.");
    const shown = namesIn(html);
    expect(shown).toHaveLength(100);
    expect(shown).toEqual(
      expect.arrayContaining([...first(50, (i) => 2 * i + 1), ...first(50, (i) => 2 * i + 2)]),
    );
  });

  it("are found in both lists, beside the cameras that were found", async () => {
    const html = await page(boss, "/integrations/axis?agency=many+110&find=camera");
    expect(namesIn(html)).toEqual(first(10, (i) => 100 + i));
    expect(html).toContain("10 agencies found.");
    expect(html).toContain('<input type="hidden" name="find" value="camera"/>');
  });

  it("are found on the screens of Rekor too, and none is found by a name that no agency has", async () => {
    expect(namesIn(await page(other, "/integrations/rekor"))).toEqual(first(50, (i) => i + 1));
    const none = await page(other, "/integrations/rekor?agency=no-agency-has-this");
    expect(namesIn(none)).toEqual([]);
    expect(none).toContain("No agency name matches.");
  });
});
