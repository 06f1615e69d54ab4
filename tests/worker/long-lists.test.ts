// Screens with the long lists of a state's installation: each page is short enough, and without scripts, a form or links
// to other pages reach every row.

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
let owner: Client;

beforeAll(async () => {
  here = await newAgency();
  admin = await newUser(here.id, { role: "admin" });
  boss = await client(admin);
  owner = await client(await newUser(here.id, { username: "owner", role: "admin" }));
});

describe("the members of a group", () => {
  let group: string;
  let mark: string;

  beforeAll(async () => {
    group = unique("group");
    mark = unique("Member");
    await fill(
      `INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
       SELECT ?2 || i, ?3, ?2 || i, ?2 || ' ' || (1000 + i), 'é' || i || '@example.gov', 'user', 'x', 0`,
      250,
      mark,
      here.id,
    );
    await bindings.DB.prepare(
      "INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by) VALUES (?1, ?2, 'Amber', 0, ?3, 0, ?3)",
    )
      .bind(group, here.id, admin.id)
      .run();
    await fill(
      "INSERT INTO alert_group_members (group_id, user_id, added_at, added_by) SELECT ?2, ?3 || i, 0, ?4",
      250,
      group,
      mark,
      admin.id,
    );
  });

  it("are shown a hundred at a time, by name", async () => {
    const first = await page(boss, `/groups/${group}/details`);
    expect(marks(first, mark)).toBe(100);
    expect(first).toContain(`${mark} 1001`);
    expect(first).toContain("250 members.");
    expect(first).toContain("Page 1 of 3");
    const last = await page(boss, `/groups/${group}/details?page=3`);
    expect(marks(last, mark)).toBe(50);
    expect(last).toContain(`${mark} 1250`);
    expect(await page(boss, `/groups/${group}?page=99`)).toContain("Page 3 of 3");
  });

  it("are found by name, address and agency", async () => {
    const found = async (text: string) => {
      const html = await page(boss, `/groups/${group}/details?find=${encodeURIComponent(text)}`);
      return [marks(html, mark), /[\d,]+ members? found\./.exec(html)?.[0]];
    };
    expect(await found(`${mark.toUpperCase()} 1250`)).toEqual([1, "1 member found."]);
    expect(await found("É250@EXAMPLE")).toEqual([1, "1 member found."]);
    expect(await found(here.name)).toEqual([100, "250 members found."]);
    expect(await found("no one has this")).toEqual([0, "0 members found."]);
  });

  it("are all in the answer of the documented call", async () => {
    const answer = await boss.fetch(`/alerts/group/${group}/details-data?limit=1`);
    const { members, group: details } = await answer.json<{
      members: object[];
      group: { member_ids: string[] };
    }>();
    expect([members.length, details.member_ids.length]).toEqual([250, 250]);
  });
});

describe("the groups of an agency", () => {
  /** Returns an administrator of a new agency and the start of its groups' names; `number`, in SQL, follows it. */
  async function agencyWithGroups(count: number, number: string): Promise<{ who: Client; mark: string }> {
    const agency = await newAgency();
    const user = await newUser(agency.id, { role: "admin" });
    const mark = unique("Group");
    await fill(
      `INSERT INTO alert_groups (id, agency_id, name, created_at, created_by, changed_at, changed_by)
       SELECT ?2 || i, ?3, ?2 || ' ' || (${number}), 0, ?4, 0, ?4`,
      count,
      mark,
      agency.id,
      user.id,
    );
    return { who: await client(user), mark };
  }

  it("are shown 120 at a time, and found by name", async () => {
    const { who, mark } = await agencyWithGroups(150, "1000 + i");
    const first = await page(who, "/alerts");
    expect(marks(first, mark)).toBe(120);
    expect(first).toContain("150 groups.");
    expect(marks(await page(who, "/alerts?page=2"), mark)).toBe(30);
    const one = await page(who, `/alerts?find=${encodeURIComponent(`${mark} 1150`)}`);
    expect(one).toContain("1 group found.");
    expect(one).toContain(`${mark} 1150`);
    expect(await page(who, "/alerts?find=nothing")).toContain("0 groups found.");
    const all = await (await who.fetch("/alerts-data")).json<object[]>();
    expect(all.length).toBe(150);
  });

  it("are listed in the order of the numbers in their names, on every page and in the documented call", async () => {
    const { who, mark } = await agencyWithGroups(125, "126 - i");
    const inOrder = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `${mark} ${from + i}`);
    const names = (html: string) => [...new Set(html.match(new RegExp(`${mark} \\d+`, "g")))];
    expect(names(await page(who, "/alerts"))).toEqual(inOrder(1, 120));
    expect(names(await page(who, "/alerts?page=2"))).toEqual(inOrder(121, 125));
    const all = await bodyOf<{ name: string }[]>(who.fetch("/alerts-data"));
    expect(all.map(({ name }) => name)).toEqual(inOrder(1, 125));
  });

  it("show no form that finds them if there are few", async () => {
    const agency = await newAgency();
    const html = await page(await client(await newUser(agency.id, { role: "admin" })), "/alerts");
    expect(html).not.toContain("Find a group");
  });
});

describe("the cameras of an agency", () => {
  it("of Axis are shown a hundred at a time, and found by name", async () => {
    const mark = unique("Axis");
    await fill(
      "INSERT INTO axis_cameras (id, agency_id, name, secret_hash, created_at) SELECT ?2 || i, ?3, ?2 || ' ' || (1000 + i), ?2 || i, 0",
      130,
      mark,
      here.id,
    );
    const first = await page(boss, "/integrations/axis");
    expect(marks(first, mark)).toBe(100);
    expect(first).toContain("130 cameras.");
    expect(marks(await page(boss, "/integrations/axis?page=2"), mark)).toBe(30);
    const one = await page(boss, `/integrations/axis?find=${encodeURIComponent(`${mark} 1130`)}`);
    expect(one).toContain("1 camera found.");
    expect(one).toContain(`Revoke ${mark} 1130`);
    const none = await page(boss, "/integrations/axis?find=nothing");
    expect(none).toContain("0 cameras found.");
    expect(none).not.toContain("No Axis cameras yet.");
  });

  it("of Rekor are shown a hundred at a time, and found by id or name", async () => {
    const mark = unique("Rekor");
    await fill(
      `INSERT INTO rekor_cameras (id, agency_id, name, first_seen_at, last_heartbeat_at)
       SELECT ?2 || '/' || i, ?3, ?2 || ' ' || (1000 + i), 1, 1`,
      130,
      mark,
      here.id,
    );
    const first = await page(boss, "/integrations/rekor");
    expect(marks(first, mark)).toBe(100);
    expect(first).toContain("130 cameras.");
    expect(marks(await page(boss, "/integrations/rekor?page=2"), mark)).toBe(30);
    for (const text of [`${mark} 1130`, `${mark}/130`])
      expect(await page(boss, `/integrations/rekor?find=${encodeURIComponent(text)}`)).toContain(
        "1 camera found.",
      );
  });
});

describe("cameras with numbers in their names", () => {
  it("are listed in the order of the numbers", async () => {
    const mark = unique("Exit");
    await fill(
      `INSERT INTO rekor_cameras (id, agency_id, name, first_seen_at)
       SELECT ?2 || '/' || (12 - i), ?3, ?2 || ' ' || i, 1`,
      11,
      mark,
      here.id,
    );
    const inOrder = Array.from({ length: 11 }, (_, i) => `${mark} ${i + 1}`);
    const cameras = await bodyOf<{ camera_name: string }[]>(owner.fetch(`/rekor-cameras?find=${mark}`));
    expect(cameras.map(({ camera_name }) => camera_name)).toEqual(inOrder);
    const { cameras: pickable } = await bodyOf<{ cameras: { name: string }[] }>(
      boss.fetch(`/investigation-cameras?find=${mark}`),
    );
    expect(pickable.map(({ name }) => name)).toEqual(inOrder);
    await bindings.DB.prepare("DELETE FROM rekor_cameras WHERE name LIKE ?").bind(`${mark} %`).run();
  });
});

describe("the agencies among which the owner chooses a camera's", () => {
  it("are not repeated in every row, but listed in the row of a camera that was found", async () => {
    const mark = unique("Cam");
    const agency = unique("Chosen");
    await fill(
      "INSERT INTO rekor_cameras (id, name, first_seen_at) SELECT ?2 || '/' || i, ?2 || ' ' || (1000 + i), 1",
      60,
      mark,
    );
    await fill(
      "INSERT INTO agencies (id, name, created_at) SELECT ?2 || i, ?2 || ' ' || (1000 + i), 0",
      60,
      agency,
    );
    const all = await page(owner, "/rekor-camera-management");
    expect(all).toContain(`${mark} 1060`);
    expect(marks(all, agency)).toBe(0);
    expect(all).toContain("Find in all cameras");
    const one = await page(owner, `/rekor-camera-management?find=${encodeURIComponent(`${mark} 1060`)}`);
    expect(marks(one, agency)).toBe(60);
    await bindings.DB.prepare("DELETE FROM rekor_cameras WHERE name LIKE ?").bind(`${mark} %`).run();
  });
});

describe("Rekor's cameras of a state", () => {
  it("are divided into pages by the server, which also chooses among them", async () => {
    const mark = unique("AAA");
    await fill(
      `INSERT INTO rekor_cameras (id, name, first_seen_at, is_manual)
       SELECT ?2 || '/' || i, ?2 || ' ' || (1000 + i), 1, i = 599`,
      600,
      mark,
    );
    const path = "/rekor-camera-management";
    const first = await page(owner, path);
    expect(first).toContain("Page 1 of 2");
    expect(marks(first, mark)).toBe(100);
    expect(first).not.toContain("Filter by id, name or site");
    const found = `find=${mark}`;
    const last = await page(owner, `${path}?${found}&page=2`);
    expect(last).toContain(`${mark} 1600`);
    expect(last).toContain("600 found.");
    const corrected = await page(owner, `${path}?${found}&show=manual`);
    expect(corrected).toContain("1 found.");
    expect(corrected).toContain(`${mark} 1599`);
    expect(await page(owner, `${path}?${found}&show=none-of-these`)).toContain("600 found.");
    await bindings.DB.prepare("DELETE FROM rekor_cameras WHERE name LIKE ?").bind(`${mark} %`).run();
  });
});

describe("legal holds", () => {
  it("are shown fifty at a time, those that wait or are active first", async () => {
    const agency = await newAgency();
    const who = await client(await newUser(agency.id, { role: "admin" }));
    await fill(
      `INSERT INTO legal_holds (id, agency_id, case_number, reason, plates, from_at, until_at, state, requested_by,
         requested_by_name, requested_at)
       SELECT ?2 || '-' || i, ?2, 'hold ' || (1000 + i), 'Homicide', '["HELD1"]', 0, 1,
         CASE i WHEN 1 THEN 'active' WHEN 2 THEN 'requested' ELSE 'released' END, 'u', 'Someone', i`,
      120,
      agency.id,
    );
    const first = await page(who, "/legal-holds");
    expect(marks(first, "hold")).toBe(50);
    expect(first).toContain("120 holds, those that wait for approval or are active first.");
    expect(first).toContain("hold 1001");
    expect(first).toContain("hold 1002");
    expect(first).toContain("hold 1120");
    const last = await page(who, "/legal-holds?page=3");
    expect(marks(last, "hold")).toBe(20);
    expect(last).toContain("hold 1003");
  });
});

describe("email domains", () => {
  it("are shown a hundred at a time, and found by domain or agency", async () => {
    const mark = unique("domain").toLowerCase();
    await fill(
      `INSERT INTO sign_on_domains (domain, agency_id, requested_at, requested_by)
       SELECT ?2 || ' ' || (1000 + i), ?3, i, ?4`,
      130,
      mark,
      here.id,
      admin.id,
    );
    const first = await page(owner, "/owner/email-domains");
    expect(marks(first, mark)).toBe(100);
    expect(first).toContain("130 domains.");
    expect(marks(await page(owner, "/owner/email-domains?page=2"), mark)).toBe(30);
    const one = await page(owner, `/owner/email-domains?find=${encodeURIComponent(`${mark} 1130`)}`);
    expect(one).toContain("1 domain found.");
    expect(await page(owner, `/owner/email-domains?find=${encodeURIComponent(here.name)}`)).toContain(
      "130 domains found.",
    );
  });
});
