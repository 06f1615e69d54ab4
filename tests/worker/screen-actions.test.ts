import { beforeAll, describe, expect, inject, it } from "vitest";
import { ALERT_PAGE_SIZE } from "#app/entities/alerts/hit.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
// @ts-expect-error: made by the build
import { routes as builtRoutes } from "../../build/server/index.js";
import {
  anAlert,
  anonymous,
  auditOf,
  bindings,
  type Client,
  client,
  newService,
  newUser,
  newWorld,
  type TestUser,
  unique,
  type World,
} from "../factories.ts";
import { newGroup, newPlate } from "../live.ts";
import { addWebhook, receiver } from "../support/outgoing.ts";

type Row = {
  /** Who may send the form; `signed-in` forms are sent by a user of the agency. */
  by: "admin" | "owner" | "officer" | "hotadmin";
  /** Accepted fields, created for each attempt; fields with a File are sent as multipart. */
  good: () => Record<string, string | File>;
  /** Refused fields and the problem shown; undefined if the form has no invalid input. */
  bad?: {
    fields: Record<string, string>;
    problem: RegExp;
    /** The call finds it, not the schema of the fields. */
    byCall?: true;
  };
  /** Whether the form needs a proof of identity from the last ten minutes. */
  stepUp?: boolean;
  /** The audit row of a success. */
  audit: string;
  /** The path to post to, if the screen has parameters. */
  path?: () => string;
};

let world: World;
let group: string;
let outgoing: string;
let service: string;
const clients = {} as Record<Row["by"], Client>;

const csv = (text: string) => new File([text], "list.csv", { type: "text/csv" });
const newPerson = () => ({
  username: unique("person").toLowerCase(),
  name: "Pat Person",
  email: "pat@person.example",
  password: "Meridian-Lantern-48!",
  role: "user",
});
/** Number of database state changes so far. */
let changed = 0;
const newKey = () => `key-${crypto.randomUUID()}`;
const signOn = () => ({
  issuer: "https://login.microsoftonline.com/tenant/v2.0",
  client_id: "odin",
  client_secret: "a-secret-of-the-provider",
  button_name: "Our SSO",
  groups_claim: "groups",
  // Turned off, so that other tests' sign-in page does not change.
  enabled: "",
});
const times = { time_zone: "America/New_York", start: "2026-10-01T00:00", end: "2026-10-02T00:00" };
const policy = () => ({
  name: unique("Agency"),
  idle_minutes: "30",
  absolute_minutes: "720",
  password_max_age_days: "364",
  search_limit_days: "30",
  retention_days: "21",
  record_retention_days: "365",
  audit_retention_days: "365",
  hotlist_expiry_days: "31",
  result_lifetime_minutes: "60",
  investigators: "admins",
  investigations_per_day: "20",
  time_zone: "America/New_York",
});

/** Every form of these screens, by path and intent. */
const TABLE: Record<string, Row> = {
  "/storage state": {
    by: "owner",
    // Uses a different database each time, because a read-only one cannot be made read-only again.
    good: () => {
      const name = `READS_${1 + (changed++ % 3)}`;
      return { form: `${name} read-only`, name, state: "read-only" };
    },
    stepUp: true,
    audit: "storage.state",
  },
  "/admin add-user": {
    by: "admin",
    good: newPerson,
    bad: { fields: { name: "Typed Name", email: "nowhere" }, problem: /Email must look like/ },
    stepUp: true,
    audit: "user.add",
  },
  "/admin upload-users": {
    by: "admin",
    good: () => ({
      file: csv(`username,name,email,role\r\n${unique("up").toLowerCase()},Una,una@x.example,user\r\n`),
    }),
    bad: { fields: {}, problem: /Choose a CSV file/, byCall: true },
    stepUp: true,
    audit: "user.upload",
  },
  "/owner add-user": {
    by: "owner",
    good: () => ({ ...newPerson(), agency_id: world.ours.id }),
    bad: { fields: { ...newPerson(), agency_id: "" }, problem: /Agency is required/ },
    stepUp: true,
    audit: "user.add",
  },
  "/owner add-agency": {
    by: "owner",
    good: () => ({ name: unique("Added agency") }),
    bad: { fields: { name: "" }, problem: /Enter the agency's name/ },
    stepUp: true,
    audit: "agency.add",
  },
  "/owner/policy/:id policy": {
    by: "owner",
    path: () => `/owner/policy/${world.theirs.id}`,
    good: policy,
    bad: { fields: { ...policy(), idle_minutes: "500" }, problem: /whole number of minutes/ },
    stepUp: true,
    audit: "agency.change",
  },
  "/single-sign-on save": {
    by: "admin",
    good: signOn,
    bad: { fields: { ...signOn(), issuer: "https://10.0.0.1" }, problem: /public host/, byCall: true },
    stepUp: true,
    audit: "sign-on.change",
  },
  "/single-sign-on request-domain": {
    by: "admin",
    good: () => ({ domain: `${unique("domain").toLowerCase()}.example` }),
    bad: { fields: { domain: "gmail.com" }, problem: /Anyone can get an address/ },
    stepUp: true,
    audit: "sign-on.domain-request",
  },
  "/single-sign-on scim-token": {
    by: "admin",
    good: () => ({}),
    stepUp: true,
    audit: "scim.token-rotate",
  },
  "/profile new-password": {
    by: "officer",
    good: () => ({ new_password: "Willow-Kettle-38-Gravel", confirm_password: "Willow-Kettle-38-Gravel" }),
    bad: { fields: { new_password: "one", confirm_password: "two" }, problem: /Passwords do not match/ },
    stepUp: true,
    audit: "password.change",
  },
  "/integrations/rekor add-key": {
    by: "admin",
    good: () => ({ agency: unique("Rekor agency"), api_key: newKey() }),
    bad: { fields: { agency: "Typed agency", api_key: "se cret-7741" }, problem: /without spaces/ },
    stepUp: true,
    audit: "integration.add",
  },
  "/integrations/axon change-axon": {
    by: "admin",
    good: () => ({ client_id: unique("client"), secret_id: newKey(), partner_id: "partner" }),
    bad: {
      fields: { client_id: "typed-client", secret_id: "", partner_id: "partner" },
      problem: /Client ID, client secret and partner ID are required/,
    },
    stepUp: true,
    audit: "integration.change",
  },
  "/integrations/rekor upload-keys": {
    by: "admin",
    good: () => ({ file: csv(`agency,api_key,source_program\r\n${unique("Agency")},${newKey()},Rekor\r\n`) }),
    bad: { fields: {}, problem: /Choose a CSV file/, byCall: true },
    stepUp: true,
    audit: "integration.add",
  },
  "/integrations/rekor add-webhook": {
    by: "admin",
    good: () => ({ name: "Scout, north side" }),
    bad: { fields: { name: " " }, problem: /Enter a name for the webhook/ },
    stepUp: true,
    audit: "door.add",
  },
  "/integrations/outgoing add": {
    by: "hotadmin",
    good: () => ({ name: "Dispatch", url: receiver.url("form"), events: "hit", group_id: group }),
    bad: {
      fields: { name: "Typed name", url: "https://receiver.example/hook" },
      problem: /at least one event/,
    },
    stepUp: true,
    audit: "outgoing-webhook.add",
  },
  "/integrations/outgoing/:id change": {
    by: "hotadmin",
    path: () => `/integrations/outgoing/${outgoing}`,
    good: () => ({ name: "Renamed", url: receiver.url("form"), events: "disposition" }),
    bad: { fields: { name: "Typed name", url: receiver.url("form") }, problem: /at least one event/ },
    stepUp: true,
    audit: "outgoing-webhook.change",
  },
  "/integrations/service-accounts add": {
    by: "admin",
    good: () => ({ name: unique("service"), scopes: "search", addresses: "192.0.2.0/24\r\n2001:db8::1" }),
    bad: {
      fields: { name: "Typed name", scopes: "search", addresses: "192.0.2.9/24" },
      problem: /is within the block 192\.0\.2\.0\/24/,
    },
    stepUp: true,
    audit: "service-account.add",
  },
  "/integrations/service-accounts/:id change": {
    by: "admin",
    path: () => `/integrations/service-accounts/${service}`,
    good: () => ({ name: unique("service"), scopes: "hits", per_minute: "60" }),
    bad: { fields: { name: "Typed name", per_minute: "60" }, problem: /at least one permission/ },
    stepUp: true,
    audit: "service-account.change",
  },
  "/integrations/service-accounts/:id rotate": {
    by: "admin",
    path: () => `/integrations/service-accounts/${service}`,
    good: () => ({ valid_days: "90", overlap_hours: "24" }),
    bad: { fields: { valid_days: "366", overlap_hours: "24" }, problem: /1 to 365 days/ },
    stepUp: true,
    audit: "service-account.rotate",
  },
  "/integrations/service-accounts/:id disable": {
    by: "admin",
    path: () => `/integrations/service-accounts/${service}`,
    good: () => ({}),
    stepUp: true,
    audit: "service-account.off",
  },
  "/integrations/service-accounts/:id enable": {
    by: "admin",
    path: () => `/integrations/service-accounts/${service}`,
    good: () => ({}),
    stepUp: true,
    audit: "service-account.on",
  },
  "/legal-holds request": {
    by: "admin",
    good: () => ({ ...times, case_number: "26-1", plates: "AB12345", reason: "Evidence for the trial" }),
    bad: {
      fields: { ...times, case_number: "26-1", plates: "AB12345", reason: "" },
      problem: /Explain in a sentence/,
    },
    audit: "legal-hold.request",
  },
  "/audit-log filter": {
    by: "admin",
    good: () => ({ ...times, acts: "searches", plate: "AB12345" }),
    bad: { fields: { acts: "nonsense", plate: "AB12345" }, problem: /./ },
    audit: "audit.view",
  },
  "/review filter": {
    by: "admin",
    good: () => ({ state: "open", kind: "", user: "somebody" }),
    bad: { fields: { state: "nonsense", user: "somebody" }, problem: /Unknown state/ },
    audit: "review.view",
  },
  "/create-group create": {
    by: "hotadmin",
    good: () => ({ group_name: unique("Group"), group_description: "First line\nSecond line" }),
    bad: { fields: { group_name: " ", group_description: "Typed" }, problem: /Group name is required/ },
    audit: "group.create",
  },
  "/groups/:id/edit save": {
    by: "hotadmin",
    path: () => `/groups/${group}/edit`,
    good: () => ({
      group_name: unique("Group"),
      "plates[0][number]": newPlate(),
      "plates[0][reason]": "Stolen",
    }),
    bad: { fields: { group_name: "" }, problem: /Group name is required/ },
    audit: "group.edit",
  },
  "/groups/:id/removed find": {
    by: "hotadmin",
    path: () => `/groups/${group}/removed`,
    good: () => ({ find: "AB12*" }),
    bad: { fields: { find: "A".repeat(41) }, problem: /at most 40 characters/ },
    audit: "plates.view",
  },
  "/alerts push": { by: "hotadmin", good: () => ({ push_alerts: "true" }), audit: "push-alerts" },
};

/** Forms that other tests cover, because they need their own session or data. */
const ELSEWHERE = [
  "/storage remove",
  "/single-sign-on test",
  "/single-sign-on remove",
  "/single-sign-on unlink",
  "/single-sign-on remove-domain",
  "/single-sign-on revoke-scim-token",
  "/owner/email-domains approve",
  "/owner/email-domains refuse",
  "/owner/email-domains approve-factor",
  "/owner/email-domains withdraw-factor",
  "/change-password new-password",
  "/second-factor code",
  "/second-factor/set-up begin-totp",
  "/second-factor/set-up confirm-totp",
  "/integrations/axon add-axon",
  "/integrations/service-accounts/:id delete",
  "/rekor-camera-management correct",
  "/rekor-camera-management undo",
  "/public-figures page",
  "/alerts invitation",
  "/edit-alerts-permissions save",
  "/search search",
  "/investigate places",
  "/investigate convoy",
  "/search prefill",
  "/searches find",
  "/searches pin",
  "/searches unpin",
  "/searches name",
  "/results/:id/sightings/:row add-plate",
  "/alert-history-detail/:id disposition",
  "/groups/:id/columns map",
  "/groups/:id/columns cancel",
  "/alerts/group/:id filter",
];

beforeAll(async () => {
  world = await newWorld();
  group = (await newGroup(world.ours.id, [])).id;
  for (const by of ["admin", "owner", "officer", "hotadmin"] as const)
    clients[by] = await client(world.users[by]);
  outgoing = (await addWebhook(clients.hotadmin, { group_id: group })).id;
  service = (await newService(clients.admin)).id;
  const axon = { client_id: "client", secret_id: newKey(), partner_id: "partner" };
  const added = await clients.admin.post("/add-axon-integration", {
    ...axon,
    base_url: `${inject("vendors").url}/axon/screen-actions`,
  });
  expect(added.status).toBe(200);
});

type Built = { path?: string; module: { action?: { forms?: Record<string, unknown> } } };

/** Returns "path intent" of every form in a screen's action. */
function builtForms(): string[] {
  const routes: Built[] = Object.values(builtRoutes);
  return routes.flatMap(({ path, module }) =>
    Object.keys(module.action?.forms ?? {}).map((intent) => `/${path ?? ""} ${intent}`),
  );
}

function formInit(intent: string, fields: Record<string, string | File>): RequestInit {
  const entries = Object.entries({ ...fields, [FORM_FIELDS.intent]: intent });
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  if (texts.length === entries.length) return { method: "POST", body: new URLSearchParams(texts) };
  const body = new FormData();
  for (const [name, value] of entries) body.append(name, value);
  return { method: "POST", body };
}

async function age(user: TestUser | null): Promise<void> {
  await bindings.DB.prepare("UPDATE sessions SET proved_at = 0 WHERE user_id = ?").bind(user?.id).run();
}

const rows = Object.entries(TABLE).map(([key, row]) => {
  const [pattern = "", intent = ""] = key.split(" ");
  return { key, intent, path: row.path ?? (() => pattern), ...row };
});

/** Creates a user who may send the form, with their own session. */
async function sender({ by }: Pick<Row, "by">): Promise<Client> {
  if (by === "owner") return client(world.users.owner);
  const { agencyId, role, hotlistAdmin } = world.users[by];
  return client(await newUser(agencyId, { role, hotlistAdmin }));
}

describe("the table of forms", () => {
  it("lists exactly the built forms", () => {
    const built = builtForms();
    expect([...Object.keys(TABLE), ...ELSEWHERE].filter((key) => !built.includes(key))).toEqual([]);
    expect(built.filter((key) => !TABLE[key] && !ELSEWHERE.includes(key))).toEqual([]);
  });
});

describe.each(rows)("$key", (row) => {
  const { intent, path, good, bad, stepUp, audit } = row;

  it("is refused from other sites, and for users who may not see the screen", async () => {
    const own = await sender(row);
    const foreign = { ...formInit(intent, good()), headers: { "sec-fetch-site": "cross-site" } };
    expect((await own.fetch(path(), foreign)).status).toBe(403);
    expect((await anonymous.fetch(path(), formInit(intent, good()))).status).toBeGreaterThanOrEqual(300);
    if (row.by === "officer") return;
    const stranger = await client(await newUser(world.ours.id));
    expect((await stranger.fetch(path(), formInit(intent, good()))).status).toBe(403);
    const [last] = await auditOf(stranger.user as TestUser, 1);
    expect(last).toMatchObject({ outcome: "refused", object: path() });
  });

  if (bad)
    it("reports the problem and fills in the form again, except for secrets", async () => {
      const own = await sender(row);
      const response = await own.fetch(path(), formInit(intent, { ...bad.fields }));
      expect(response.status).toBe(400);
      const html = await response.text();
      expect(html).toMatch(bad.problem);
      for (const [name, value] of Object.entries(bad.fields)) {
        if (/password$|api_key/.test(name)) expect(html).not.toContain(`value="${value}"`);
        else if (/^(name|agency|plate|user|reason|password_max_age_days)$/.test(name) && value.trim())
          expect(html).toContain(value);
      }
    });

  if (bad && !bad.byCall && stepUp)
    it("reports the problem before it asks for a proof of identity", async () => {
      const own = await sender(row);
      await age(own.user);
      const asked = await own.fetch(path(), formInit(intent, { ...bad.fields }));
      expect([asked.status, await asked.text()]).toEqual([400, expect.stringMatching(bad.problem)]);
    });

  if (stepUp)
    it("asks for a proof of identity if the last one is too old, and accepts it with the form", async () => {
      const own = await sender(row);
      await age(own.user);
      const fields = good();
      const asked = await own.fetch(path(), formInit(intent, fields));
      expect(asked.status).toBe(403);
      expect(await asked.text()).toContain("Re-enter your password to continue");
      const wrong = formInit(intent, { ...fields, [FORM_FIELDS.password]: "Wrong-Password-1!" });
      expect((await own.fetch(path(), wrong)).status).toBe(403);
      const proved = await own.fetch(
        path(),
        formInit(intent, { ...fields, [FORM_FIELDS.password]: own.user?.password ?? "" }),
      );
      expect([200, 303]).toContain(proved.status);
      expect(proved.headers.get("set-cookie")).toContain("__Host-odin=");
    });

  it("succeeds, with an audit row", async () => {
    const own = await sender(row);
    const response = await own.fetch(path(), formInit(intent, good()));
    expect([200, 303], await response.clone().text()).toContain(response.status);
    const newest = await auditOf(own.user as TestUser, 6);
    expect(newest.map(({ action, outcome }) => `${action} ${outcome}`)).toContain(`${audit} ok`);
  });
});

describe("new credentials of Axon, sent without scripts", () => {
  it("show their form, which is closed at first, if they are refused or need the password", async () => {
    const own = await sender({ by: "admin" });
    const path = "/integrations/axon";
    const isOpen = async (init?: RequestInit) =>
      /<details open[^>]*><summary(?:(?!<\/summary>).)*Change credentials/s.test(
        await (await own.fetch(path, init)).text(),
      );
    const fields = { client_id: "typed-client", secret_id: "", partner_id: "partner" };
    expect(await isOpen()).toBe(false);
    expect(await isOpen(formInit("change-axon", fields))).toBe(true);
    await age(own.user);
    expect(await isOpen(formInit("change-axon", { ...fields, secret_id: newKey() }))).toBe(true);
  });
});

describe("the filter of a history, sent without scripts", () => {
  const filter = (fields: Record<string, string>) =>
    clients.hotadmin.fetch(`/alerts/group/${group}`, formInit("filter", fields));

  it("returns the hits of a plate, which does not appear in the URL", async () => {
    for (const plate of ["AA11111", "BB22222"])
      await anAlert({ id: group, agencyId: world.ours.id }, { plate });
    const answer = await filter({ plate: "AA11111" });
    expect([answer.status, answer.headers.get("location")]).toEqual([200, null]);
    const html = await answer.text();
    expect(html).toContain("AA11111");
    expect(html, "nothing is still being looked for").not.toContain("aria-busy");
  });

  it("redirects to a URL with any other filter, and refuses an invalid time", async () => {
    const answer = await filter({ from: "2026-11-01T01:30", until: "2026-11-01T01:30" });
    // The URL has instants, so it works in any time zone; both occurrences of the repeated hour are included.
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `/alerts/group/${group}?from=2026-11-01T05%3A30%3A00.000Z&until=2026-11-01T06%3A30%3A00.000Z`,
    ]);
    expect((await filter({ from: "yesterday" })).status).toBe(400);
  });

  it("shows its times again in the agency's zone", async () => {
    const answer = await filter({ from: "2026-10-01T08:15", until: "2027-01-02T09:30:07" });
    const html = await (await clients.hotadmin.fetch(answer.headers.get("location") ?? "")).text();
    expect(fieldsOf(html, "Filter")).toMatchObject({
      from: "2026-10-01T08:15",
      until: "2027-01-02T09:30:07",
    });
  });

  it("keeps its plate on every page", async () => {
    const at = Date.parse("2026-11-10T12:00:00Z");
    const plates = Array.from({ length: ALERT_PAGE_SIZE + 2 }, (_, index) => `PG${10_000 + index}`);
    for (const [index, plate] of plates.entries())
      await anAlert({ id: group, agencyId: world.ours.id }, { plate, createdAt: at + index * 1000 });
    const [oldest = "", newest = ""] = [plates.at(0), plates.at(-1)];
    const listed = (html: string) => {
      const [rows = ""] = /<tbody.*<\/tbody>/s.exec(html) ?? [];
      return [newest, oldest, "AA11111"].map((plate) => rows.includes(plate));
    };
    const asked = { plate: "PG1*", program: "Axis", from: "2026-11-10T00:00" };
    const first = await (await filter(asked)).text();
    expect(fieldsOf(first, "Filter")).toMatchObject(asked);
    expect(listed(first)).toEqual([true, false, false]);
    const older = fieldsOf(first, "Older");
    expect(older).toMatchObject({ intent: "filter", plate: "PG1*", program: "Axis" });
    const second = await (await filter(older)).text();
    expect(fieldsOf(second, "Filter")).toMatchObject(asked);
    expect(listed(second)).toEqual([false, true, false]);
    for (const back of ["Newer", "Newest"]) {
      const again = await (await filter(fieldsOf(second, back))).text();
      expect(listed(again)).toEqual([true, false, false]);
    }
    // These pages keep the plate, but no link contains it.
    for (const html of [first, second]) expect(html).not.toMatch(/href="[^"]*(older|newer|plate)=/);
  });
});

/** Returns what a browser would send with the form of this name: its inputs and selected options. */
function fieldsOf(html: string, label: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*aria-label="${label}".*?</form>`, "s").exec(html)?.[0] ?? "";
  const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([tag]) => [
    attribute(tag, "name"),
    attribute(tag, "value"),
  ]);
  const selects = [...form.matchAll(/(<select[^>]*>)(.*?)<\/select>/gs)].map(([, tag = "", options = ""]) => {
    const [, option = "", text = ""] = /<option([^>]* selected=""[^>]*)>([^<]*)/.exec(options) ?? [];
    return [attribute(tag, "name"), option.includes(" value=") ? attribute(option, "value") : text];
  });
  return Object.fromEntries([...inputs, ...selects]);
}
