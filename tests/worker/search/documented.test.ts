// A search as documented clients send it: null for what is not filled in, each camera of an agency, times in other forms.

import { beforeAll, expect, it } from "vitest";
import { SECOND } from "#app/lib/time/dates.ts";
import {
  auditOf,
  bindings,
  type Client,
  client,
  jsonInit,
  newWorld,
  pushRead,
  search,
  searchBody,
  type World,
} from "../../factories.ts";

let world: World;
let officer: Client;

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
});

const axisAgencies = async () =>
  (await (await officer.fetch("/axis-authorized-agencies")).json()) as {
    id: string;
    agency_name: string;
    integrations: { identifier: string }[];
  }[];

type Logged = { query?: Record<string, unknown>; agencies?: string[] };

/** Returns what the audit log has of the newest search. */
async function logged(): Promise<Logged> {
  const rows = await auditOf(world.users.officer, 5);
  const details = rows.map(({ detail }) => JSON.parse(detail) as Logged);
  return details.findLast(({ query }) => query) ?? {};
}

it("takes null, numbers and other spellings for what the form has, and finds the same reads", async () => {
  const at = Date.now() - 30 * SECOND;
  await pushRead(world.camera, { plate: "1234567", at });
  const [agency] = await axisAgencies();
  const named = [agency?.id ?? ""];
  const body = searchBody(named, { plate: "1234567" });
  const { rows } = await search(officer, body);
  expect(rows.length).toBeGreaterThan(0);
  const loose = await search(officer, {
    ...body,
    plate: 1234567,
    plate_state: null,
    vehicle_color: null,
    vehicle_make: "",
    case_number: null,
    filters: { top_rack: null, back_rack: "false" },
    start_time: ` ${body.start_time.replace("T", " ").replace("Z", "+00:00")} `,
  });
  expect(loose.rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  expect((await logged()).query).toMatchObject({
    plate: "1234567",
    plate_state: "",
    start_time: body.start_time,
  });
});

it("finds the picture of a read by the field that the client has", async () => {
  const { rows } = await search(officer, searchBody(world.agencies));
  const rekor = rows.find(({ source_program, image_path }) => source_program === "Rekor" && image_path);
  const reference = encodeURIComponent(rekor?.image_path ?? "");
  for (const name of ["image_uuid", "image_path", "url"])
    expect((await officer.fetch(`/proxy-rekor-image?${name}=${reference}`)).status).toBe(200);
});

it("exports a read whose time is sent without its fraction of a second", async () => {
  const { rows } = await search(officer, searchBody(world.agencies));
  const read = rows.find(({ timestamp }) => timestamp?.endsWith("Z"));
  const { plate, camera_name, agency, source_program } = read ?? {};
  const record = { id: "", plate, camera_name, agency, source_program };
  const timestamp = read?.timestamp?.replace(/\.\d+Z$/, "Z");
  const send = (records: object[]) =>
    officer.fetch("/export-zip", jsonInit({ records, justification: "Stolen vehicle", case_number: null }));
  expect((await send([{ ...record, timestamp }])).status).toBe(200);
  const other = await send([{ ...record, timestamp: "2001-01-01T00:00:00Z" }]);
  expect(other.status).toBe(404);
  expect(await other.json()).toMatchObject({ not_found: [1] });
});

it("may name each of many cameras, which are stored as their agency", async () => {
  const { agency_id: agencyId } = (await bindings.DB.prepare(
    "SELECT agency_id FROM axis_cameras WHERE id = ?",
  )
    .bind(world.camera.id)
    .first<{ agency_id: string }>()) ?? { agency_id: "" };
  const ids = Array.from({ length: 600 }, (_, i) => `many-${i}`);
  await bindings.DB.prepare(
    `INSERT INTO axis_cameras (id, agency_id, name, secret_hash, created_at)
     SELECT ?1 || j.value, ?1, j.value, 'hash ' || ?1 || j.value, 0 FROM json_each(?2) j`,
  )
    .bind(agencyId, JSON.stringify(ids))
    .run();
  const own = (await axisAgencies()).find(({ id }) => id === agencyId);
  const each = own?.integrations.map(({ identifier }) => identifier) ?? [];
  expect(each.length).toBeGreaterThan(600);
  const { rows } = await search(officer, searchBody(each, { plate: "1234567" }));
  expect(rows.length).toBeGreaterThan(0);
  expect((await logged()).agencies).toEqual([agencyId]);
  // An agency that is selected in part stays listed by its cameras.
  await search(officer, searchBody(each.slice(1), { plate: "1234567" }));
  expect((await logged()).agencies).toHaveLength(each.length - 1);
});

it("refuses a plate that is too long with its limit, not as one with wrong characters", async () => {
  const refusal = async (plate: string) => {
    const response = await officer.fetch("/search-data", jsonInit(searchBody(["Nowhere"], { plate })));
    return ((await response.json()) as { msg: string }).msg;
  };
  expect(await refusal(`${"A".repeat(18)}-1*`)).toBe("You cannot search one of the selected agencies.");
  expect(await refusal(`${"A".repeat(18)}-12*`)).toBe("A plate has at most 20 characters.");
  expect(await refusal("A/B")).toBe("A plate has letters, digits, * and ? only.");
});
