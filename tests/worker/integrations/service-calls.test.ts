import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AuditRow } from "#app/entities/oversight/audit-filter.ts";
import { auditSentence } from "#app/entities/oversight/audit-sentence.ts";
import type { ReviewDetail, ReviewPage } from "#app/entities/oversight/review-calls.ts";
import type { SearchHistory } from "#app/entities/search/history/past-search.ts";
import { at } from "#app/lib/at.ts";
import {
  anAlert,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newService,
  newUser,
  newWorld,
  pushRead,
  type ServiceClient,
  searchBody,
  type World,
} from "../../factories.ts";
import { newGroup, newPlate, plate } from "../../live.ts";

// What service accounts do on behalf of a person: searches and other lookups name the person, count as theirs, and are
// audited with both.

let world: World;
let admin: Client;
let officer: Client;
let service: ServiceClient;

beforeAll(async () => {
  world = await newWorld();
  [admin, officer] = await Promise.all([client(world.users.admin), client(world.users.officer)]);
  service = await newService(admin, {
    scopes: ["search", "investigate", "hits", "dispositions", "hotlists", "hotlist-changes", "audit"],
    per_minute: 3000,
  });
});

afterEach(() => void vi.useRealTimers());

const forPerson = (name: string, over: object = {}) => ({
  ...searchBody([world.ours.id], { plate: newPlate() }),
  on_behalf_of: name,
  ...over,
});
const by = (name: string) => `on_behalf_of=${encodeURIComponent(name)}`;
const refusalOf = async (answer: Response) => {
  const { message, field } = await bodyOf<{ message: string; field?: string }>(answer);
  return [answer.status, field, message];
};
/** The account as audit rows name it, with the user who holds its token. */
const named = () => ({ id: service.id, name: service.name, answered_by: world.users.admin.id });
const serviceOf = (row: { detail: string } | undefined) => JSON.parse(row?.detail ?? "{}").service_account;

/** Searches for a person. Returns the id of the result set. */
async function searchFor(name: string, over: object = {}): Promise<string> {
  const answer = await service.post("/search-data", forPerson(name, over));
  expect(answer.status).toBe(200);
  await answer.json();
  return answer.headers.get("odin-result-id") ?? "";
}

describe("a search by a service account", () => {
  it("is refused unless it names an active user of the agency", async () => {
    const { officer: person, stranger } = world.users;
    const disabled = await newUser(world.ours.id);
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(disabled.id).run();
    const deleted = await newUser(world.ours.id);
    await bindings.DB.prepare("UPDATE users SET deleted_at = 1 WHERE id = ?").bind(deleted.id).run();
    const { on_behalf_of: _, ...nameless } = forPerson("");
    expect(await refusalOf(await service.post("/search-data", nameless))).toEqual([
      400,
      "on_behalf_of",
      expect.stringContaining("username or work email"),
    ]);
    for (const name of [
      "nobody",
      stranger.username,
      disabled.username,
      deleted.username,
      `service:${service.name}`,
    ])
      expect(await refusalOf(await service.post("/search-data", forPerson(name)))).toEqual([
        403,
        "on_behalf_of",
        `on_behalf_of names no active user of the service account's agency: ${name}`,
      ]);
    for (const name of [7, ["a"], { a: 1 }, "x".repeat(300)])
      expect((await service.post("/search-data", { ...nameless, on_behalf_of: name })).status).toBe(400);
    const two = { ...forPerson(person.username) };
    expect((await service.post(`/search-data?${by(world.users.colleague.username)}`, two)).status).toBe(400);
    const [row] = await auditOf({ username: `service:${service.name}` });
    expect(row).toMatchObject({ action: "access", outcome: "refused", object: "/search-data" });
  });

  it("may name a work email, if only one active user has it", async () => {
    const email = `Shared.${newPlate()}@Police.example`;
    const first = await newUser(world.ours.id, { email });
    expect(await searchFor(email.toUpperCase())).not.toBe("");
    expect((await auditOf(first, 2)).map(({ action }) => action)).toEqual(["search", "search.finished"]);
    // A user with the same address in another agency is not a conflict; one in the same agency is.
    await newUser(world.theirs.id, { email });
    await searchFor(email);
    await newUser(world.ours.id, { email });
    const [status, , message] = await refusalOf(await service.post("/search-data", forPerson(email)));
    expect([status, message]).toEqual([403, expect.stringContaining("more than one user")]);
    await searchFor(first.username);
  });

  it("is for the user with that username, not for one with that email address", async () => {
    const name = `${newPlate().toLowerCase()}@police.example`;
    const named = await newUser(world.ours.id, { username: name, email: "named@police.example" });
    const other = await newUser(world.ours.id, { email: name });
    await searchFor(name);
    expect((await auditOf(named, 2)).map(({ action }) => action)).toEqual(["search", "search.finished"]);
    await bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(named.id).run();
    expect((await service.post("/search-data", forPerson(name))).status).toBe(403);
    expect(await auditOf(other)).toEqual([]);
  });

  it("needs both the person's permission and its own", async () => {
    const { officer: person, admin: boss } = world.users;
    const body = { ...forPerson(person.username), plate: "AB12345" };
    const [status, field, message] = await refusalOf(await service.post("/search-convoy", body));
    expect([status, field, message]).toEqual([
      403,
      "on_behalf_of",
      expect.stringContaining("without the permission"),
    ]);
    expect((await service.post("/search-convoy", { ...body, on_behalf_of: boss.username })).status).toBe(200);
    const less = await newService(admin, { scopes: ["search"] });
    expect((await less.post("/search-convoy", { ...body, on_behalf_of: boss.username })).status).toBe(403);
  });

  it("names the account in the audit row, its sentence, the screen, the endpoint and the CSV", async () => {
    const person = world.users.officer;
    const id = await searchFor(person.username);
    const rows = await auditOf(person, 2);
    expect(rows.map(({ action, object }) => [action, object])).toEqual([
      ["search", id],
      ["search.finished", id],
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({ user_id: person.id, session_id: service.id });
      expect(serviceOf(row)).toEqual(named());
    }
    const filter = { acts: "searches", user: person.username };
    const shown = await bodyOf<{ rows: AuditRow[] }>(admin.post("/audit-log/rows", { filter }));
    const [newest] = shown.rows;
    expect(newest).toMatchObject({
      user: person.username,
      user_name: person.name,
      service_account: service.name,
    });
    expect(auditSentence(at(shown.rows, 0))).toMatch(
      new RegExp(`^Searched plate .*\\(through the service account ${service.name}\\)$`),
    );
    const documented = await bodyOf<AuditRow[]>(admin.fetch(`/admin-audit-logs-api?user=${person.username}`));
    expect(documented[0]).toMatchObject({ user: person.username, service_account: service.name });
    for (const redacted of [true, false]) {
      const file = await (await admin.post("/audit-log/export", { filter, redacted })).text();
      const [head = "", first = ""] = file.trim().split("\r\n");
      const column = head.split(",").indexOf("Service account");
      expect(column).toBeGreaterThan(0);
      expect(first).toContain(service.name);
      expect(first).toContain(person.username);
    }
  });

  it("belongs to the person: it is in their history, and only they can open its results", async () => {
    const { officer: person, colleague } = world.users;
    const number = newPlate();
    await pushRead(world.camera, { plate: number, at: Date.now() - 60_000 });
    const id = await searchFor(person.username, { plate: number });
    const { searches } = await bodyOf<SearchHistory>(officer.post("/searches-data", {}));
    expect(searches[0]).toMatchObject({ id, state: "done", reads: 1, service_account: service.name });
    expect(await bodyOf(officer.fetch(`/results/${id}/summary`))).toMatchObject({ id, count: 1 });
    expect((await (await client(colleague)).fetch(`/results/${id}/summary`)).status).toBe(404);
    for (const path of [`/results/${id}/summary`, `/results/${id}/columns`]) {
      expect((await service.fetch(`${path}?${by(person.username)}`)).status).toBe(200);
      expect((await service.fetch(`${path}?${by(colleague.username)}`)).status).toBe(404);
      expect((await service.fetch(path)).status).toBe(400);
    }
    const [viewed] = await auditOf(person);
    expect([viewed?.action, serviceOf(viewed)]).toEqual(["result-set.view", named()]);
    // A person's search history is not available to programs.
    expect((await service.post(`/searches-data?${by(person.username)}`, {})).status).toBe(403);
  });

  it("can be exported for the person; every audit row names both", async () => {
    const person = await newUser(world.ours.id);
    const number = newPlate();
    await pushRead(world.camera, { plate: number, at: Date.now() - 60_000 });
    const found = await service.post("/search-data", forPerson(person.username, { plate: number }));
    const records = (await bodyOf<{ id: string }[]>(found)).map(({ id }) => ({ id }));
    expect(records).toHaveLength(1);
    const body = { records, justification: "Stolen vehicle, case 26-1044" };
    for (const kind of ["zip", "pdf"]) {
      const path = `/export-${kind}`;
      const inBody = { ...body, on_behalf_of: world.users.colleague.username };
      expect((await refusalOf(await service.post(path, inBody)))[2]).toContain("on_behalf_of in the query");
      for (const value of [inBody.on_behalf_of, person.username, "", null, { a: 1 }])
        expect(
          await refusalOf(
            await service.post(`${path}?${by(person.username)}`, { ...body, on_behalf_of: value }),
          ),
        ).toEqual([400, "on_behalf_of", "An export takes on_behalf_of in its query, not in its body."]);
    }
    expect((await service.post("/export-zip", body)).status).toBe(400);
    const answer = await service.post(`/export-zip?${by(person.username)}`, body);
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    const path = `/exports/${answer.headers.get("odin-export-id")}/file`;
    expect((await service.fetch(`${path}?${by(person.username)}`)).status).toBe(200);
    expect((await service.fetch(`${path}?${by(world.users.officer.username)}`)).status).toBe(404);
    const rows = await auditOf(person, 3);
    expect(rows.map(({ action }) => action)).toEqual(["export", "export.finished", "export.view"]);
    for (const row of rows) expect(serviceOf(row)).toEqual(named());
  });

  it("counts toward the person's daily limit, which the response names", async () => {
    const boss = await newUser(world.ours.id, { role: "admin" });
    const own = await client(boss);
    const setLimit = (most: number) =>
      bindings.DB.prepare("UPDATE agencies SET investigations_per_day = ? WHERE id = ?")
        .bind(most, world.ours.id)
        .run();
    await setLimit(2);
    const body = forPerson(boss.username, { plate: "AB12345" });
    const first = await service.post("/search-convoy", body);
    expect([first.status, first.headers.get("ratelimit")]).toEqual([
      200,
      expect.stringMatching(/^"service-account";r=\d+;t=\d+, "investigations";r=1$/),
    ]);
    const { on_behalf_of: _, ...plain } = body;
    const second = await own.post("/search-convoy", plain);
    expect([second.status, second.headers.get("ratelimit"), second.headers.get("ratelimit-policy")]).toEqual([
      200,
      '"investigations";r=0',
      '"investigations";q=2;w=86400',
    ]);
    for (const third of [
      await own.post("/search-convoy", plain),
      await service.post("/search-convoy", body),
    ]) {
      expect(third.status).toBe(429);
      expect(third.headers.get("ratelimit")).toContain('"investigations";r=0');
      // A day after the first of the two searches.
      expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(86_000);
      expect(Number(third.headers.get("retry-after"))).toBeLessThanOrEqual(86_400);
    }
    await setLimit(20);
  });

  it("is reviewed as the person's search, and the finding shows the service account", async () => {
    const person = await newUser(world.ours.id);
    // The review covers UTC days.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await searchFor(person.username, { justification: "test" });
    expect((await admin.post("/review/examine", {})).status).toBe(200);
    const filter = { kind: "vague", user: person.username };
    const page = await bodyOf<ReviewPage>(admin.post("/review/rows", { filter }));
    expect(page.rows).toHaveLength(1);
    const finding = await bodyOf<ReviewDetail>(admin.fetch(`/review/${page.rows[0]?.id}`));
    expect(finding).toMatchObject({ username: person.username });
    expect(finding.evidence).toMatchObject([{ justification: "test", service_account: service.name }]);
  });

  it("by a user cannot name another user", async () => {
    const body = forPerson(world.users.colleague.username);
    const [status, , message] = await refusalOf(await officer.post("/search-data", body));
    expect([status, message]).toEqual([400, "Only a service account acts on behalf of a user."]);
    expect((await officer.fetch(`/exports?${by(world.users.colleague.username)}`)).status).toBe(400);
  });
});

describe("other calls of a service account", () => {
  it("list the agencies to search without their keys, also for an administrator, who sees the keys", async () => {
    const { admin: boss } = world.users;
    const less = await newService(admin, { scopes: ["search"] });
    const alone = await bodyOf<object[]>(less.fetch("/api-keys-data"));
    expect(Object.keys(alone[0] ?? {})).toEqual(["id", "agency"]);
    expect(await bodyOf(less.fetch(`/api-keys-data?${by(boss.username)}`))).toEqual(alone);
    expect((await bodyOf<object[]>(admin.fetch("/api-keys-data")))[0]).toHaveProperty("api_key");
  });

  it("read hits without a person, but must name one to look up a plate", async () => {
    const group = await newGroup(world.ours.id, []);
    const { id } = await anAlert({ id: group.id, agencyId: world.ours.id });
    const alert = await service.fetch(`/api/alerts/${id}`);
    expect(await bodyOf(alert)).toMatchObject({ id, plate: "AB12345" });
    const [row] = await auditOf({ username: `service:${service.name}` });
    expect(row).toMatchObject({ action: "alert.view", outcome: "ok", object: id, user_id: service.id });
    const list = `/alerts/group/${group.id}/data`;
    expect((await service.fetch(list)).status).toBe(200);
    expect((await service.fetch(`${list}?plate=AB1*`)).status).toBe(400);
    const { viewer, officer: person } = world.users;
    expect((await service.fetch(`${list}?plate=AB1*&${by(viewer.username)}`)).status).toBe(200);
    const [lookUp] = await auditOf(viewer);
    expect(lookUp).toMatchObject({ action: "hits.view", plate: "AB1*", object: group.id });
    expect(lookUp && serviceOf(lookUp)).toEqual(named());
    expect((await service.fetch(`${list}?plate=AB1*&${by(person.username)}`)).status).toBe(403);
    expect((await service.fetch("/admin-audit-logs-api?plate=AB12345")).status).toBe(400);
    const theirs = await newGroup(world.theirs.id, []);
    const other = await anAlert({ id: theirs.id, agencyId: world.theirs.id });
    expect((await service.fetch(`/api/alerts/${other.id}`)).status).toBe(404);
  });

  it("look up a plate with a row of their own, also right after the person did", async () => {
    const group = await newGroup(world.ours.id, []);
    const { viewer } = world.users;
    const count = `/alerts/group/${group.id}/new?latest=0&plate=AB1*`;
    expect((await (await client(viewer)).fetch(count)).status).toBe(200);
    for (const _ of ["once", "again"])
      expect((await service.fetch(`${count}&${by(viewer.username)}`)).status).toBe(200);
    const rows = (await auditOf(viewer, 3)).filter(({ object }) => object === group.id);
    expect(rows.map(serviceOf)).toEqual([undefined, named()]);
  });

  it("read the groups of other agencies that its own agency joined, as its webhooks announce them, and no others", async () => {
    const reader = await newService(admin, { scopes: ["hits"] });
    const lists = await newService(admin, { scopes: ["hotlists"] });
    const theirs = await newGroup(world.theirs.id, [plate(newPlate())]);
    const { id } = await anAlert({ id: theirs.id, agencyId: world.theirs.id });
    const own = await newGroup(world.ours.id, []);
    const archived = await anAlert({ id: own.id, agencyId: world.ours.id });
    await bindings.DB.prepare("UPDATE alert_groups SET archived_at = 1 WHERE id = ?").bind(own.id).run();
    const setState = (state: string) =>
      bindings.DB.prepare(
        "INSERT INTO alert_group_invitations (group_id, agency_id, state, invited_by, invited_at) VALUES (?, ?, ?, 'u', 1) ON CONFLICT DO UPDATE SET state = excluded.state",
      )
        .bind(theirs.id, world.ours.id, state)
        .run();
    const statuses = async () => [
      (await reader.fetch(`/api/alerts/${id}`)).status,
      (await reader.fetch(`/alerts/group/${theirs.id}/data`)).status,
      (await lists.fetch(`/alerts/group/${theirs.id}/details-data`)).status,
    ];
    expect(await statuses()).toEqual([404, 404, 404]);
    await setState("pending");
    expect(await statuses()).toEqual([404, 404, 404]);
    await setState("accepted");
    expect(await statuses()).toEqual([200, 200, 200]);
    const cards = await bodyOf<{ id: string; can_edit: boolean }[]>(reader.fetch("/alerts-data"));
    expect(cards.find((card) => card.id === theirs.id)).toMatchObject({ can_edit: false });
    // Only hotlist administrators edit groups, and see archived ones. A viewer sees those that they are a member of.
    expect((await lists.fetch(`/groups/${theirs.id}/edit-data`)).status).toBe(403);
    expect((await reader.fetch(`/api/alerts/${archived.id}`)).status).toBe(404);
    const forViewer = `/api/alerts/${id}?${by(world.users.viewer.username)}`;
    expect((await reader.fetch(forViewer)).status).toBe(404);
    await setState("withdrawn");
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  it("can record a disposition and add a plate for a person, who is named as the author", async () => {
    const { hotadmin } = world.users;
    const group = await newGroup(world.ours.id, [plate(newPlate())]);
    const { id } = await anAlert({ id: group.id, agencyId: world.ours.id });
    const decision = { disposition: "correct", note: null, known: null };
    expect((await service.post(`/api/alerts/${id}/disposition`, decision)).status).toBe(400);
    const decided = await service.post(`/api/alerts/${id}/disposition`, {
      ...decision,
      on_behalf_of: hotadmin.username,
    });
    expect(await bodyOf(decided)).toMatchObject({ disposition: "correct", disposition_by: hotadmin.name });
    const entry = { plate_number: newPlate(), reason: "Stolen", state: "CT", notes: "", group_id: group.id };
    const added = await service.fetch(
      "/hotlist/add-plate-direct",
      jsonInit({ ...entry, on_behalf_of: hotadmin.username }),
    );
    expect(added.status).toBe(200);
    const rows = await auditOf(hotadmin, 2);
    expect(rows.map(({ action }) => action)).toEqual(["alert.disposition", "plate.add"]);
    for (const row of rows) expect(serviceOf(row)).toEqual(named());
    const shown = await service.fetch(`/groups/${group.id}/edit-data`);
    expect((await bodyOf<{ plates: unknown[] }>(shown)).plates).toHaveLength(2);
  });
});
