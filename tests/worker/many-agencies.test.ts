// Screens of an installation with more agencies than they list: they have the first ones, and find the others.

import { beforeAll, describe, expect, it } from "vitest";
import {
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  newAgency,
  newUser,
  setUpPart,
  unique,
} from "../factories.ts";

const MANY = 250;
let owner: Client;
let boss: Client;
let other: Client;
let seeker: Client;

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
  // All share with the agency of `seeker`, each its one camera.
  const { id } = await newAgency();
  seeker = await client(await newUser(id, { role: "admin" }));
  await bindings.DB.batch([
    bindings.DB.prepare(
      `INSERT INTO axis_shares (owner_agency_id, viewer_agency_id, created_at)
       SELECT id, ?1, 0 FROM agencies WHERE id LIKE 'many%'`,
    ).bind(id),
    bindings.DB.prepare(
      `INSERT INTO axis_cameras (id, agency_id, name, secret_hash, created_at)
       SELECT id || '-camera', id, 'Spot ' || substr(name, -4), id, 0 FROM agencies WHERE id LIKE 'many%'`,
    ),
  ]);
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

/** Returns how many bytes of a page each of the agencies costs: the page of an agency with which none shares has none. */
const bytesEach = async (path: string) =>
  ((await page(seeker, path)).length - (await page(other, path)).length) / MANY;

const camerasIn = (html: string, place: number) =>
  [...html.matchAll(new RegExp(`name="p${place}_cameras"[^>]* value="axis:(many\\d+)-camera"`, "g"))].map(
    ([, id]) => id,
  );

describe("the form of a place search", () => {
  it("lists fifty cameras for each place, and has the drawing of each program once", async () => {
    const html = await page(seeker, "/investigate");
    const first50 = Array.from({ length: 50 }, (_, i) => `many${i + 1}`);
    for (const place of [0, 1, 2, 3, 4]) expect(camerasIn(html, place)).toEqual(first50);
    expect(html).toContain("50 of 250 cameras are listed.");
    expect(html.match(/<symbol /g)).toHaveLength(3);
    expect(html.match(/<use href="#mark-Axis">/g)).toHaveLength(250);
  });

  it("is small", async () => {
    // 3,846 with 200 cameras for each place, a drawing for each camera, and the classes of each box.
    expect(await bytesEach("/investigate")).toBeLessThan(800);
    expect(await bytesEach("/investigate?tool=convoy")).toBeLessThan(250);
  });

  it("lists the cameras that searches for several texts find, for browsers without scripts", async () => {
    const html = await page(seeker, "/investigate?find=MANY+1249,+spot+1101,,");
    for (const place of [0, 4]) expect(camerasIn(html, place)).toEqual(["many249", "many101"]);
    expect(html).toContain("2 of 250 cameras are listed.");
    // Each text finds its part of the fifty; the camera that both find is listed once.
    const both = camerasIn(await page(seeker, "/investigate?find=many,spot+12"), 0);
    expect(both).toHaveLength(49);
    expect(both.slice(24, 27)).toEqual(["many25", "many112", "many120"]);
  });

  it("says that no camera was found, and finds none of agencies that do not share", async () => {
    const none = await page(seeker, "/investigate?find=no-camera-has-this");
    expect(none).toContain("0 of 250 cameras are listed.");
    expect(none).not.toContain("No cameras are known yet.");
    const strange = await page(other, "/investigate?find=spot");
    expect(strange).not.toContain("Spot 1");
    expect(strange).toContain("No cameras are known yet.");
  });

  it("keeps the found cameras, and those that were picked, if it is refused", async () => {
    const body = new URLSearchParams({
      intent: "places",
      p0_kind: "cameras",
      p0_cameras: "axis:many249-camera",
    });
    const answer = await seeker.fetch("/investigate?find=spot+1249", { method: "POST", body });
    const html = await answer.text();
    expect(camerasIn(html, 0)).toEqual(["many249"]);
    expect(/<input[^>]*name="p0_cameras"[^>]*>/.exec(html)?.[0]).toContain('checked=""');
  });
});

describe("the search form", () => {
  it("has all agencies, and few bytes for each", async () => {
    expect(namesIn(await page(seeker, "/search"))).toHaveLength(MANY);
    // 408 with the classes of each box.
    expect(await bytesEach("/search")).toBeLessThan(300);
  });
});

describe("the form of a group", () => {
  let edit: string;
  let hotadmin: Client;

  beforeAll(async () => {
    hotadmin = await client(await newUser((await newAgency()).id, { hotlistAdmin: true }));
    const saved = await bodyOf<{ group_id: string }>(
      await hotadmin.fetch("/groups/create-mobile", formInit({ group_name: unique("Group") })),
    );
    edit = `/groups/${saved.group_id}/edit`;
  });

  const offered = (html: string) => html.match(/<option value="many\d+">/g) ?? [];

  it("offers the first fifty agencies to invite, and those that a search finds", async () => {
    const html = await page(hotadmin, edit);
    expect(namesIn(html)).toEqual(first(50, (i) => i + 1));
    expect(offered(html)).toHaveLength(50);
    expect(html).toMatch(/The first 50 of 25\d agencies, by name\./);
    const found = await page(hotadmin, `${edit}?agency=MANY+1249`);
    expect(offered(found)).toEqual(['<option value="many249">']);
    expect(found).toContain("1 agency found.");
    // The search is a form of its own: its field is not one of the group's.
    expect(/<input[^>]*form="find-agencies"[^>]*name="agency"/.test(found)).toBe(true);
    expect(/<form method="get"[^>]* id="find-agencies"[^>]*><\/form>/.test(found)).toBe(true);
  });

  it("invites an agency that a search found, and does not offer it again", async () => {
    const path = `${edit.replace(/\/edit$/, "")}/invitations`;
    expect((await hotadmin.post(path, { agency_id: "many249" })).status).toBe(200);
    const found = await page(hotadmin, `${edit}?agency=MANY+124`);
    expect(offered(found)).toHaveLength(9);
    expect(found).not.toContain('<option value="many249">');
  });

  it("still gives a program all agencies", async () => {
    const data = await page(hotadmin, `${edit}-data`);
    expect(namesIn(data)).toHaveLength(MANY);
  });
});
