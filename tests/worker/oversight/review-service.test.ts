import { beforeAll, describe, expect, it } from "vitest";
import { decide } from "#app/domain/oversight/review.ts";
import type { ReviewDetail, ReviewPage } from "#app/entities/oversight/review-calls.ts";
import {
  actorOf,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newService,
  newUser,
  newWorld,
  type ServiceClient,
  searchBody,
  type TestUser,
  testApp,
  type World,
} from "../../factories.ts";
import { beforeWrite } from "../../support/batches.ts";

// Searches through a service account are filed under the person that the call names. The user who holds the account's
// token made them too: they do not approve them as supervisor, and do not decide on them.

let world: World;
let boss: TestUser;
let deputy: TestUser;
let admin: Client;
let other: Client;

beforeAll(async () => {
  world = await newWorld();
  boss = world.users.admin;
  deputy = await newUser(world.ours.id, { role: "admin", name: "Dana Deputy" });
  [admin, other] = await Promise.all([client(boss), client(deputy)]);
});

const CONFIRMED = {
  justification: "Immigration status check",
  confirmation: "I confirm that this search is lawful",
  supervisor: "Lt. Robin Reyes",
};
const DECISION = { verdict: "in-order", note: "Seen with the sergeant", known: 0 };

const searchFor = (service: Pick<Client, "post">, person: TestUser, over: object = {}) =>
  service.post("/search-data", {
    ...searchBody([world.ours.id]),
    ...CONFIRMED,
    on_behalf_of: person.username,
    ...over,
  });

/** Returns the finding that a search for a prohibited purpose makes at once, as a reviewer sees it. */
async function foundOf(person: TestUser, who: Client): Promise<ReviewDetail> {
  const filter = { kind: "prohibited", user: person.username };
  const page = await bodyOf<ReviewPage>(who.post("/review/rows", { filter }));
  expect(page.rows).toHaveLength(1);
  return bodyOf<ReviewDetail>(who.fetch(`/review/${page.rows[0]?.id}`));
}

/** Returns a client with the token of a rotation by `who`; the former token works for another hour. */
async function rotated(service: ServiceClient, who: Client): Promise<Pick<Client, "post">> {
  const answer = await who.post(`/service-accounts/${service.id}/rotate`, { overlap_hours: 1 });
  const { token } = await bodyOf<{ token: string }>(answer);
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  return {
    post: (path, body) => service.fetch(path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}

describe("the user who holds a service account's token", () => {
  it("is in the audit row of its calls", async () => {
    const person = await newUser(world.ours.id);
    const service = await newService(admin);
    expect((await searchFor(service, person)).status).toBe(200);
    const [row] = (await auditOf(person, 2)).filter(({ action }) => action === "search");
    expect(JSON.parse(row?.detail ?? "{}").service_account).toEqual({
      id: service.id,
      name: service.name,
      answered_by: boss.id,
    });
  });

  it("is not named as supervisor of a search for a prohibited purpose", async () => {
    const person = await newUser(world.ours.id);
    const service = await newService(admin);
    for (const supervisor of [boss.name, boss.username.toUpperCase(), person.name]) {
      const refused = await searchFor(service, person, { supervisor });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({
        code: "confirmation_required",
        field: "supervisor",
        problems: { supervisor: "Name a supervisor, not yourself." },
      });
    }
    expect((await searchFor(service, person, { supervisor: deputy.name })).status).toBe(200);
  });

  it("does not decide on what was searched with it; the text names who may", async () => {
    const person = await newUser(world.ours.id, { role: "admin" });
    expect((await searchFor(await newService(admin), person)).status).toBe(200);
    const finding = await foundOf(person, admin);
    expect(finding.barred).toMatch(/^You are responsible for a service account that made some of these/);
    expect(finding.barred).toContain(deputy.name);
    expect(finding.barred).not.toContain(person.name);
    const refused = await admin.post(`/review/${finding.id}/decide`, DECISION);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ msg: finding.barred });
    expect(await auditOf(boss)).toMatchObject([{ action: "review.decide", outcome: "refused" }]);
    expect((await foundOf(person, await client(person))).barred).toMatch(/^These are your own searches/);
    expect((await foundOf(person, other)).barred).toBe("");
    expect((await other.post(`/review/${finding.id}/decide`, DECISION)).status).toBe(200);
  });

  it("decides on searches with a token that only a colleague holds, but never on their own token's", async () => {
    const [former, later] = [await newUser(world.ours.id), await newUser(world.ours.id)];
    const service = await newService(admin);
    const successor = await rotated(service, other);
    expect((await searchFor(service, former)).status).toBe(200);
    expect((await searchFor(successor, later)).status).toBe(200);
    expect((await foundOf(former, admin)).barred).not.toBe("");
    expect((await foundOf(former, other)).barred).toBe("");
    expect((await foundOf(later, admin)).barred).toBe("");
    expect((await foundOf(later, other)).barred).not.toBe("");
  });

  it("does not decide if the daily review adds such a search at the same moment", async () => {
    const person = await newUser(world.ours.id);
    const reviewer = await client(await newUser(world.ours.id, { role: "admin" }));
    expect((await searchFor(await newService(admin), person)).status).toBe(200);
    const { id } = await foundOf(person, reviewer);
    const actor = await actorOf(reviewer);
    const adding = bindings.DB.prepare(
      "UPDATE review_evidence SET answered_by = ? WHERE finding_id = ?",
    ).bind(actor.userId, id);
    const racing = beforeWrite(testApp(), () => adding.run());
    await expect(
      decide(racing, actor, { id, decision: { ...DECISION, verdict: "in-order" } }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect((await foundOf(person, other)).decisions).toBe(0);
  });

  it("does not decide on what the daily review finds either", async () => {
    const person = await newUser(world.ours.id);
    const service = await newService(admin);
    expect((await searchFor(service, person, { justification: "test" })).status).toBe(200);
    expect((await admin.post("/review/examine", {})).status).toBe(200);
    const filter = { kind: "vague", user: person.username };
    const { rows } = await bodyOf<ReviewPage>(admin.post("/review/rows", { filter }));
    expect((await admin.post(`/review/${rows[0]?.id}/decide`, DECISION)).status).toBe(403);
    expect((await other.post(`/review/${rows[0]?.id}/decide`, DECISION)).status).toBe(200);
  });
});
