import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AppContext } from "#app/context.ts";
import { addAgency, changeAgency } from "#app/domain/users/agencies.ts";
import { DEFAULT_POLICY, POLICY_NUMBERS } from "#app/entities/users/policy.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import {
  actorOf,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newAgency,
  newUser,
  newWorld,
  searchBody,
  type TestUser,
  testApp,
  unique,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";

let agency: { id: string; name: string };
let ownerUser: TestUser;
let owner: Client;

beforeAll(async () => {
  agency = await newAgency();
  ownerUser = await newUser((await newAgency()).id, { username: "owner", role: "admin" });
  owner = await client(ownerUser);
});
afterEach(() => {
  vi.useRealTimers();
});

const save = (who: Client, policy: object, name = agency.name) =>
  who.fetch(`/owner/agencies/${agency.id}`, jsonInit({ name, policy }, { method: "PUT" }));

describe("an agency that is renamed", () => {
  it("is still searched by what an open page sends; its former name means nothing", async () => {
    const world = await newWorld();
    const officer = await client(world.users.officer);
    type Axon = { agency_name: string; base_url: string }[];
    type Axis = { id: string; agency_name: string; integrations: { identifier: string }[] }[];
    const read = async () => ({
      axon: await bodyOf<Axon>(officer.fetch("/axon-authorized-integrations")),
      axis: await bodyOf<Axis>(officer.fetch("/axis-authorized-agencies")),
    });
    const { axon, axis } = await read();
    for (const id of [world.ours.id, world.axon.agencyId]) {
      const change = jsonInit({ name: unique("Renamed Police"), policy: DEFAULT_POLICY }, { method: "PUT" });
      expect((await owner.fetch(`/owner/agencies/${id}`, change)).status).toBe(200);
    }
    const statusOf = async (names: string[]) => {
      const answer = await officer.post("/search-data", searchBody(names));
      await answer.text();
      return answer.status;
    };
    const sent = [
      ...axon.map(({ base_url }) => base_url),
      ...axis.flatMap(({ id, integrations }) => [id, ...integrations.map(({ identifier }) => identifier)]),
    ];
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(await statusOf([...sent, ...world.agencies])).toBe(200);
    for (const { agency_name } of [...axon, ...axis]) expect(await statusOf([agency_name])).toBe(403);
    const now = await read();
    for (const { agency_name } of [...now.axon, ...now.axis]) expect(await statusOf([agency_name])).toBe(200);
  });
});

describe("the Rekor keys of an agency that is renamed", () => {
  it("have its new name if they had its own, by which the pictures of its hits and its cameras are found", async () => {
    const one = await newAgency();
    const admin = await client(await newUser(one.id, { role: "admin" }));
    const label = unique("Another Police");
    for (const name of [one.name.toUpperCase(), label]) {
      const key = { agency: name, api_key: unique("key"), source_program: "Rekor" };
      expect((await admin.post("/add-api-key", key)).status).toBe(200);
    }
    const name = unique("Renamed Police");
    const change = jsonInit({ name, policy: DEFAULT_POLICY }, { method: "PUT" });
    expect((await owner.fetch(`/owner/agencies/${one.id}`, change)).status).toBe(200);
    const keys = await bodyOf<{ agency: string }[]>(admin.fetch("/api-keys-data"));
    expect(keys.map(({ agency }) => agency).toSorted()).toEqual([label, name].toSorted());
    const [row] = await auditOf(ownerUser, 1);
    expect(JSON.parse(row?.detail ?? "")).toMatchObject({ after: { name, rekor_keys: 1 } });
  });
});

describe("an agency's policy", () => {
  it("is shown to and saved by the owner, with the previous and new values in the audit log", async () => {
    const after = {
      ...DEFAULT_POLICY,
      retention_days: 21,
      hotlist_expiry_days: 14,
      case_number_required: true,
    };
    expect((await save(owner, after)).status).toBe(200);
    const { agencies } = await bodyOf<{
      agencies: { id: string; policy: object }[];
    }>(owner.fetch("/owner-data"));
    expect(agencies.find(({ id }) => id === agency.id)?.policy).toEqual(after);
    const [row] = await auditOf(ownerUser);
    expect(row).toMatchObject({ action: "agency.change", outcome: "ok", object: agency.id });
    expect(JSON.parse(row?.detail ?? "")).toEqual({
      before: { name: agency.name, ...DEFAULT_POLICY },
      after: { name: agency.name, ...after },
    });
    const page = await (await owner.fetch(`/owner/policy/${agency.id}`)).text();
    for (const [name, value] of [
      ["retention_days", 21],
      ["hotlist_expiry_days", 14],
    ] as const)
      expect(page).toMatch(
        new RegExp(`name="${name}"[^>]*value="${value}"|value="${value}"[^>]*name="${name}"`),
      );
  });

  it("accepts only the listed time zones", async () => {
    expect((await save(owner, { ...DEFAULT_POLICY, time_zone: "Pacific/Guam" })).status).toBe(200);
    for (const zone of ["Mars/Olympus", "", null, "Europe/Berlin", undefined]) {
      const refused = await save(owner, { ...DEFAULT_POLICY, time_zone: zone });
      expect([zone, refused.status]).toEqual([zone, 400]);
      expect((await bodyOf<{ msg: string }>(refused)).msg).toBe("Choose a time zone.");
    }
  });

  it.each(POLICY_NUMBERS)("keeps $key within its limits", async ({ key, least, most, label }) => {
    // The two session times limit each other; the maximum of the second is valid with every value of the first.
    const base = { ...DEFAULT_POLICY, absolute_minutes: 720, idle_minutes: 5 };
    for (const value of [least, most, String(least)])
      expect((await save(owner, { ...base, [key]: value })).status).toBe(200);
    for (const value of [least - 1, most + 1, least + 0.5, null, "", `${least} days`, Number.MAX_VALUE]) {
      const refused = await save(owner, { ...base, [key]: value });
      expect([value, refused.status]).toEqual([value, 400]);
      expect((await bodyOf<{ msg: string }>(refused)).msg).toContain(label);
    }
    const { [key]: _, ...without } = base;
    expect((await save(owner, without)).status).toBe(400);
  });

  it("is refused with the name of another agency, in any letter case, with an audit row", async () => {
    const other = await newAgency();
    expect((await save(owner, DEFAULT_POLICY, ` ${other.name.toUpperCase()} `)).status).toBe(409);
    expect(await auditOf(ownerUser)).toMatchObject([
      { action: "agency.change", outcome: "refused", object: agency.id },
    ]);
    expect((await owner.post("/owner/agencies", { name: other.name })).status).toBe(409);
    expect(await auditOf(ownerUser)).toMatchObject([{ action: "agency.add", outcome: "refused" }]);
    const nowhere = jsonInit({ name: "Nowhere", policy: DEFAULT_POLICY }, { method: "PUT" });
    expect((await owner.fetch("/owner/agencies/none", nowhere)).status).toBe(404);
    expect(await auditOf(ownerUser)).toMatchObject([{ action: "agency.change", outcome: "refused" }]);
  });

  it("is refused with a name that another request takes at the same moment, with an audit row", async () => {
    const app = testApp();
    const actor = await actorOf(owner);
    const other = await newAgency();
    const name = unique("Twice Police");
    const change = { name, policy: DEFAULT_POLICY };
    for (const late of [
      (context: AppContext) => addAgency(context, actor, { name }),
      (context: AppContext) => changeAgency(context, actor, { id: other.id, change }),
    ]) {
      const rename = (to: string) =>
        bindings.DB.prepare("UPDATE agencies SET name = ? WHERE id = ?").bind(to, agency.id).run();
      await expect(late(beforeWrite(app, () => rename(name)))).rejects.toMatchObject({
        code: "conflict",
        message: "An agency with this name already exists.",
      });
      expect(await auditOf(ownerUser)).toMatchObject([{ outcome: "refused" }]);
      await rename(agency.name);
    }
  });

  it("never limits a session to less than its idle time: the minimum of one is the maximum of the other", () => {
    const limits = (key: string) => POLICY_NUMBERS.find((rule) => rule.key === key);
    expect(limits("absolute_minutes")?.least).toBeGreaterThanOrEqual(
      limits("idle_minutes")?.most ?? Infinity,
    );
  });

  it("can be changed only by the owner, with a recent proof of identity", async () => {
    const admin = await client(await newUser(agency.id, { role: "admin" }));
    expect((await save(admin, DEFAULT_POLICY)).status).toBe(403);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 11 * MINUTE);
    const stale = await save(owner, DEFAULT_POLICY);
    expect([stale.status, (await bodyOf<{ code: string }>(stale)).code]).toEqual([403, "step_up_required"]);
  });
});
