// Forms that replace settings as a whole: one that was opened before someone else saved must not undo what they saved.

import { beforeAll, describe, expect, it } from "vitest";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import { bindings, type Client, client, newService, newWorld, unique, type World } from "../factories.ts";
import { addWebhook, receiver } from "../support/outgoing.ts";

let world: World;
let admin: Client;
let owner: Client;

beforeAll(async () => {
  world = await newWorld();
  [admin, owner] = await Promise.all([client(world.users.admin), client(world.users.owner)]);
});

type Screen = { who: Client; path: string; intent: string; table: string; fields: Record<string, string> };

const POLICY = {
  idle_minutes: "30",
  absolute_minutes: "720",
  password_max_age_days: "364",
  search_limit_days: "30",
  record_retention_days: "365",
  audit_retention_days: "365",
  hotlist_expiry_days: "31",
  result_lifetime_minutes: "60",
  investigations_per_day: "20",
  investigators: "admins",
  time_zone: "America/New_York",
};

const overview = async () =>
  (await (await admin.fetch("/public-figures-data")).json()) as { page: { slug: string } };

const screens: Record<string, () => Promise<Screen>> = {
  "an agency's policy": async () => ({
    who: owner,
    path: `/owner/policy/${world.theirs.id}`,
    intent: "policy",
    table: "agencies",
    fields: { ...POLICY, name: world.theirs.name, retention_days: "21" },
  }),
  "a service account": async () => ({
    who: admin,
    path: `/integrations/service-accounts/${(await newService(admin)).id}`,
    intent: "change",
    table: "service_accounts",
    fields: { name: unique("Ours"), scopes: "search", per_minute: "60" },
  }),
  "an outgoing webhook": async () => ({
    who: admin,
    path: `/integrations/outgoing/${(await addWebhook(admin)).id}`,
    intent: "change",
    table: "outgoing_webhooks",
    fields: { name: "Ours", url: receiver.url("form"), events: "hit" },
  }),
  "the transparency page": async () => ({
    who: admin,
    path: "/public-figures",
    intent: "page",
    table: "figure_pages",
    fields: { slug: (await overview()).page.slug, introduction: "Ours", contact: "records@agency.example" },
  }),
  "single sign-on": async () => ({
    who: admin,
    path: "/single-sign-on",
    intent: "save",
    table: "sign_on_providers",
    fields: {
      ...{ issuer: "https://login.microsoftonline.com/tenant/v2.0", client_id: "odin", enabled: "" },
      ...{ client_secret: "a-secret-of-the-provider", button_name: "Ours", groups_claim: "groups" },
    },
  }),
};

/** The change that someone else saves in the meantime. */
const THEIRS: Record<string, Record<string, string>> = {
  "an agency's policy": { retention_days: "60" },
  "a service account": { addresses: "192.0.2.0/24" },
  "an outgoing webhook": { events: "disposition" },
  "the transparency page": { contact: "chief@agency.example" },
  "single sign-on": { member_groups: "Detectives" },
};

const versionOf = async ({ who, path }: Screen) => {
  const page = await (await who.fetch(path)).text();
  return new RegExp(`name="${FORM_FIELDS.version}" value="(\\w+)"`).exec(page)?.[1] ?? "";
};
const send = ({ who, path, intent, fields }: Screen, more: Record<string, string>) =>
  who.fetch(path, {
    method: "POST",
    body: new URLSearchParams({ ...fields, ...more, [FORM_FIELDS.intent]: intent }),
  });
/** The fields that a page fills itself, as they are until it is opened again. */
const openedWith = async (screen: Screen) => ({
  [FORM_FIELDS.version]: await versionOf(screen),
  [FORM_FIELDS.key]: crypto.randomUUID(),
});
const rows = async ({ table }: Screen) =>
  JSON.stringify((await bindings.DB.prepare(`SELECT * FROM ${table}`).all()).results);

describe("a form that was opened before someone else saved", () => {
  it.each(Object.keys(screens))("does not undo their change of %s, and can be opened again", async (name) => {
    const screen = (await screens[name]?.()) as Screen;
    expect((await send(screen, {})).status).toBe(303);
    const opened = await versionOf(screen);
    expect(opened).toMatch(/^[0-9a-f]{32}$/);
    expect((await send(screen, THEIRS[name] ?? {})).status).toBe(303);
    const before = await rows(screen);

    const refused = await send(screen, { [FORM_FIELDS.version]: opened });
    expect(refused.status).toBe(409);
    const page = await refused.text();
    expect(page).toContain("Someone else changed these settings after you opened this page.");
    // The page that says so shows the former settings still: sending it once more must not undo theirs either.
    expect(page).toContain(`name="${FORM_FIELDS.version}" value="${opened}"`);
    expect(await rows(screen)).toBe(before);

    const again = await versionOf(screen);
    expect(again).not.toBe(opened);
    expect((await send(screen, { [FORM_FIELDS.version]: again })).status).toBe(303);
    expect(await rows(screen)).not.toBe(before);
  });
});

describe("a form that is sent again because the answer was lost", () => {
  it.each(Object.keys(screens))("is no conflict: %s is saved once", async (name) => {
    const screen = (await screens[name]?.()) as Screen;
    expect((await send(screen, THEIRS[name] ?? {})).status).toBe(303);
    const opened = await openedWith(screen);
    const first = await send(screen, opened);
    expect(first.status).toBe(303);
    const after = await rows(screen);
    const again = await send(screen, opened);
    expect(again.status).toBe(303);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(await rows(screen)).toBe(after);

    // With scripts, the form continues with the version that its first attempt saved.
    const data = await screen.who.fetch(`${screen.path}.data`, {
      method: "POST",
      body: new URLSearchParams({ ...screen.fields, ...opened, [FORM_FIELDS.intent]: screen.intent }),
    });
    expect(data.status).toBe(200);
    expect(await data.text()).toContain(await versionOf(screen));
  });

  it.each(Object.keys(screens))("does not undo what someone else has since saved: %s", async (name) => {
    const screen = (await screens[name]?.()) as Screen;
    expect((await send(screen, THEIRS[name] ?? {})).status).toBe(303);
    const opened = await openedWith(screen);
    expect((await send(screen, opened)).status).toBe(303);
    const saved = await versionOf(screen);
    expect((await send(screen, THEIRS[name] ?? {})).status).toBe(303);
    const theirs = await rows(screen);
    expect((await send(screen, opened)).status).toBe(303);
    expect(await rows(screen)).toBe(theirs);
    // What it showed then is what it saved, so the next change is a conflict.
    const key = crypto.randomUUID();
    const next = await send(screen, { [FORM_FIELDS.version]: saved, [FORM_FIELDS.key]: key });
    expect(next.status).toBe(409);
    // Other values with the key of the first attempt are another change.
    expect((await send(screen, { ...opened, [FORM_FIELDS.version]: saved })).status).toBe(409);
    expect(await rows(screen)).toBe(theirs);
  });
});
