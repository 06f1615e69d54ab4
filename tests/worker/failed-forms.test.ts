// A form whose change fails in Odin itself says what failed, in the words of the specification (section 8), and not only
// that something went wrong. Without scripts, the page that answers the form says it.

import { beforeAll, expect, it } from "vitest";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import { HOUR, isoTime } from "#app/lib/time/dates.ts";
import {
  bindings,
  type Client,
  client,
  formInit,
  newWorld,
  search,
  searchBody,
  type World,
} from "../factories.ts";
import { expectLogged } from "../support/quiet-console.ts";

type Case = {
  by: "admin" | "hotadmin" | "owner";
  path: string;
  intent: string;
  fields: (camera: string) => Record<string, string | File>;
  /** What the database refuses while the form is sent. */
  refuses: string;
  says: string;
  /** Entries that the page still has. */
  keeps?: string[];
};

let world: World;
const REASON = {
  get agencies() {
    return world.ours.id;
  },
  justification: "Stolen vehicle, case 26-1044",
  case_number: "26-1044",
  zone: "UTC",
};

const PASSWORD = "Meridian-Lantern-48!";

const wall = (hoursAgo: number) => isoTime(Date.now() - hoursAgo * HOUR).slice(0, 16);
/** A place of an investigation. */
const spot = (n: number) => ({
  [`p${n}_kind`]: "circle",
  [`p${n}_latitude`]: "41.70",
  [`p${n}_longitude`]: "-72.60",
  [`p${n}_radius_miles`]: "1",
  [`p${n}_start`]: wall(9 - n),
  [`p${n}_end`]: wall(8 - n),
});

const CASES: Record<string, Case> = {
  "a search": {
    by: "admin",
    path: "/search",
    intent: "search",
    fields: () => ({ plate: "", justification: "Stolen vehicle", range: "24h", programs: "Axis" }),
    refuses: "UPDATE ON result_sets",
    says: "Search failed.",
  },
  "a search of places": {
    by: "admin",
    path: "/investigate",
    intent: "places",
    fields: () => ({ ...REASON, ...spot(0), ...spot(1) }),
    refuses: "UPDATE ON result_sets",
    says: "Search failed.",
    keeps: ['value="41.70"', ">Stolen vehicle, case 26-1044<"],
  },
  "a convoy search": {
    by: "admin",
    path: "/investigate?tool=convoy",
    intent: "convoy",
    fields: () => ({ ...REASON, plate: "KEPT123", start_time: wall(3), end_time: wall(1) }),
    refuses: "UPDATE ON result_sets",
    says: "Search failed.",
    keeps: ['value="KEPT123"', ">Stolen vehicle, case 26-1044<"],
  },
  "a new password": {
    by: "hotadmin",
    path: "/profile",
    intent: "new-password",
    fields: () => ({ new_password: PASSWORD, confirm_password: PASSWORD }),
    refuses: "UPDATE ON users",
    says: "Failed to update password.",
  },
  "a new user": {
    by: "admin",
    path: "/admin",
    intent: "add-user",
    fields: () => ({
      username: "never-added",
      name: "Nora New",
      email: "nora@x.example",
      password: PASSWORD,
      role: "user",
    }),
    refuses: "INSERT ON users",
    says: "An error occurred",
  },
  "a file of users": {
    by: "admin",
    path: "/admin",
    intent: "upload-users",
    fields: () => ({
      file: new File(["username,name,email,role\r\nnever-added,Una,una@x.example,user\r\n"], "users.csv"),
    }),
    refuses: "INSERT ON users",
    says: "Error uploading users.",
  },
  "an API key": {
    by: "admin",
    path: "/integrations/rekor",
    intent: "add-key",
    fields: () => ({ agency: "Never Added", api_key: "0123456789abcdef", source_program: "Rekor" }),
    refuses: "INSERT ON rekor_keys",
    says: "Error adding API key.",
  },
  "a group": {
    by: "hotadmin",
    path: "/create-group",
    intent: "create",
    fields: () => ({ group_name: "Never created" }),
    refuses: "INSERT ON alert_groups",
    says: "Error creating group. Please try again.",
  },
  "the location of a camera": {
    by: "owner",
    path: "/rekor-camera-management",
    intent: "correct",
    fields: (camera_id) => ({ camera_id, latitude: "41.7637", longitude: "-72.6851", agency_id: "" }),
    refuses: "UPDATE ON rekor_cameras",
    says: "Save failed.",
  },
};

let camera: string;
const clients = {} as Record<Case["by"], Client>;

beforeAll(async () => {
  world = await newWorld();
  const { admin, hotadmin, owner } = world.users;
  for (const [by, user] of Object.entries({ admin, hotadmin, owner }))
    clients[by as Case["by"]] = await client(user);
  // Rekor's cameras are registered from their reads.
  await search(clients.admin, searchBody(world.agencies));
  camera = String(await bindings.DB.prepare("SELECT id AS it FROM rekor_cameras").first("it"));
});

it.each(Object.entries(CASES))("%s", async (_, { by, path, intent, fields, refuses, says, keeps = [] }) => {
  const { DB } = bindings;
  await DB.exec(`CREATE TRIGGER broken BEFORE ${refuses} BEGIN SELECT RAISE(ABORT, 'broken table'); END`);
  expectLogged(/broken table/);
  const form = formInit({ ...fields(camera), [FORM_FIELDS.intent]: intent });
  const answer = await clients[by].fetch(path, form);
  await DB.exec("DROP TRIGGER broken");
  const html = await answer.text();
  expect(answer.status).toBe(500);
  const alerts = [...html.matchAll(/role="alert"[^>]*>(.*?)<\/div>/gs)];
  const texts = alerts.map(([, alert = ""]) => alert.replace(/<[^>]*>/g, ""));
  expect(texts.map((text) => text.replace(/ Reference: .*/, ""))).toContain(says);
  for (const entry of keeps) expect(html).toContain(entry);
  const reference = answer.headers.get("x-request-id") ?? "";
  expect(html.replaceAll("<!-- -->", "")).toContain(`Reference: ${reference}`);
});
