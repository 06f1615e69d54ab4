import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  signIn,
  type TestUser,
  unique,
} from "../../factories.ts";

let ours: { id: string; name: string };
let theirs: { id: string; name: string };
let boss: TestUser;
let other: TestUser;
let owner: TestUser;
let admin: Client;

beforeAll(async () => {
  [ours, theirs] = [await newAgency(), await newAgency()];
  boss = await newUser(ours.id, { role: "admin" });
  other = await newUser(theirs.id, { role: "admin" });
  owner = await newUser(ours.id, { username: "owner", role: "admin" });
  admin = await client(boss);
});

const acts = (id: string): [string, RequestInit][] => [
  ["/admin/reset-user-password", jsonInit({ user_id: id })],
  [`/admin/toggle-role/${id}`, jsonInit({ new_role: "user" }, { method: "PUT" })],
  [`/admin/disable-user/${id}`, jsonInit({ disabled: true }, { method: "PUT" })],
  [`/admin/end-sessions/${id}`, { method: "POST" }],
  [`/admin/reset-second-factor/${id}`, { method: "POST" }],
  [`/admin/delete-user/${id}`, { method: "DELETE" }],
];

async function statuses(who: Client, id: string): Promise<number[]> {
  const found: number[] = [];
  for (const [path, init] of acts(id)) found.push((await who.fetch(path, init)).status);
  return found;
}

const upload = async (text: string, who = admin) => {
  const body = new FormData();
  body.set("file", new File([text], "users.csv", { type: "text/csv" }));
  const { "content-type": _, ...headers } = who.headers;
  return who.fetch("/bulk-upload-users", { method: "POST", body, headers });
};
const countUsers = () => bindings.DB.prepare("SELECT count(*) AS n FROM users").first<number>("n");

describe("an administrator", () => {
  it("cannot see users of another agency, and cannot change themselves or the owner", async () => {
    expect(await statuses(admin, other.id)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await statuses(admin, boss.id)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await statuses(admin, owner.id)).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await admin.fetch(`/admin/sessions/${other.id}`)).status).toBe(404);
    const refused = (await auditOf(boss, 18)).filter(({ outcome }) => outcome === "refused");
    expect(refused).toHaveLength(18);
    const { users } = await bodyOf<{ users: { agency_id: string }[] }>(admin.fetch("/admin-data"));
    expect(new Set(users.map(({ agency_id }) => agency_id))).toEqual(new Set([ours.id]));
    expect(JSON.stringify(users)).not.toMatch(/scrypt|hash/i);
  });

  it("cannot remove the agency's last administrator, even with concurrent requests", async () => {
    const agency = await newAgency();
    const [one, two] = [
      await newUser(agency.id, { role: "admin" }),
      await newUser(agency.id, { role: "admin" }),
    ];
    const [first, second] = [await client(one), await client(two)];
    const demote = (who: Client, id: string) =>
      who.fetch(`/admin/toggle-role/${id}`, jsonInit({ new_role: "user" }, { method: "PUT" }));
    await Promise.all([demote(first, two.id), demote(second, one.id)]);
    const left = await bindings.DB.prepare(
      "SELECT count(*) AS n FROM users WHERE agency_id = ? AND role = 'admin'",
    )
      .bind(agency.id)
      .first<number>("n");
    expect(left).toBe(1);
  });

  it("deletes what a user signed in with, but not that of the last administrator", async () => {
    const agency = await newAgency();
    const [one, two] = [
      await newUser(agency.id, { role: "admin" }),
      await newUser(agency.id, { role: "admin" }),
    ];
    const [first, second] = [await client(one), await client(two)];
    const rows = {
      totp_factors: "(user_id, sealed_secret, created_at) VALUES (?1, 's', 1)",
      passkeys:
        "(id, user_id, name, public_key, counter, transports, created_at) VALUES ('k' || ?1, ?1, 'Key', 'p', 0, '[]', 1)",
      recovery_codes: "(user_id, code_hash) VALUES (?1, 'c')",
      password_history: "(user_id, digest, created_at) VALUES (?1, 'd', 1)",
      known_devices: "(user_id, token_hash, last_used_at) VALUES (?1, 't', 1)",
      push_devices:
        "(id, user_id, channel, name, address_hash, sealed_address, created_at) VALUES ('p' || ?1, ?1, 'webpush', 'Phone', 'h' || ?1, 's', 1)",
    };
    const tables = Object.keys(rows);
    const left = async (id: string) => {
      const counted = tables.map((table) =>
        bindings.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE user_id = ?`).bind(id),
      );
      return (await bindings.DB.batch<{ n: number }>(counted)).map(({ results }) => results[0]?.n);
    };
    for (const { id } of [one, two]) {
      const added = Object.entries(rows).map(([table, row]) =>
        bindings.DB.prepare(`INSERT OR REPLACE INTO ${table} ${row}`).bind(id),
      );
      await bindings.DB.batch(added);
      expect(await left(id)).not.toContain(0);
    }
    const remove = (who: Client, id: string) => who.fetch(`/admin/delete-user/${id}`, { method: "DELETE" });
    await Promise.all([remove(first, two.id), remove(second, one.id)]);
    const deleted = await bindings.DB.prepare(
      "SELECT id FROM users WHERE agency_id = ? AND deleted_at IS NOT NULL",
    )
      .bind(agency.id)
      .all<{ id: string }>();
    expect(deleted.results).toHaveLength(1);
    for (const { id } of [one, two]) {
      const isDeleted = deleted.results[0]?.id === id;
      if (isDeleted) expect(await left(id)).toEqual(tables.map(() => 0));
      else expect(await left(id)).not.toContain(0);
    }
  });

  it("adds users with a temporary password, but no second owner, foreign user or weak password", async () => {
    const body = (over: object = {}) => ({
      username: unique("new"),
      name: "Nora New",
      email: "nora@x.example",
      password: "Willow-Kettle-38",
      role: "user",
      ...over,
    });
    const made = body();
    const added = await admin.post("/admin/add-user", made);
    expect(await added.json()).toMatchObject({ msg: "User added successfully" });
    expect(await (await signIn(made)).json()).toMatchObject({ redirect_url: "/change-password" });
    expect((await admin.post("/admin/add-user", made)).status).toBe(409);
    expect((await admin.post("/admin/add-user", body({ username: "OWNER" }))).status).toBe(409);
    expect((await admin.post("/admin/add-user", body({ agency_id: theirs.id }))).status).toBe(404);
    expect((await admin.post("/admin/add-user", body({ password: "Password1!" }))).status).toBe(400);
    expect((await admin.post("/admin/add-user", body({ email: "nobody" }))).status).toBe(400);
  });
});

describe("a bulk upload", () => {
  it("writes all rows or none, and reports every invalid row", async () => {
    const before = await countUsers();
    const wrong = await upload(
      `username,name,email,role\r\n${unique("ok")},Ok,ok@x.example,user\r\n${boss.username},B,b@x.example,user\r\nowner,O,o@x.example,admin\r\nx,,y,z\r\n`,
    );
    expect(wrong.status).toBe(400);
    const { problems } = await bodyOf<{ problems: { line: number }[] }>(wrong);
    expect(problems.map(({ line }) => line)).toEqual([3, 4, 5]);
    expect(await countUsers()).toBe(before);
  });

  it("adds thousands at once, each with a password and an audit row", async () => {
    const names = Array.from({ length: 2500 }, (_, n) => `bulk${n}.${unique("u")}`.slice(0, 60));
    const file = `\uFEFFUsername;Name;Email;Role\r\n${names.map((name) => `${name};"N; ${name}";${name}@x.example;user`).join("\r\n")}`;
    const answer = await upload(file);
    expect(answer.status).toBe(200);
    const { users } = await bodyOf<{ users: { username: string; temporary_password: string }[] }>(answer);
    expect(new Set(users.map((user) => user.temporary_password)).size).toBe(2500);
    const rows = await bindings.DB.prepare(
      "SELECT count(*) AS n FROM audit_log WHERE action = 'user.add' AND user_id = ? AND object IN (SELECT id FROM users WHERE username LIKE 'bulk%')",
    )
      .bind(boss.id)
      .first<number>("n");
    expect(rows).toBe(2500);
    const [one] = users;
    const signedIn = await signIn({ username: one?.username ?? "", password: one?.temporary_password ?? "" });
    expect(await signedIn.json()).toMatchObject({ redirect_url: "/change-password" });
  });

  it("returns the same passwords if its file is sent again, as after a lost answer", async () => {
    type Added = { users: { username: string; temporary_password: string }[]; valid_until: number };
    const names = [unique("again"), unique("again")].map((name) => name.toLowerCase());
    const fileOf = (name: string) =>
      `username,name,email,role\r\n${names.map((one) => `${one},${name},${one}@x.example,user`).join("\r\n")}`;
    const first = await bodyOf<Added>(upload(fileOf("N")));
    const count = await countUsers();
    expect(await bodyOf<Added>(upload(fileOf("N")))).toEqual(first);
    expect(await countUsers()).toBe(count);
    const [row] = await auditOf(boss);
    expect([row?.action, row?.outcome, JSON.parse(row?.detail ?? "")]).toEqual([
      "user.upload",
      "ok",
      { users: 2, again: true },
    ]);
    const [one] = first.users;
    const signedIn = await signIn({ username: one?.username ?? "", password: one?.temporary_password ?? "" });
    expect(await signedIn.json()).toMatchObject({ redirect_url: "/change-password" });

    const refused = async (text: string, who = admin) => {
      const { problems } = await bodyOf<{ problems: { reason: string }[] }>(upload(text, who));
      return problems.map(({ reason }) => /is taken/.test(reason));
    };
    // Another name, another administrator, another password since then.
    expect(await refused(fileOf("M"))).toEqual([true, true]);
    expect(await refused(fileOf("N"), await client(await newUser(ours.id, { role: "admin" })))).toEqual([
      true,
      true,
    ]);
    const { users } = await bodyOf<{ users: { id: string; username: string }[] }>(admin.fetch("/admin-data"));
    const id = users.find(({ username }) => username === names[0])?.id;
    expect((await admin.post("/admin/reset-user-password", { user_id: id })).status).toBe(200);
    expect(await refused(fileOf("N"))).toEqual([true, true]);
  });

  it("answers any input without a server error, and writes nothing if it is invalid", async () => {
    const junk = fc.constantFrom(
      ...'username name email role , ; \t " " \r \n \uFEFF = \0 a@b.cd user admin'.split(" "),
    );
    const text = fc.array(fc.oneof(junk, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 16 });
    const file = fc.oneof(
      text.map((parts) => parts.join("")),
      text.map((parts) => `username,name,email,role\r\n${parts.join("")}`),
      fc.uint8Array({ maxLength: 60 }),
    );
    const before = await countUsers();
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        const body = new FormData();
        body.set("file", new File([content as BlobPart], "users.csv", { type: "text/csv" }));
        const answer = await admin.fetch("/bulk-upload-users", { method: "POST", body });
        expect(answer.status).toBe(400);
        const { problems } = await bodyOf<{ problems: { line: number; reason: string }[] }>(answer);
        expect(problems.length).toBeGreaterThan(0);
        for (const { line, reason } of problems) expect(line > 0 && reason !== "").toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(await countUsers()).toBe(before);
  });

  it("refuses an invalid form, and refuses a file that is too large before reading it", async () => {
    const send = (body: BodyInit, type: string) =>
      admin.fetch("/bulk-upload-users", { method: "POST", body, headers: { "content-type": type } });
    expect((await send("x", "multipart/form-data")).status).toBe(400);
    expect((await send("--b\r\n", "multipart/form-data; boundary=b")).status).toBe(400);
    expect((await send("username,name", "text/csv")).status).toBe(415);
    const large = await upload("x".repeat(10 * 1024 * 1024 + 1));
    expect(large.status).toBe(413);
    const many = Array.from({ length: 10_001 }, (_, n) => `u${n},N,u${n}@x.example,user`).join("\r\n");
    const answer = await upload(`username,name,email,role\r\n${many}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("more than 10,000 rows");
  });

  it("accepts the headings of the table of users", async () => {
    const text = `User Name,Full Name,E-Mail,Role\n${unique("headed").toLowerCase()},A B,a@x.example,user\n`;
    expect((await upload(text)).status).toBe(200);
  });

  it("does not use the passwords of a file from another system", async () => {
    const username = unique("moved").toLowerCase();
    const text = `id,username,password,name,email,role,department\n7,${username},Weak,A B,a@x.example,user,HPD\n`;
    const answer = await upload(text);
    expect(answer.status).toBe(200);
    const { users } = await bodyOf<{ users: { username: string; temporary_password: string }[] }>(answer);
    expect(users).toMatchObject([{ username }]);
    expect(users[0]?.temporary_password).not.toBe("Weak");
  });

  it("accepts its own template", async () => {
    const template = await admin.fetch("/download-template");
    expect(template.headers.get("content-disposition")).toContain(".csv");
    expect((await upload(await template.text())).status).toBe(200);
  });
});

describe("the owner", () => {
  it("sees the first 500 users of all agencies, and finds the others", async () => {
    const browser = await client(owner);
    const mark = unique("crowd").toLowerCase();
    await bindings.DB.prepare(
      `INSERT INTO users (id, agency_id, username, name, email, role, password_hash, created_at)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 501)
      SELECT ?1 || i, ?2, ?1 || i, 'Person ' || i, '', 'user', 'x', 0 FROM n`,
    )
      .bind(mark, theirs.id)
      .run();
    const page = async (query: string) => (await browser.fetch(`/owner${query}`)).text();
    expect(await page("")).toContain("The first 500 of ");
    const crowd = await page(`?find=${mark.toUpperCase()}`);
    expect(crowd).toContain("The first 500 of 501 users");
    const one = await page(`?find=${mark}501`);
    expect(one).toContain("1 user found.");
    await newUser(theirs.id, { name: `Émile ${mark}` });
    for (const name of ["Émile", "émile", "ÉMILE"])
      expect(await page(`?find=${encodeURIComponent(`${name} ${mark}`)}`)).toContain("1 user found.");
    expect(one).toContain(`${mark}501`);
    expect(one).not.toContain(`${mark}500`);
    const { users } = await bodyOf<{ users: unknown[] }>(browser.fetch("/owner-data"));
    expect(users.length).toBeGreaterThan(501);
  });

  it("adds agencies and users to any agency, and resets any password except their own", async () => {
    const browser = await client(owner);
    const name = unique("Agency");
    const { id } = await bodyOf<{ id: string }>(browser.post("/owner/agencies", { name }));
    expect((await browser.post("/owner/agencies", { name: name.toUpperCase() })).status).toBe(409);
    const user = { username: unique("far"), name: "Fay Far", email: "fay@x.example", role: "admin" };
    const added = await browser.post("/owner/add-user", {
      ...user,
      password: "Willow-Kettle-38",
      agency_id: id,
    });
    expect(added.status).toBe(200);
    expect((await browser.post("/owner/reset-user-password", { user_id: other.id })).status).toBe(200);
    expect((await browser.post("/owner/reset-user-password", { user_id: owner.id })).status).toBe(403);
    expect((await admin.post("/owner/agencies", { name: "x" })).status).toBe(403);
    expect((await auditOf(owner, 10)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(["agency.add", "user.add", "password.reset"]),
    );
  });

  it.each([
    ["a case number", "case_number_required"],
    ["a purpose", "purpose_required"],
  ])("can require %s for every search", async (what, column) => {
    const agency = await newAgency();
    const officer = await client(await newUser(agency.id));
    await bindings.DB.prepare(`UPDATE agencies SET ${column} = 1 WHERE id = ?`).bind(agency.id).run();
    const now = Date.now();
    const response = await officer.post("/search-data", {
      justification: "x",
      start_time: new Date(now - 1000).toISOString(),
      end_time: new Date(now).toISOString(),
      agencies: ["none"],
    });
    expect([response.status, (await bodyOf<{ msg: string }>(response)).msg]).toEqual([
      400,
      `Your agency requires ${what} for every search.`,
    ]);
  });
});
