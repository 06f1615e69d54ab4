import { describe, expect, it } from "vitest";
import { DAY } from "#app/lib/time/dates.ts";
import { firstOwnerSql } from "../../../workers/local/first-owner-sql.ts";
import { bindings, client, jsonInit, signIn } from "../../factories.ts";

const OWNER = {
  agency: "O'Brien's Police; DROP TABLE users",
  username: "Owner",
  name: "Olive O'Wner",
  email: "olive@obrien.example",
};
const made = (over: object = {}, now = Date.now()) =>
  firstOwnerSql({ ...OWNER, ...over }, { pepper: bindings.PASSWORD_PEPPER, now });
const run = async (statements: string[]) => {
  for (const statement of statements) await bindings.DB.exec(statement);
};

describe("the first owner of a deployment", () => {
  it("signs in to an empty database, chooses a password, and is the owner", async () => {
    expect(await bindings.DB.prepare("SELECT count(*) AS n FROM users").first("n")).toBe(0);
    const { statements, password } = await made();
    expect(statements.join("\n")).not.toContain(password);
    await run(statements);

    const temporary = { username: "owner", password };
    expect(await (await signIn(temporary)).json()).toMatchObject({ redirect_url: "/change-password" });
    const limited = await client({ ...temporary } as Parameters<typeof client>[0]);
    expect((await limited.fetch("/owner-data")).status).toBe(403);
    const own = "Kite-Harbor-94-lamp";
    expect((await limited.post("/reset-password", { new_password: own })).status).toBe(200);

    const owner = await client({ username: "owner", password: own } as Parameters<typeof client>[0]);
    const {
      users,
      agencies,
    }: {
      users: { name: string; email: string; is_owner: boolean }[];
      agencies: { id: string; name: string; policy: { hotlist_expiry_days: number } }[];
    } = await (await owner.fetch("/owner-data")).json();
    expect(users).toMatchObject([{ name: OWNER.name, email: OWNER.email, is_owner: true }]);
    expect(agencies).toMatchObject([{ name: OWNER.agency, policy: { hotlist_expiry_days: 0 } }]);
    expect((await owner.post("/owner/agencies", { name: "A second agency" })).status).toBe(200);
    const again = await owner.fetch("/owner/add-user", jsonInit({}));
    expect(again.status).toBe(400);
  });

  it("has audit rows, as other users and agencies do", async () => {
    const { statements } = await made({ username: "noted", agency: "Noted Police" });
    await run(statements);
    const { results } = await bindings.DB.prepare(
      `SELECT action, outcome, object, l.username, user_agent
       FROM audit_log l JOIN agencies a ON a.id = l.agency_id
       WHERE a.name = 'Noted Police' ORDER BY seq`,
    ).all();
    const [agencyId, userId] = await Promise.all([
      bindings.DB.prepare("SELECT id FROM agencies WHERE name = 'Noted Police'").first("id"),
      bindings.DB.prepare("SELECT id FROM users WHERE username = 'noted'").first("id"),
    ]);
    const by = { outcome: "ok", username: "first-owner", user_agent: "wrangler" };
    expect(results).toEqual([
      { action: "agency.add", object: agencyId, ...by },
      { action: "user.add", object: userId, ...by },
    ]);
  });

  it("must sign in within a day", async () => {
    const now = Date.now();
    const late = await made({ username: "late", agency: "Late Police" }, now - DAY);
    await run(late.statements);
    expect((await signIn({ username: "late", password: late.password })).status).toBe(401);
    const intime = await made({ username: "intime", agency: "In Time Police" }, now - DAY + 60_000);
    await run(intime.statements);
    expect((await signIn({ username: "intime", password: intime.password })).status).toBe(200);
  });

  it("gets a new password each time, and must have names that Odin would accept", async () => {
    const [one, two] = [await made(), await made()];
    expect(one.password).not.toBe(two.password);
    for (const wrong of [{ username: "two  spaces" }, { email: "nobody" }, { agency: " " }, { name: "" }])
      await expect(made(wrong)).rejects.toThrow();
  });
});
