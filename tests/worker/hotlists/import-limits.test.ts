import { beforeEach, describe, expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { bulkUpload } from "#app/domain/hotlists/bulk-upload.ts";
import { createGroup } from "#app/domain/hotlists/group-changes.ts";
import { continueImport, reloadImport, sweepImports } from "#app/domain/hotlists/import-work.ts";
import { applyImport, cancelImport, latestImport, startImport } from "#app/domain/hotlists/imports.ts";
import { mapImport } from "#app/domain/hotlists/mappings.ts";
import { addPlate } from "#app/domain/hotlists/plate-changes.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { AddPlate, GroupForm, ImportOptions } from "#app/entities/hotlists/calls.ts";
import type { Job } from "#app/entities/operations/job.ts";
import { DAY, MINUTE } from "#app/lib/time/dates.ts";
import {
  bindings,
  newAgency,
  newUser,
  quietApp,
  sessionActorOf,
  setExpiryDays,
  testApp,
  unique,
} from "../../factories.ts";
import { dyingWorker, withBatches } from "../../support/batches.ts";
import { expectLogged } from "../../support/quiet-console.ts";

const encoder = new TextEncoder();
let actor: SessionActor;
let groupId: string;

beforeEach(async () => {
  const agency = await newAgency();
  await setExpiryDays(agency.id, 30);
  actor = sessionActorOf(await newUser(agency.id, { hotlistAdmin: true }), agency.name);
  const form = GroupForm.parse({ group_name: "Stolen" });
  groupId = (await createGroup(quietApp(Date.now), actor, { form, image: null, plates: [] })).group_id;
});

const PLATES = 100_000;

/** Five bytes a line: more rows than any other file in each block that is read. */
const FILE = encoder.encode(
  Array.from({ length: PLATES }, (_, i) => (36 ** 3 + i).toString(36).toUpperCase()).join("\n"),
);

/** D1 accepts no larger text; the local database does. */
const MAX_TEXT = 2_000_000;

/** Returns the context with a database that fails a batch as D1 does if one of its texts is too large. */
function withLimit(app: AppContext): AppContext {
  type Query = { params: unknown[] };
  type Built = { getQuery?: () => Query; toSQL: () => Query };
  return withBatches(app, async (run, statements) => {
    const queries = (statements as Built[]).map((one) => one.getQuery?.() ?? one.toSQL());
    for (const param of queries.flatMap(({ params }) => params))
      if (typeof param === "string" && param.length > MAX_TEXT)
        throw new Error("string or blob too big: SQLITE_TOOBIG");
    return run(statements);
  });
}

it("confirms a list of short plates that one block of the file names", async () => {
  const app = withLimit(quietApp(() => Date.now()));
  const importList = async () => {
    const options = ImportOptions.parse({ preset: "columns" });
    const { id } = await startImport(app, actor, { groupId, options, body: FILE, size: FILE.length });
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    const layout = {
      kind: "delimited" as const,
      delimiter: "," as const,
      header: 0,
      parts: [{ field: "plate" as const, column: 0 }],
      reason: "Stolen",
    };
    await mapImport(app, actor, { groupId, id, layout });
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    return { ...(await latestImport(app, actor, groupId)), id };
  };
  const first = await importList();
  expect(first).toMatchObject({ state: "ready", rows: PLATES, added: PLATES });
  await applyImport(app, actor, { groupId, id: first.id });
  await continueImport(app, first.id, { ms: Number.POSITIVE_INFINITY });
  expect(await importList()).toMatchObject({ state: "ready", rows: PLATES, unchanged: PLATES });
});

/** Returns a context whose prepared statements are counted: D1 allows 1,000 per invocation. */
function counting(): { app: AppContext; queries: () => number } {
  let queries = 0;
  const DB = new Proxy(bindings.DB, {
    get(target, name) {
      if (name === "prepare") queries += 1;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const app = { ...testApp(Date.now, { DB }), jobs: quietApp(Date.now).jobs };
  return { app, queries: () => queries };
}

/** Adds a plate after many others were added to other groups. */
async function addFarAway(plate_number: string): Promise<void> {
  await bindings.DB.prepare(
    "UPDATE sqlite_sequence SET seq = seq + 20000000 WHERE name = 'hotlist_entries'",
  ).run();
  const call = AddPlate.parse({ plate_number, reason: "Stolen", state: "CT", group_id: groupId });
  await addPlate(quietApp(Date.now), actor, call);
}

const listed = async () =>
  (await pagePlates(quietApp(Date.now), actor, { groupId })).plates.map((plate) => plate.plate_number);
const csv = (...plates: string[]) =>
  encoder.encode(["plate,state,reason", ...plates.map((plate) => `${plate},CT,Stolen`)].join("\n"));
const fileOf = (...plates: string[]) => ({ name: "plates.csv", bytes: csv(...plates) });

describe("an upload that replaces a list", () => {
  beforeEach(async () => {
    for (const plate of ["AA1", "BB2", "CC3"]) await addFarAway(plate);
  });

  it("makes few queries, however many plates other groups have", async () => {
    await addFarAway("DD4");
    const { app, queries } = counting();
    const file = fileOf("BB2", "CC3", "EE5");
    expect(await bulkUpload(app, actor, { groupId, mode: "replace", file })).toBe(
      "1 plate added, 2 unchanged, 0 conflicting, 2 removed.",
    );
    expect(queries()).toBeLessThan(80);
    expect(await listed()).toEqual(["BB2", "CC3", "EE5"]);
    const { results } = await bindings.DB.prepare(
      "SELECT plate, removed_at IS NOT NULL AS removed FROM hotlist_entries WHERE group_id = ? ORDER BY plate",
    )
      .bind(groupId)
      .all();
    expect(results.map(({ plate, removed }) => `${plate} ${removed}`)).toEqual([
      "AA1 1",
      "BB2 0",
      "CC3 0",
      "DD4 1",
      "EE5 0",
    ]);
  });

  it.each(["the file is read", "the lists are compared", "it is applied"])(
    "and fails when %s changes nothing and does not keep others from starting",
    async (step) => {
      const app = quietApp(Date.now);
      let batches = 0;
      const failing = withBatches(app, async (run, statements) => {
        batches += 1;
        // The first one opens the import.
        if (batches === ["the file is read", "the lists are compared", "it is applied"].indexOf(step) + 2)
          throw new Error("D1 is overloaded");
        return run(statements);
      });
      const upload = { groupId, mode: "replace" as const, file: fileOf("BB2", "EE5") };
      await expect(bulkUpload(failing, actor, upload)).rejects.toThrow("D1 is overloaded");
      expect(await latestImport(app, actor, groupId)).toMatchObject({ state: "cancelled" });
      expect(await listed()).toEqual(["AA1", "BB2", "CC3"]);
      await bulkUpload(app, actor, upload);
      expect(await listed()).toEqual(["BB2", "EE5"]);
    },
  );
});

it.each(["disabled_at = 1", "hotlist_admin = 0"])(
  "an upload changes nothing if its user loses the right while it is compared with the list: %s",
  async (lost) => {
    await addFarAway("AA1");
    const app = withBatches(quietApp(Date.now), async (run, statements) => {
      await bindings.DB.prepare(`UPDATE users SET ${lost} WHERE id = ?`).bind(actor.userId).run();
      return run(statements);
    });
    const upload = { groupId, mode: "replace" as const, file: fileOf("BB2") };
    await expect(bulkUpload(app, actor, upload)).rejects.toMatchObject({ code: "forbidden" });
    expect(await latestImport(app, actor, groupId)).toMatchObject({ state: "cancelled" });
    expect(await listed()).toEqual(["AA1"]);
  },
);

describe("an upload whose worker dies", () => {
  it.each([
    ["before the file is read", 1],
    ["after the file is read", 2],
    ["after the lists are compared", 3],
  ])("%s is ended within minutes, and keeps no other from starting", async (_, survived) => {
    await addFarAway("AA1");
    let now = Date.now();
    const app = quietApp(() => now);
    let batches = 0;
    const dying = withBatches(app, async (run, statements) => {
      batches += 1;
      if (batches > survived) throw new Error("the worker died");
      return run(statements);
    });
    const upload = { groupId, mode: "replace" as const, file: fileOf("BB2") };
    expectLogged(/could not be canceled/);
    await expect(bulkUpload(dying, actor, upload)).rejects.toThrow("the worker died");
    const { id } = (await latestImport(app, actor, groupId)) ?? { id: "" };
    now += 3 * MINUTE;
    await sweepImports(app);
    await continueImport(app, id);
    expect(await latestImport(app, actor, groupId)).toMatchObject({
      state: "failed",
      message: "The upload was interrupted. Nothing was changed. Send the file again.",
    });
    expect(await listed()).toEqual(["AA1"]);
    expect(await bulkUpload(app, actor, upload)).toContain("1 plate added");
    expect(await latestImport(app, actor, groupId)).toMatchObject({ state: "applied", message: "" });
    expect(await listed()).toEqual(["BB2"]);
  });
});

describe("the sweep of stalled imports", () => {
  /** Creates imports that no worker continues, of groups that do not exist. Returns their ids. */
  async function stall(many: number, at: number): Promise<string[]> {
    const prefix = unique("stalled");
    await bindings.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO hotlist_imports (id, group_id, agency_id, user_id, username, user_name, agency_name, file_name, size,
        preset, mode, on_conflict, state, version, first_entry_id, created_at, updated_at)
      SELECT ?2 || i, ?2 || i, 'a', 'u', 'u', 'u', 'a', 'f', 1, 'p', 'replace', 'keep', 'reading', 1, 1, ?3, ?3 FROM n`,
    )
      .bind(many, prefix, at)
      .run();
    return Array.from({ length: many }, (_, i) => `${prefix}${i + 1}`);
  }

  /** Returns a context whose queue does not accept messages of some imports, and the messages that it was asked to take. */
  function withJobs(clock: () => number, refuses: (id: string) => boolean = () => false) {
    const asked: string[] = [];
    const quiet = quietApp(clock);
    const send = async (job: Job) => {
      const id = job.type === "hotlist-import" ? job.id : "";
      asked.push(id);
      if (refuses(id)) throw new Error("the queue does not answer");
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    };
    return { app: { ...quiet, jobs: { ...quiet.jobs, send } } as AppContext, asked };
  }

  it("reaches every import, although others fail each time", async () => {
    let now = Date.now() + DAY;
    const ids = await stall(60, now - 3 * MINUTE);
    const failing = new Set(ids.slice(0, 30));
    const { app, asked } = withJobs(
      () => now,
      (id) => failing.has(id),
    );
    for (let run = 0; run < 4; run++, now += 5 * MINUTE) await sweepImports(app).catch(() => {});
    expect(ids.filter((id) => !asked.includes(id))).toEqual([]);
    await bindings.DB.prepare("DELETE FROM hotlist_imports WHERE id IN (SELECT value FROM json_each(?))")
      .bind(JSON.stringify(ids))
      .run();
  });

  it("queues one that does not continue with growing pauses, and again at once after it has continued", async () => {
    let now = Date.now() + DAY;
    const [id = ""] = await stall(1, now);
    const { app, asked } = withJobs(() => now);
    const messagesIn = async (minutes: number) => {
      asked.length = 0;
      for (const end = now + minutes * MINUTE; now < end; ) {
        now += 5 * MINUTE;
        await sweepImports(app);
      }
      return asked.filter((one) => one === id).length;
    };
    expect(await messagesIn(5)).toBe(1);
    expect(await messagesIn(55)).toBe(3);
    expect(await messagesIn(240)).toBe(4);
    await bindings.DB.prepare("UPDATE hotlist_imports SET updated_at = ? WHERE id = ?").bind(now, id).run();
    expect(await messagesIn(10)).toBe(2);
    await bindings.DB.prepare("DELETE FROM hotlist_imports WHERE id = ?").bind(id).run();
  });
});

describe("a message of an import", () => {
  it("hands over to the next message after a limited number of queries, in every state", async () => {
    for (const plate of ["AA1", "BB2"]) await addFarAway(plate);
    const jobs: Job[] = [];
    const quiet = quietApp(Date.now);
    const send = async (job: Job) => {
      jobs.push(job);
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    };
    const app = { ...quiet, jobs: { ...quiet.jobs, send } } as AppContext;
    const states: string[] = [];
    const run = async () => {
      for (let job = jobs.shift(); job?.type === "hotlist-import"; job = jobs.shift()) {
        await continueImport(app, job.id, { queries: 2 });
        states.push((await reloadImport(app, job.id)).state);
      }
    };
    const start = async (body: Uint8Array<ArrayBuffer>) => {
      const options = ImportOptions.parse({ mode: "replace" });
      return (await startImport(app, actor, { groupId, options, body, size: body.length })).id;
    };
    const id = await start(csv("BB2", "CC3"));
    await run();
    await applyImport(app, actor, { groupId, id });
    await run();
    const other = await start(csv("DD4"));
    await run();
    await cancelImport(app, actor, { groupId, id: other });
    await run();
    expect(states).toEqual([...["comparing", "ready", "applied"], ...["comparing", "ready", "cancelled"]]);
    expect(await listed()).toEqual(["BB2", "CC3"]);
  });
});

it("an import is not applied once the agency's policy gives its plates another expiry", async () => {
  const app = quietApp(Date.now);
  const body = csv("AA1");
  const start = async () => {
    const { id } = await startImport(app, actor, {
      groupId,
      options: ImportOptions.parse({}),
      body,
      size: body.length,
    });
    await continueImport(app, id, { ms: Number.POSITIVE_INFINITY });
    return id;
  };
  const id = await start();
  await setExpiryDays(actor.agencyId, 7);
  await expect(applyImport(app, actor, { groupId, id })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("Cancel this import and upload the file again."),
  });
  expect(await listed()).toEqual([]);
  await cancelImport(app, actor, { groupId, id });
  await continueImport(app, id);
  const again = await start();
  await applyImport(app, actor, { groupId, id: again });
  await continueImport(app, again);
  const [plate] = (await pagePlates(app, actor, { groupId })).plates;
  expect(Date.parse(plate?.expires_at ?? "")).toBeLessThan(Date.now() + 8 * DAY);
});

describe("an import whose calls fail after its state is stored", () => {
  const body = csv("AA1", "BB2");
  const upload = () => ({ groupId, options: ImportOptions.parse({}), body, size: body.length });

  it("begins, and has its file, if the answer of its start is lost", async () => {
    const { id } = await startImport(dyingWorker(quietApp(Date.now), { isWritten: true }), actor, upload());
    expect(await bindings.IMPORTS.head(`imports/${id}`)).not.toBeNull();
  });

  it("leaves no file if its start was not stored", async () => {
    const before = (await bindings.IMPORTS.list()).objects.length;
    const dying = dyingWorker(quietApp(Date.now), { isWritten: false });
    await expect(startImport(dying, actor, upload())).rejects.toThrow("the worker died");
    expect((await bindings.IMPORTS.list()).objects).toHaveLength(before);
  });

  it("is reported as started and applied although the queue refuses its messages", async () => {
    expectLogged(/which the sweep queues again/);
    const quiet = quietApp(Date.now);
    const send = () => Promise.reject(new Error("the queue is not reachable"));
    const app = { ...quiet, jobs: { ...quiet.jobs, send } } as AppContext;
    const { id } = await startImport(app, actor, upload());
    await continueImport(quiet, id, { ms: Number.POSITIVE_INFINITY });
    expect(await applyImport(app, actor, { groupId, id })).toMatchObject({ state: "renewing", added: 2 });
  });

  it("is reported as mapped although the queue refuses its message", async () => {
    expectLogged(/which the sweep queues again/);
    const quiet = quietApp(Date.now);
    const send = () => Promise.reject(new Error("the queue is not reachable"));
    const app = { ...quiet, jobs: { ...quiet.jobs, send } } as AppContext;
    const options = ImportOptions.parse({ preset: "columns" });
    const { id } = await startImport(quiet, actor, { ...upload(), options });
    await continueImport(quiet, id, { ms: Number.POSITIVE_INFINITY });
    const layout = {
      kind: "delimited" as const,
      delimiter: "," as const,
      header: 1,
      parts: [{ field: "plate" as const, column: 0 }],
      reason: "Stolen",
    };
    expect(await mapImport(app, actor, { groupId, id, layout })).toMatchObject({ state: "reading" });
  });

  it("is reported as applied by an upload although the rest of its work has to be continued later", async () => {
    expectLogged(/continued later/);
    const app = withBatches(quietApp(Date.now), async (run, statements) => {
      const row = "SELECT count(*) AS n FROM hotlist_imports WHERE group_id = ? AND state = 'renewing'";
      const applied = await bindings.DB.prepare(row).bind(groupId).first("n");
      if (applied === 1) throw new Error("D1_ERROR: overloaded");
      return run(statements);
    });
    const message = await bulkUpload(app, actor, { groupId, file: fileOf("AA1", "BB2"), mode: "add" });
    expect(message).toMatch(/^2 plates added/);
  });
});
