// Lists that were once rendered whole, in an installation with more rows than a page: the first page, the last one, one
// beyond it, what a search finds, and nothing of another agency. The documented calls still answer with all rows.

import { beforeAll, describe, expect, it } from "vitest";
import {
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  type TestUser,
  unique,
} from "../factories.ts";
import { fill, marks, page } from "../support/workerd/screen-pages.ts";

type Agency = { id: string; name: string };
let here: Agency;
let admin: TestUser;
let boss: Client;
let stranger: Client;

beforeAll(async () => {
  here = await newAgency();
  admin = await newUser(here.id, { role: "admin" });
  boss = await client(admin);
  stranger = await client(await newUser((await newAgency()).id, { role: "admin" }));
});

/** Returns the parts of an address's query, by name. */
const partsOf = (html: string, label: string, link: string) => {
  const pages = html.slice(html.indexOf(`aria-label="${label}"`));
  const href = new RegExp(`href="[^"?]*\\?([^"]*)"[^>]*>[^a-z]*(?:<svg.*?</svg>)?${link}`).exec(pages)?.[1];
  return Object.fromEntries(new URLSearchParams(href?.replaceAll("&amp;", "&")));
};

describe("the keys of an agency", () => {
  let mark: string;

  beforeAll(async () => {
    mark = unique("Key");
    await fill(
      `INSERT INTO rekor_keys (id, tenant_id, agency, base_url, sealed_key, key_last4, created_at)
       SELECT ?2 || i, ?3, ?2 || ' ' || i, 'https://cloud.openalpr.com', 'x', 'w' || (100 + i), 0`,
      230,
      mark,
      here.id,
    );
  });

  it("are shown a hundred at a time, in the order of the numbers in their names", async () => {
    const first = await page(boss, "/integrations/rekor");
    expect(marks(first, mark)).toBe(100);
    expect(first).toContain("230 API keys.");
    expect(first).toContain(`${mark} 100<`);
    const last = await page(boss, "/integrations/rekor?keys=3");
    expect(marks(last, mark)).toBe(30);
    expect(last).toContain(`${mark} 230<`);
    expect(await page(boss, "/integrations/rekor?keys=99")).toContain("Page 3 of 3");
  });

  it("are found by agency, host and last four characters, and the search stays on the next page", async () => {
    const found = async (text: string) => {
      const html = await page(boss, `/integrations/rekor?key=${encodeURIComponent(text)}`);
      return [marks(html, mark), /\d+ API keys? found\./.exec(html)?.[0]];
    };
    expect(await found(`${mark.toUpperCase()} 230`)).toEqual([1, "1 API key found."]);
    expect(await found("w330")).toEqual([1, "1 API key found."]);
    expect(await found("CLOUD.openalpr")).toEqual([100, "230 API keys found."]);
    expect(await found("no key has this")).toEqual([0, "0 API keys found."]);
    const html = await page(boss, "/integrations/rekor?key=cloud&keys=2&webhook=scout");
    expect(partsOf(html, "Pages of keys", "Next")).toEqual({ key: "cloud", keys: "3", webhook: "scout" });
    expect(partsOf(html, "Pages of keys", "Previous")).toEqual({ key: "cloud", webhook: "scout" });
  });

  it("are all in the answer of the documented call, and none in those of another agency", async () => {
    expect(await bodyOf<object[]>(boss.fetch("/api-keys-data"))).toHaveLength(230);
    const html = await page(stranger, `/integrations/rekor?key=${mark}`);
    expect(html).toContain("0 API keys found.");
    expect(await page(stranger, "/integrations/rekor")).toContain("No API keys found.");
  });
});

describe("the webhooks of an agency", () => {
  let mark: string;
  const path = "/integrations/rekor";

  beforeAll(async () => {
    mark = unique("Hook");
    await fill(
      `INSERT INTO doors (id, agency_id, program, name, secret_hash, secret_last4, created_at, created_by, revoked_at)
       SELECT ?2 || i, ?3, 'rekor', ?2 || ' ' || (1000 + i), ?2 || i, 'abcd', i, ?4, iif(i > 60, i, NULL)`,
      180,
      mark,
      here.id,
      admin.id,
    );
  });

  /** Returns the numbers of the first and the last webhook in each table of a page. */
  const shown = (html: string) => {
    const numbers = (from: string) => {
      const at = html.indexOf(`<section aria-label="${from}"`);
      const table = at < 0 ? "" : html.slice(at, html.indexOf("</table>", at));
      const all = [...table.matchAll(new RegExp(`>${mark} (\\d+)<`, "g"))].map(([, n]) => Number(n));
      return [all.length, all[0], all.at(-1)];
    };
    return { used: numbers("Webhooks"), revoked: numbers("Revoked webhooks") };
  };

  it("in use are listed fifty at a time, newest first, and the revoked ones apart, folded", async () => {
    const first = await page(boss, path);
    expect(shown(first)).toEqual({ used: [50, 1060, 1011], revoked: [50, 1180, 1131] });
    expect(first).toContain("60 in use, 120 revoked.");
    expect(/<details class="fold"><summary[^>]*><span[^>]*>Revoked webhooks/.test(first)).toBe(true);
    expect(shown(await page(boss, `${path}?webhooks=2`)).used).toEqual([10, 1010, 1001]);
    expect(shown(await page(boss, `${path}?webhooks=99`)).used).toEqual([10, 1010, 1001]);
  });

  it("that were revoked can all be reached, with the fold open", async () => {
    const last = await page(boss, `${path}?revoked=3`);
    expect(shown(last).revoked).toEqual([20, 1080, 1061]);
    expect(/<details class="fold" open=""><summary[^>]*><span[^>]*>Revoked webhooks/.test(last)).toBe(true);
    expect(last).not.toContain(`Revoke ${mark} 1061`);
  });

  it("are found in both lists", async () => {
    const one = await page(boss, `${path}?webhook=${encodeURIComponent(`${mark} 11`)}`);
    expect(shown(one)).toEqual({ used: [0, undefined, undefined], revoked: [50, 1180, 1131] });
    expect(one).toContain("0 in use, 81 revoked found.");
  });

  it("are not shown to another agency, which cannot revoke one", async () => {
    const html = await page(stranger, `${path}?webhook=${mark}`);
    expect(html).toContain("0 in use, 0 revoked found.");
    const call = { method: "DELETE" };
    expect((await stranger.fetch(`/rekor-webhooks/${mark}1`, call)).status).toBe(404);
    expect((await boss.fetch(`/rekor-webhooks/${mark}61`, call)).status).toBe(404);
    expect((await boss.fetch(`/rekor-webhooks/${mark}60`, call)).status).toBe(200);
    expect(shown(await page(boss, path))).toMatchObject({
      used: [50, 1059, 1010],
      revoked: [50, 1060, 1132],
    });
  });
});

describe("the users of an agency", () => {
  let mark: string;
  let large: Agency;
  let chief: TestUser;
  let lead: Client;

  beforeAll(async () => {
    mark = unique("Person");
    large = await newAgency();
    chief = await newUser(large.id, { role: "admin" });
    lead = await client(chief);
    await fill(
      `INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
       SELECT ?2 || i, ?3, ?2 || i, ?2 || ' ' || (1000 + i), ?2 || i || '@example.gov', 'user', 'x', 0`,
      620,
      mark,
      large.id,
    );
  });

  it("have their permissions in pages of a hundred", async () => {
    const path = "/edit-alerts-permissions";
    const first = await page(lead, path);
    expect(marks(first, mark)).toBeLessThanOrEqual(100);
    expect(first).toContain("621 users.");
    expect(first).toContain("Page 1 of 7");
    const last = await page(lead, `${path}?page=7`);
    expect(last).toContain(`Hotlist Viewer: ${mark} 1620`);
    expect(await page(lead, `${path}?page=99`)).toContain("Page 7 of 7");
    const one = await page(lead, `${path}?find=${encodeURIComponent(`${mark} 1620`)}`);
    expect(one).toContain("1 user found.");
    expect(await bodyOf<object[]>(lead.fetch("/agency-users-api"))).toHaveLength(621);
    expect(await page(stranger, `${path}?find=${mark}`)).toContain("0 users found.");
  });

  it("keep their permissions when those of another page are saved without scripts", async () => {
    const rights = async (id: string) =>
      bindings.DB.prepare("SELECT hotlist_admin AS a, hotlist_viewer AS v FROM users WHERE id = ?")
        .bind(id)
        .first();
    await bindings.DB.prepare("UPDATE users SET hotlist_admin = 1 WHERE id = ?").bind(`${mark}620`).run();
    const html = await page(lead, "/edit-alerts-permissions?page=1");
    const sent = new URLSearchParams({ intent: "save", [`hotlist_viewer_${mark}1`]: "true" });
    for (const [, name = "", value = ""] of html.matchAll(/name="(was_on|was_off)" value="([^"]*)"/g))
      sent.append(name, value);
    const answer = await lead.fetch("/edit-alerts-permissions?page=1", { method: "POST", body: sent });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/edit-alerts-permissions?page=1"]);
    expect(await rights(`${mark}1`)).toEqual({ a: 0, v: 1 });
    expect(await rights(`${mark}620`)).toEqual({ a: 1, v: 0 });
  });

  it("are the first five hundred on the screen of their administrator, who finds the others", async () => {
    const first = await (await lead.fetch("/admin")).text();
    expect(marks(first, mark)).toBeLessThanOrEqual(500);
    expect(first.replaceAll("<!-- -->", "")).toContain("The first 500 of 621 users, by name.");
    const one = await page(lead, `/admin?find=${encodeURIComponent(`${mark} 1620`)}`);
    expect(one).toContain("1 user found.");
    expect(one).toContain(`${mark} 1620`);
    expect(one).toContain(`621 users of ${large.name}`);
    expect(await page(stranger, `/admin?find=${mark}`)).toContain("0 users found.");
    const { users } = await bodyOf<{ users: object[] }>(lead.fetch("/admin-data"));
    expect(users).toHaveLength(621);
  });

  it("have a search on that screen without scripts, if the table has more than its first rows", async () => {
    const html = await page(boss, "/admin");
    expect(html).not.toContain("Find in all of the agency");
    expect(await page(lead, "/admin")).toContain("Find in all of the agency");
  });

  it("have sessions of which the dialog loads the first, used last", async () => {
    await fill(
      `INSERT INTO sessions (id, token_hash, user_id, kind, created_at, last_seen_at, ip, user_agent, notice_version)
       SELECT ?2 || 's' || i, ?2 || 's' || i, ?2 || '5', 'bearer', ?3, ?3 + i, '10.1.1.1', '', ''`,
      120,
      mark,
      Date.now(),
    );
    type Sessions = { sessions: { last_seen_at: number }[]; total: number };
    const path = `/admin/sessions/${mark}5`;
    const all = await bodyOf<Sessions>(lead.fetch(path));
    expect([all.sessions.length, all.total]).toEqual([120, 120]);
    const some = await bodyOf<Sessions>(lead.fetch(`${path}?limit=50`));
    expect(some).toEqual({ sessions: all.sessions.slice(0, 50), total: 120 });
    expect((await lead.fetch(`${path}?limit=0`)).status).toBe(400);
    expect((await stranger.fetch(`${path}?limit=50`)).status).toBe(404);
  });
});

describe("hit quality by group", () => {
  it("is shown two hundred groups at a time, beside the page of cameras", async () => {
    const agency = await newAgency();
    const user = await newUser(agency.id, { role: "admin" });
    const who = await client(user);
    const mark = unique("Watch");
    await fill(
      `INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by)
       SELECT ?2 || i, ?3, ?2 || ' ' || i, 0, ?4, 0, ?4`,
      430,
      mark,
      agency.id,
      user.id,
    );
    await fill(
      `INSERT INTO alerts (id, group_id, agency_id, entry_id, pass_key, program, match_kind, plate, captured_at, camera_id,
         camera_name, camera_agency_id, camera_agency, listed_plate, listed_at, listed_by, listed_by_agency, created_at)
       SELECT ?2 || i, ?2 || i, ?3, 1, ?2 || i, 'Rekor', 'exact', 'AB12345', ?4, ?2 || i, 'Camera ' || i, ?3, 'Agency',
         'AB12345', 1, 'Ann', 'Agency', ?4`,
      430,
      mark,
      agency.id,
      Date.now(),
    );
    const first = await page(who, "/alerts/quality");
    expect(marks(first, mark)).toBe(200);
    expect(first).toContain("430 groups, most hits first.");
    const last = await page(who, "/alerts/quality?groups=3&page=2");
    expect(marks(last, mark)).toBe(30);
    expect(last).toContain(`${mark} 430<`);
    expect(partsOf(last, "Pages of groups", "Previous")).toEqual({ groups: "2", page: "2" });
    expect(partsOf(last, "Pages of cameras", "Next")).toEqual({ groups: "3", page: "3" });
    expect(await page(who, "/alerts/quality?groups=99")).toContain("Page 3 of 3");
    const all = await bodyOf<{ groups: object[] }>(who.fetch("/alerts/quality-data"));
    expect(all.groups).toHaveLength(430);
    expect(await page(stranger, "/alerts/quality?groups=2")).toContain("No hits yet");
  });
});
