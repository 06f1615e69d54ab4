import { beforeAll, describe, expect, it } from "vitest";
import { noticeCookie } from "#app/http/screen.ts";
import {
  anonymous,
  type Client,
  client,
  dumpDatabases,
  jsonInit,
  newAgency,
  newUser,
  newWorld,
  send,
  unique,
  type World,
} from "../factories.ts";
import { newGroup } from "../live.ts";

let world: World;
let who: Record<"owner" | "admin" | "hotadmin" | "officer" | "anonymous", Client>;

beforeAll(async () => {
  world = await newWorld();
  const { owner, admin, hotadmin, officer } = world.users;
  who = {
    owner: await client(owner),
    admin: await client(admin),
    hotadmin: await client(hotadmin),
    officer: await client(officer),
    anonymous,
  };
});

type Row = [as: keyof typeof who, route: string, field: string];

/** Text fields of the calls that take JSON. */
const JSON_FIELDS: Row[] = [
  ["anonymous", "POST /login", "username"],
  ["officer", "POST /search-data", "case_number"],
  ["officer", "POST /search-data", "justification"],
  ["officer", "POST /export-pdf", "justification"],
  ["officer", "POST /reset-password", "confirm"],
  ["officer", "POST /step-up", "code"],
  ["officer", "POST /second-factor/passkeys", "name"],
  ["hotadmin", "POST /push/devices", "name"],
  ["hotadmin", "PUT /push/settings", "time_zone"],
  ["hotadmin", "POST /hotlist/add-plate-direct", "notes"],
  ["hotadmin", "POST /hotlist/check-plate", "plate_number"],
  ["hotadmin", "POST /hotlist/past-reads", "case_number"],
  ["hotadmin", "POST /api/alerts/x/disposition", "note"],
  ["hotadmin", "POST /groups/x/plates", "q"],
  ["hotadmin", "PATCH /groups/x/plates/y", "reason"],
  ["hotadmin", "POST /groups/x/invitations", "agency_id"],
  ["hotadmin", "POST /live-alerts/seen", "until"],
  ["admin", "POST /admin/add-user", "name"],
  ["admin", "POST /add-api-key", "agency"],
  ["admin", "POST /rekor-webhooks", "name"],
  ["admin", "POST /axis-cameras", "name"],
  ["hotadmin", "POST /outgoing-webhooks", "name"],
  ["hotadmin", "PUT /outgoing-webhooks/x", "name"],
  ["admin", "POST /add-axis-share", "declaration"],
  ["admin", "POST /audit-log/rows", "user"],
  ["admin", "POST /legal-holds/request", "reason"],
  ["admin", "POST /review/x/decide", "note"],
  ["admin", "PUT /public-figures-data", "introduction"],
  ["owner", "POST /owner/agencies", "name"],
  ["owner", "PATCH /rekor-cameras/x", "reason"],
  ["owner", "POST /dead-jobs/discard", "ids"],
];

const FORM_FIELDS: Row[] = [
  ["hotadmin", "POST /groups/create-mobile", "group_name"],
  ["hotadmin", "POST /groups/x/edit-mobile", "plates[0][notes]"],
  ["hotadmin", "POST /groups/x/remove-plate", "plate_id"],
  ["hotadmin", "POST /groups/x/bulk-upload-plates", "mode"],
];

/** Its form has one field; a multipart form is not read. */
const SWITCH: Row = ["hotadmin", "POST /toggle-push-alerts", "push_alerts"];

const QUERY_FIELDS: Row[] = [
  ["admin", "GET /admin-audit-logs-api", "user"],
  ["admin", "GET /review-data", "user"],
  ["hotadmin", "GET /alerts/group/x/data", "camera"],
  ["hotadmin", "GET /live-alerts", "after"],
  ["hotadmin", "POST /groups/x/import", "name"],
  ["officer", "GET /proxy-rekor-image", "image_uuid"],
  ["anonymous", "GET /verification-key.pem", "version"],
  ["officer", "GET /results", "id"],
];

const CONTROLS = ["a\u0000b", "a\u001b[31m", "a\u0085b", "\u0007"];

/** Returns the bytes of a text in Latin-1. */
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

function multipart(name: string, value: string): RequestInit {
  const part = `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  return { headers, body: latin1(`${part}--x--\r\n`) };
}

/** Returns a form with a field in Latin-1: URL-encoded, or multipart without a `value`. */
function latin1Form(name: string, value: string | undefined): RequestInit {
  if (value === undefined) return multipart(name, "M\u00fcller");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { headers, body: latin1(`${name}=${value}`) };
}

async function refusal(response: Response): Promise<string> {
  const text = await response.text();
  expect(response.status, text).toBe(400);
  return text;
}

function call([as, route]: Row, init: RequestInit, query = ""): Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  return who[as].fetch(path + query, { ...init, method });
}

describe("text that cannot be stored unchanged", () => {
  it.each(JSON_FIELDS)("is refused in JSON, naming the field: %s, %s, %s", async (...row) => {
    const [, , field] = row;
    for (const value of [...CONTROLS, "a\ud800b"]) {
      const { message } = JSON.parse(await refusal(await call(row, jsonInit({ [field]: value }))));
      expect(message).toMatch(/^[\w.[\]]+ contains (a control character|half of a surrogate pair)/);
      expect(message.startsWith(field)).toBe(true);
    }
  });

  it.each(FORM_FIELDS)("is refused in a form, naming the field: %s, %s, %s", async (...row) => {
    for (const value of CONTROLS) {
      const body = new FormData();
      body.set(row[2], value);
      expect(await refusal(await call(row, { body }))).toContain(`${row[2]} contains a control character`);
    }
  });

  it.each(QUERY_FIELDS)("is refused in a query string, naming the field: %s, %s, %s", async (...row) => {
    for (const value of CONTROLS) {
      const query = `?${row[2]}=${encodeURIComponent(value)}`;
      const text = await refusal(await call(row, {}, query));
      expect(text).toContain(`${row[2]} contains a control character`);
    }
  });

  it("is refused in file names, in field names, and at any depth", async () => {
    const form = new FormData();
    form.set("file", new File(["a,b"], "a\u0007.csv"));
    const uploads = ["/bulk-upload-users", "/bulk-upload-api-keys"];
    for (const path of uploads)
      expect(await refusal(await who.admin.fetch(path, { method: "POST", body: form }))).toContain(
        "The name of the file contains a control character (U+0007).",
      );
    expect(await refusal(await who.officer.post("/search-data", { "a\u0000": 1 }))).toContain(
      "The name of a field contains",
    );
    expect(await refusal(await who.officer.post("/search-data", { agencies: ["ok", "x\u0000"] }))).toContain(
      "agencies[1] contains",
    );
    const deep = `${'{"a":'.repeat(20_000)}"\\u0000"${"}".repeat(20_000)}`;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: deep };
    expect(await refusal(await who.officer.fetch("/search-data", init))).toContain("contains a control");
  });

  it.each(JSON_FIELDS)("is refused in JSON that is not UTF-8: %s, %s, %s", async (...row) => {
    const body = Uint8Array.from(JSON.stringify({ [row[2]]: "Müller" }), (char) => char.charCodeAt(0));
    for (const type of ["application/json", "application/json; charset=iso-8859-1"]) {
      const text = await refusal(await call(row, { headers: { "content-type": type }, body }));
      expect(text).toMatch(/The body is not (UTF-8|JSON)\./);
    }
  });

  it.each<[string, string | undefined]>([
    ["a multipart form", undefined],
    ["raw bytes", "M\u00fcller"],
    ["escapes", "M%FCller"],
    ["escapes that break off", "M%C3"],
    ["escapes of half a surrogate pair", "%ED%A0%80"],
  ])("is refused in a form that is not UTF-8: %s", async (_kind, value) => {
    for (const row of value === undefined ? FORM_FIELDS : [...FORM_FIELDS, SWITCH])
      expect(await refusal(await call(row, latin1Form(row[2], value)))).toContain("The body is not UTF-8.");
  });

  it("is refused at the sign-in, before the audit log gets it", async () => {
    const name = unique("agent");
    const init = latin1Form("username", `${name}%FC`);
    expect(await refusal(await call(["anonymous", "POST /login", ""], init))).toContain(
      "The body is not UTF-8.",
    );
    expect(await dumpDatabases()).not.toContain(name.toLowerCase());
  });

  it("is shown as the problem of a screen's form, with and without scripts", async () => {
    const answers = ["/create-group", "/create-group.data"].map((path) =>
      call(["hotadmin", `POST ${path}`, ""], latin1Form("group_name", "M%FC")),
    );
    const [page, data] = await Promise.all(answers.map(async (answer) => refusal(await answer)));
    for (const text of [page?.replace(/<script.*?<\/script>/gs, ""), data])
      expect(text).toContain("The body is not UTF-8.");
  });

  it("is not a U+FFFD that was sent as such, nor the name of a file in Latin-1", async () => {
    const group = await newGroup(world.ours.id, []);
    const row: Row = ["hotadmin", `POST /groups/${group.id}/remove-plate`, "plate_id"];
    expect((await call(row, latin1Form("plate_id", "%EF%BF%BD%zz%"))).status).toBe(404);
    const file = 'csv_file"; filename="M\u00fcller.csv';
    const upload: Row = ["hotadmin", `POST /groups/${group.id}/bulk-upload-plates`, "csv_file"];
    const answer = await call(upload, multipart(file, "plate,reason\nAB123,M\u00fcller\n"));
    expect(answer.status, await answer.text()).toBe(200);
  });

  it("gets 404 in a path", async () => {
    const path = `/admin/disable-user/${encodeURIComponent("a\u0000b")}`;
    const init = jsonInit({ disabled: true }, { method: "PUT" });
    expect((await who.admin.fetch(path, init)).status).toBe(404);
  });
});

describe("line breaks", () => {
  it("are kept in multi-line fields", async () => {
    const holds = { case_number: "26-1", plates: "ABC123\nXYZ789", reason: "Kept for the\r\n\tcase of it" };
    const answer = await who.admin.post("/legal-holds/request", {
      ...holds,
      start: "2026-10-01T00:00:00Z",
      end: "2026-10-02T00:00:00Z",
    });
    expect(answer.status).toBe(200);
  });

  it("are refused inside a single-line field, and trimmed at its ends, where clients send them", async () => {
    const agency = await newAgency();
    const admin = await client(await newUser(agency.id, { role: "admin" }));
    const name = unique("webhook");
    const broken = await admin.post("/rekor-webhooks", { name: `${name}\r\nSet-Cookie: x` });
    expect(await refusal(broken)).toContain("name contains a line break");
    expect((await admin.post("/rekor-webhooks", { name: `${name}\r\n` })).status).toBe(200);
    expect(await dumpDatabases()).not.toContain(`${name}\r\n`);
  });
});

describe("a password", () => {
  it("may contain control characters", async () => {
    const init = jsonInit({ username: "no-such-user", password: "tab\u0009bell\u0007" });
    expect((await send("/login", init)).status).toBe(401);
  });
});

describe("the message of a form without scripts", () => {
  it("is not cut within a character: names of groups in it may have emoji", () => {
    const start = "a".repeat(299);
    expect(noticeCookie(`${start}🚓`)).toMatch(`=${start};`);
    expect(noticeCookie(`${start.slice(1)}🚓🚓`)).toMatch(`${encodeURIComponent("🚓")};`);
  });
});
