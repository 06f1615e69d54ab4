import { beforeAll, describe, expect, it } from "vitest";
import type { HitQuality } from "#app/entities/alerts/hit.ts";
import { bindings, bodyOf, type Client, client, newAgency, newUser } from "../../factories.ts";
import { newGroup } from "../../support/fan-out.ts";

/** With ids of forty characters, one bound list of these cameras would have more than D1's two million bytes. */
const CAMERAS = 30_000;

let admin: Client;
let groupId: string;

beforeAll(async () => {
  const agency = await newAgency();
  admin = await client(await newUser(agency.id, { role: "admin" }));
  groupId = (await newGroup(agency.id, [])).id;
  // One hit of each camera, and a second one of the first 250, the last of which is thereby on the second page.
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 + 249)
    INSERT INTO alerts (id, group_id, agency_id, entry_id, pass_key, program, match_kind, plate, captured_at, camera_id,
      camera_name, camera_agency_id, camera_agency, listed_plate, listed_at, listed_by, listed_by_agency, created_at)
    SELECT ?1 || i, ?1, ?2, 1, ?1 || i, 'Rekor', 'exact', 'AB12345', ?4 + i,
      printf('camera-%033d', i % ?3), printf('Main St %05d%s', i % ?3, iif(i < 250, ' (former)', '')), ?2, 'Agency',
      'AB12345', 1, 'Ann', 'Agency', ?4 + i
    FROM n`,
  )
    .bind(groupId, agency.id, CAMERAS, Date.now() - CAMERAS * 2)
    .run();
});

/** Returns the names of the cameras that the filter of a history offers. */
async function offered(query: string): Promise<string[]> {
  const response = await admin.fetch(`/alerts/group/${groupId}${query}`);
  expect(response.status).toBe(200);
  const screen = (await response.text()).replaceAll("<!-- -->", "");
  return [...screen.matchAll(/<option value="camera-[^>]*>([^<]*)</g)].map(([, name = ""]) => name);
}

describe("a group with hits of 30,000 cameras", () => {
  it("offers 500 cameras in its history, those of a name, and the chosen one", async () => {
    const names = await offered("");
    expect(names).toHaveLength(500);
    expect(names.slice(0, 2)).toEqual(["Main St 00000", "Main St 00001"]);
    expect(await offered("?cameras=st+2999")).toEqual(
      Array.from({ length: 10 }, (_, i) => `Main St ${29_990 + i}`),
    );
    const chosen = `camera-${String(29_999).padStart(33, "0")}`;
    expect(await offered(`?camera=${chosen}`)).toEqual(["Main St 29999", ...names]);
  });

  it("has its hit quality by camera, in pages on the screen", async () => {
    const { cameras } = await bodyOf<{ cameras: HitQuality[] }>(admin.fetch("/alerts/quality-data"));
    expect(cameras).toHaveLength(CAMERAS);
    expect(cameras[0]).toMatchObject({ name: "Main St 00000", hits: 2 });
    const page = async (query: string) =>
      (await (await admin.fetch(`/alerts/quality${query}`)).text()).replaceAll("<!-- -->", "");
    const [first, second] = [await page(""), await page("?page=2")];
    expect(first).toContain("30,000 cameras, most hits first");
    expect(first).toContain("Page 1 of 150");
    expect(first).toContain("Main St 00199");
    expect(first).not.toContain("Main St 00200");
    expect(first).toContain('href="/alerts/quality?page=2"');
    expect(second).toContain("Main St 00249");
    expect(second).not.toContain("Main St 00199");
    expect(await page("?page=999")).toContain("Page 150 of 150");
  });
});
