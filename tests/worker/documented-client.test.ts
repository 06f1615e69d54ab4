/**
 * The calls of specification section 7 as the documented client makes them: with the session cookie but no other
 * browser headers (no Origin, no Fetch Metadata), and only documented fields. Responses may have additional fields.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { MESSAGES } from "#app/entities/messages.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import {
  bindings,
  type Client,
  jsonInit,
  newUser,
  newWorld,
  PASSWORD,
  pushRead,
  search,
  searchBody,
  send,
  signIn,
  type TestUser,
  unique,
  userOf,
  vendors,
  type World,
} from "../factories.ts";
import { newPlate } from "../live.ts";

type Role = "officer" | "hotadmin" | "admin" | "owner";

/** Results of earlier calls that later calls use. */
type Things = Record<string, string>;

type Answer = { response: Response; text: string; json: unknown };

type DocumentedCall = {
  /** METHOD and URL as the specification writes them. */
  call: string;
  as: Role;
  path?: (things: Things) => string;
  init?: (things: Things) => RequestInit;
  /** Fields that the documented client reads from the response, or from each item of a list. */
  reads?: readonly string[];
  check?: (answer: Answer, things: Things) => void | Promise<void>;
};

let world: World;
let cookies: Record<Role, string>;
const things: Things = {};
let record: Record<string, unknown>;

const json = (body: unknown) => jsonInit(body);
const method = (name: string, body?: unknown): RequestInit =>
  body === undefined ? { method: name } : { ...jsonInit(body), method: name };

function form(fields: Record<string, string | File>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { method: "POST", body };
}

async function cookieOf(user: TestUser): Promise<string> {
  const response = await signIn(user);
  expect(response.status, `${user.username} signs in`).toBe(200);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const csv = (name: string, text: string) => new File([text], name, { type: "text/csv" });

/** The fields of an export record in specification section 3; the client sends no id. */
const RECORD_FIELDS = [
  "plate",
  "plate_state",
  "make",
  "color",
  "body_type",
  "timestamp",
  "camera_name",
  "agency",
  "latitude",
  "longitude",
  "source_program",
] as const;

beforeAll(async () => {
  world = await newWorld();
  await vendors.setFaults();
  things.plate = newPlate();
  await pushRead(world.camera, { plate: things.plate, at: Date.now() - MINUTE });
  const { officer, hotadmin, admin, owner } = world.users;
  cookies = {
    officer: await cookieOf(officer),
    hotadmin: await cookieOf(hotadmin),
    admin: await cookieOf(admin),
    owner: await cookieOf(owner),
  };
  const searcher: Client = {
    user: officer,
    headers: {},
    fetch: (path, init) => as("officer", path, init),
    post: (path, body) => as("officer", path, json(body)),
  };
  // Rekor's cameras are registered from their reads.
  await search(searcher, searchBody(world.agencies));
  const found = await search(searcher, searchBody(world.agencies, { plate: things.plate.toLowerCase() }));
  const row: Record<string, unknown> = {
    ...found.rows.find(({ source_program }) => source_program === "Axis"),
  };
  record = Object.fromEntries(RECORD_FIELDS.map((field) => [field, row[field]]));
});

function as(role: Role, path: string, init: RequestInit = {}): Promise<Response> {
  return send(path, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), cookie: cookies[role] },
  });
}

const list =
  (field: string, name: string) =>
  async ({ json: body }: Answer) => {
    const rows = (body as Record<string, unknown>)[field];
    expect(Array.isArray(rows), `${name} is a list`).toBe(true);
  };

const CALLS: readonly DocumentedCall[] = [
  // Authentication and profile
  {
    call: "GET /get-current-user",
    as: "officer",
    reads: ["username", "role", "hotlist_admin", "hotlist_viewer"],
  },
  { call: "GET /profile-data", as: "officer", reads: ["username", "email", "role"] },

  // Search
  { call: "GET /api-keys-data", as: "officer", reads: ["id", "agency"] },
  { call: "GET /axon-authorized-integrations", as: "officer", reads: ["agency_name", "base_url"] },
  { call: "GET /axis-authorized-agencies", as: "officer", reads: ["id", "agency_name", "integrations"] },
  {
    call: "POST /search-data",
    as: "officer",
    init: () =>
      json({
        plate: things.plate?.toLowerCase(),
        plate_state: "",
        vehicle_color: "",
        vehicle_make: "",
        vehicle_body_type: "",
        justification: "Stolen vehicle",
        start_time: new Date(Date.now() - 60 * MINUTE).toISOString(),
        end_time: new Date().toISOString(),
        agencies: world.agencies,
        filters: { top_rack: false, back_rack: false, bumper_stickers: false, window_stickers: false },
      }),
    reads: ["id", "source_program", "image_uuid", "image_path", ...RECORD_FIELDS],
    check: ({ json: rows }) => expect(rows).toHaveLength(1),
  },

  // Alerts and groups
  {
    call: "POST /groups/create-mobile",
    as: "hotadmin",
    init: () =>
      form({ group_name: unique("Group"), group_description: "", group_members: world.users.hotadmin.id }),
  },
  {
    call: "GET /alerts-data",
    as: "hotadmin",
    reads: ["id", "name", "latest_image_url", "last_alert"],
    check({ json: groups }, made) {
      made.group = (groups as { id: string }[])[0]?.id ?? "";
      expect(made.group).not.toBe("");
    },
  },
  {
    call: "POST /hotlist/add-plate-direct",
    as: "hotadmin",
    init: ({ group, plate }) =>
      json({ plate_number: plate, reason: "Stolen", state: "CT", notes: "", group_id: group }),
  },
  {
    call: "POST /groups/{groupId}/edit-mobile",
    as: "hotadmin",
    path: ({ group }) => `/groups/${group}/edit-mobile`,
    init: () => {
      const many = Array.from({ length: 150 }, (_, at) => [`plates[${at}][number]`, newPlate()]);
      return form({
        group_name: unique("Renamed"),
        group_description: "Edited by the app",
        group_members: `${world.users.hotadmin.id},${world.users.viewer.id}`,
        ...Object.fromEntries(many),
      });
    },
  },
  {
    call: "GET /groups/{groupId}/edit-data",
    as: "hotadmin",
    path: ({ group }) => `/groups/${group}/edit-data`,
    reads: ["group", "members", "plates", "users_by_agency"],
    check({ json: body }, made) {
      const { plates } = body as { plates: { id: number }[] };
      expect(plates).toHaveLength(151);
      made.entry = String(plates[0]?.id);
    },
  },
  {
    call: "GET /alerts/group/{groupId}/details-data",
    as: "hotadmin",
    path: ({ group }) => `/alerts/group/${group}/details-data`,
    reads: ["group", "members", "plates"],
    check: ({ json: body }) => {
      const { plates, group } = body as { plates: object[]; group: object };
      expect(plates).toHaveLength(151);
      expect(group).toHaveProperty("last_alert");
      for (const field of [
        "plate_number",
        "state",
        "reason",
        "notes",
        "created_at",
        "added_by_name",
        "added_by_agency",
        "attachment_path",
      ])
        expect(plates[0]).toHaveProperty(field);
    },
  },
  {
    call: "GET /alerts/group/{groupId}/data",
    as: "hotadmin",
    path: ({ group }) => `/alerts/group/${group}/data`,
    reads: ["group", "alerts"],
    check: ({ json: body }) => expect((body as { group: object }).group).toHaveProperty("last_alert"),
  },
  {
    call: "POST /groups/{groupId}/bulk-upload-plates",
    as: "hotadmin",
    path: ({ group }) => `/groups/${group}/bulk-upload-plates`,
    init: () =>
      form({ csv_file: csv("plates.csv", `plate,state,reason\n${newPlate()},CT,Stolen\n`), mode: "add" }),
  },
  {
    call: "POST /groups/{groupId}/remove-plate",
    as: "hotadmin",
    path: ({ group }) => `/groups/${group}/remove-plate`,
    init: ({ entry }) => ({ method: "POST", body: new URLSearchParams({ plate_id: entry ?? "" }) }),
  },
  { call: "GET /group-create-data", as: "hotadmin", reads: ["users_by_agency"] },
  { call: "POST /toggle-push-alerts", as: "hotadmin", init: () => method("POST"), reads: ["push_alerts"] },
  { call: "GET /agency-users-api", as: "admin" },
  {
    call: "POST /update-alert-permissions-api",
    as: "admin",
    init: () =>
      json({
        [`hotlist_admin_${world.users.colleague.id}`]: false,
        [`hotlist_viewer_${world.users.colleague.id}`]: true,
      }),
  },
  { call: "POST /archive-group", as: "hotadmin", init: ({ group }) => json({ group_id: group }) },

  // Admin
  { call: "GET /admin-data", as: "admin", reads: ["users"], check: list("users", "users") },
  {
    call: "POST /admin/add-user",
    as: "admin",
    init: (made) => {
      made.newUser = unique("newcomer").toLowerCase();
      const { username, name, email, role } = userOf(world.ours.id, { username: made.newUser });
      return json({ username, name, email, password: "Temporary-Pass-42!", role, agency_id: null });
    },
  },
  {
    call: "POST /bulk-upload-users",
    as: "admin",
    init: () =>
      form({
        file: csv(
          "users.csv",
          `username,name,email,role\n${unique("bulk").toLowerCase()},Bulk User,b@x.example,user\n`,
        ),
      }),
  },
  { call: "GET /download-template", as: "admin" },
  {
    call: "POST /admin/reset-user-password",
    as: "admin",
    init: () => json({ user_id: world.users.colleague.id, new_password: "Announced-Pass-42!" }),
    async check() {
      const again = await signIn({
        username: world.users.colleague.username,
        password: "Announced-Pass-42!",
      });
      expect(again.status, "the announced password works").toBe(200);
    },
  },
  {
    call: "PUT /admin/toggle-role/{id}",
    as: "admin",
    path: () => `/admin/toggle-role/${world.users.viewer.id}`,
    init: () => method("PUT", { new_role: "admin" }),
  },
  {
    call: "DELETE /admin/delete-user/{id}",
    as: "admin",
    path: () => `/admin/delete-user/${world.users.viewer.id}`,
    init: () => method("DELETE"),
  },

  // Integrations
  {
    call: "POST /add-api-key",
    as: "admin",
    init: () => json({ agency: unique("Agency"), api_key: "0123456789abcdef0123", source_program: "Rekor" }),
  },
  {
    call: "POST /bulk-upload-api-keys",
    as: "admin",
    init: () =>
      form({
        file: csv(
          "keys.csv",
          `agency,api_key,source_program\n${unique("Agency")},fedcba98765432100123,Rekor\n`,
        ),
      }),
  },
  {
    call: "DELETE /delete-api-key/{id}",
    as: "admin",
    path: () => `/delete-api-key/${world.manchester.id}`,
    init: () => method("DELETE"),
  },
  { call: "GET /axon-existing-integration", as: "admin", reads: ["existing_integration"] },
  {
    call: "GET /get-authorized-and-blacklisted-agencies",
    as: "admin",
    reads: ["authorized_agencies", "blacklisted_agencies"],
  },

  // Owner and cameras
  { call: "GET /owner-data", as: "owner", reads: ["users", "agencies"] },
  {
    call: "POST /owner/add-user",
    as: "owner",
    init: () => {
      const { username, name, email, role } = userOf(world.theirs.id);
      return json({
        username: username.toLowerCase(),
        name,
        email,
        password: "Temporary-Pass-42!",
        role,
        agency_id: world.theirs.id,
      });
    },
  },
  {
    call: "POST /admin/reset-user-password by the owner",
    as: "owner",
    path: () => "/admin/reset-user-password",
    init: () => json({ user_id: world.users.stranger.id, new_password: "Announced-Pass-43!" }),
  },
  { call: "GET /agencies-data", as: "owner", reads: ["id", "name"] },
  {
    call: "GET /rekor-cameras",
    as: "owner",
    reads: ["camera_id", "camera_name", "site_name", "agency_id", "is_manual"],
    check({ json: cameras }, made) {
      // Rekor's own ids contain a slash.
      const known = (cameras as { camera_id: string }[]).map(({ camera_id }) => camera_id);
      made.camera = known.find((id) => id.includes("/")) ?? "";
      expect(made.camera).not.toBe("");
    },
  },
  {
    call: "PATCH /rekor-cameras/{cameraId}",
    as: "owner",
    path: ({ camera }) => `/rekor-cameras/${camera}`,
    init: () =>
      method("PATCH", {
        corrected_latitude: "41.763700",
        corrected_longitude: "-72.685100",
        agency_id: world.ours.id,
        is_manual: true,
      }),
  },

  // Audit
  {
    call: "GET /admin-audit-logs-api",
    as: "admin",
    path: () => `/admin-audit-logs-api?page=1&start=&end=&plate=${things.plate}`,
  },

  // Export and images
  {
    call: "POST /generate-map-snapshot",
    as: "officer",
    init: () => json({ latitude: 41.76, longitude: -72.68 }),
    reads: ["map_data_uri"],
  },
  {
    call: "POST /generate-map-snapshot with numbers as text",
    as: "officer",
    path: () => "/generate-map-snapshot",
    init: () => json({ latitude: "41.760000", longitude: "-72.680000" }),
    reads: ["map_data_uri"],
  },
  {
    call: "POST /export-pdf",
    as: "officer",
    init: () =>
      json({
        records: [
          {
            ...record,
            coordinates: "41.76, -72.67",
            justification: "Stolen vehicle",
            address: "Somewhere",
            vehicle_image_data_uri: "data:image/jpeg;base64,/9j/4AAQ",
            plate_crop_data_uri: "data:image/jpeg;base64,/9j/4AAQ",
            map_data_uri: "data:image/png;base64,iVBORw0KGgo=",
          },
        ],
        justification: "Stolen vehicle",
      }),
    check: ({ response, text }) => {
      expect(response.headers.get("content-type")).toContain("application/pdf");
      expect(text.slice(0, 5)).toBe("%PDF-");
    },
  },
  {
    call: "POST /export-zip",
    as: "officer",
    init: () =>
      json({
        records: [{ ...record, vehicle_image_data_uri: "", plate_image_url: "" }],
        justification: "Stolen vehicle",
      }),
    check: ({ response, text }) => {
      expect(response.headers.get("content-type")).toContain("application/zip");
      expect(text.slice(0, 2)).toBe("PK");
    },
  },

  // Last, because they end sessions.
  {
    call: "POST /user/reset-password",
    as: "hotadmin",
    init: () => json({ new_password: "Another-Pass-77!" }),
    check: ({ json: body }) => expect(body).toMatchObject({ msg: MESSAGES.passwordUpdated }),
  },
  { call: "POST /logout", as: "officer", init: () => method("POST") },
];

describe("the documented client", () => {
  it.each(CALLS)("$call", async ({ call, as: role, path, init, reads = [], check }) => {
    const address = path ? path(things) : (call.split(" ")[1] ?? "");
    const response = await as(role, address, init?.(things));
    const isText = /json|text/.test(response.headers.get("content-type") ?? "");
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = isText ? new TextDecoder().decode(bytes) : new TextDecoder("latin1").decode(bytes);
    expect(response.status, text.slice(0, 300)).toBe(200);
    const body = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined;
    const items = Array.isArray(body) ? body : [body];
    for (const field of reads) for (const item of items) expect(item).toHaveProperty(field);
    if (Array.isArray(body) && reads.length > 0) expect(body.length).toBeGreaterThan(0);
    await check?.({ response, text, json: body }, things);
  });

  /** Returns a form as .NET's HttpClient writes it: names that are not quoted, and the name of a file twice. */
  async function dotNetForm(fields: Record<string, string | File>) {
    const parts = Object.entries(fields).map(async ([name, value]) => {
      const names =
        typeof value === "string" ? "" : `; filename=${value.name}; filename*=utf-8''${value.name}`;
      const type = typeof value === "string" ? "text/plain; charset=utf-8" : "application/octet-stream";
      const head = `Content-Type: ${type}\r\nContent-Disposition: form-data; name=${name}${names}`;
      return `--ab-1\r\n${head}\r\n\r\n${typeof value === "string" ? value : await value.text()}\r\n`;
    });
    const headers = { "content-type": 'multipart/form-data; boundary="ab-1"' };
    return { method: "POST", headers, body: `${(await Promise.all(parts)).join("")}--ab-1--\r\n` };
  }

  it("may send forms whose names are not quoted", async () => {
    const user = await newUser(world.ours.id, { role: "admin" });
    const cookie = await cookieOf(user);
    const post = async (path: string, fields: Record<string, string | File>) => {
      const init = await dotNetForm(fields);
      const answer = await send(path, { ...init, headers: { ...init.headers, cookie } });
      const text = await answer.text();
      expect(answer.status, `${path}: ${text}`).toBe(200);
      return text;
    };
    const created = await post("/groups/create-mobile", {
      group_name: "Größe",
      group_members: user.id,
    });
    const { group_id } = JSON.parse(created) as { group_id: string };
    const [one, two] = [newPlate(), newPlate()];
    await post(`/groups/${group_id}/edit-mobile`, {
      group_name: "Größe",
      "plates[0][number]": one,
      "plates[0][file]": new File(["%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"], "report.pdf"),
    });
    const plates = csv("plates.csv", `plate,state,reason\n${two},CT,Stolen\n`);
    await post(`/groups/${group_id}/bulk-upload-plates`, { csv_file: plates, mode: "add" });
    const listed = await send(`/groups/${group_id}/edit-data`, { headers: { cookie } });
    expect(await listed.json()).toMatchObject({
      group: { name: "Größe", member_ids: [user.id] },
      plates: [
        { plate_number: one, attachment_name: "report.pdf" },
        { plate_number: two, attachment_name: null },
      ].sort((a, b) => (a.plate_number < b.plate_number ? -1 : 1)),
    });
    const name = unique("net").toLowerCase();
    await post("/bulk-upload-users", {
      file: csv("users.csv", `username,name,email,role\n${name},Nora Net,n@x.example,user\n`),
    });
    await post("/bulk-upload-api-keys", {
      file: csv("keys.csv", `agency,api_key\n${name},0123456789abcdef\n`),
    });
  });

  it("signs in with only username and password, and first sees the use notification", async () => {
    const user = await newUser(world.ours.id);
    const response = await send(
      "/login",
      jsonInit(
        { username: user.username, password: PASSWORD },
        { headers: { "sec-fetch-site": "same-origin" } },
      ),
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      redirect_url: expect.any(String),
      msg: expect.any(String),
    });
    const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await send("/get-current-user", { headers: { cookie } })).status, "JSON calls work").toBe(200);
    const screen = await send("/search", { headers: { cookie } });
    expect(screen.status).toBe(302);
    const notice = await send(screen.headers.get("location") ?? "/", { headers: { cookie } });
    expect(await notice.text()).toContain("restricted information system");
    const { detail } = (await bindings.DB.prepare(
      "SELECT detail FROM audit_log WHERE username = ? AND action = 'sign-in' ORDER BY seq DESC LIMIT 1",
    )
      .bind(user.username)
      .first<{ detail: string }>()) ?? { detail: "" };
    expect(detail).toMatch(/notice/i);
  });
});
