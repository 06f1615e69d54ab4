import { inject } from "vitest";
import { startBackup } from "#app/domain/operations/backups.ts";
import { keepFailedJobs } from "#app/domain/operations/dead-letter-queue.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { DAY, HOUR, isoTime, utcDay } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { axonCredentials } from "../../../workers/vendors/credentials.ts";
import {
  actorOf,
  bindings,
  client,
  formInit,
  jsonInit,
  newUser,
  pushRead,
  quietApp,
  searchBody,
  setUpPart,
  type TestUser,
  testApp,
  unique,
  vendors,
} from "../../factories.ts";
import { emptyArchive } from "../archive.ts";
import { withJobs } from "../backup.ts";
import {
  type Acts,
  ask,
  askAnonymously,
  DELETE,
  type MakeAct,
  newPlate,
  POST,
  type Scene,
  told,
} from "./scene.ts";

const run = (sql: string, ...values: unknown[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();
const put = (body: object) => jsonInit(body, { method: "PUT" });
const csv = (text: string) => formInit({ file: new File([text], "rows.csv") });

/** A user of our agency who is signed in. */
async function signedIn({ world }: Scene): Promise<TestUser> {
  const user = await newUser(world.ours.id);
  await client(user);
  return user;
}

const newUserBody = () => ({
  username: unique("user"),
  name: "Pat Example",
  email: "pat@x.example",
  role: "user",
  password: "Willow-Kettle-38",
});

/** Returns an act of an administrator on a user of the same agency. */
const onUser =
  (path: string, init: RequestInit, row: string): MakeAct =>
  async (scene) => {
    const { id } = await signedIn(scene);
    return { who: scene.admin, path: `${path}/${id}`, init, rows: [row], own: true };
  };

const newKeyBody = () => ({
  agency: unique("Agency"),
  api_key: unique("key-of-ours"),
  base_url: vendors.url,
});
const newKey = async ({ admin }: Scene) => (await told(admin, "/add-api-key", jsonInit(newKeyBody()))).id;
const newCameraBody = () => ({ name: unique("camera"), latitude: 41.7, longitude: -72.6 });
const newCamera = async ({ admin }: Scene) =>
  (await told(admin, "/axis-cameras", jsonInit(newCameraBody()))).id;

const newOutgoingBody = () => ({
  name: unique("receiver"),
  url: `${vendors.url}/receiver/${unique("receiver")}`,
  events: ["hit"],
});
const newOutgoing = async ({ admin }: Scene) =>
  (await told(admin, "/outgoing-webhooks", jsonInit(newOutgoingBody()))).id ?? "";

/** Returns an act of an administrator on an outgoing webhook of the agency. */
const onOutgoing =
  (path: string, init: () => RequestInit, row: string): MakeAct =>
  async (scene) => ({
    who: scene.admin,
    path: `/outgoing-webhooks/${await newOutgoing(scene)}${path}`,
    init: init(),
    rows: [row],
    own: true,
  });

const newServiceBody = () => ({ name: unique("service"), scopes: ["search"] });

/** Returns an act of an administrator on a service account of the agency. */
const onService =
  (path: string, init: () => RequestInit, row: string): MakeAct =>
  async (scene) => ({
    who: scene.admin,
    path: `/service-accounts/${(await told(scene.admin, "/service-accounts", jsonInit(newServiceBody()))).id}${path}`,
    init: init(),
    rows: [row],
    own: true,
  });

/** A webhook with a delivery that failed. */
async function failedOutgoing(scene: Scene): Promise<string> {
  const id = await newOutgoing(scene);
  await run(
    `INSERT INTO outgoing_deliveries (id, webhook_id, event, event_key, group_id, state, created_at, updated_at)
     VALUES (?1, ?2, 'hit', ?1, 'g', 'failed', 1, 1)`,
    unique("msg"),
    id,
  );
  return id;
}

async function axonBody() {
  const { clientId, clientSecret, partnerId } = await axonCredentials(
    inject("vendors").secret,
    "new-haven-pd",
  );
  const base_url = `${vendors.url}/axon/new-haven-pd`;
  return { client_id: clientId, secret_id: clientSecret, partner_id: partnerId, base_url };
}

async function withoutAxon({ world }: Scene): Promise<void> {
  await run("DELETE FROM axon_integrations WHERE agency_id = ?", world.ours.id);
}

async function withAxon(scene: Scene): Promise<void> {
  await withoutAxon(scene);
  await told(scene.admin, "/add-axon-integration", jsonInit(await axonBody()));
}

const holdBody = () => ({
  case_number: unique("26"),
  reason: "Evidence for the trial",
  plates: newPlate(),
  start: isoTime(Date.now() - DAY),
  end: isoTime(Date.now()),
});

const onHold =
  (what: string, row: string, isActive = false): MakeAct =>
  async ({ admin, owner }) => {
    const { id } = await told(admin, "/legal-holds/request", jsonInit(holdBody()));
    if (isActive) await told(owner, `/legal-holds/${id}/approve`);
    return { who: owner, path: `/legal-holds/${id}/${what}`, init: POST, rows: [row], own: true };
  };

async function transparencyPage({ admin, world }: Scene, published?: boolean): Promise<object> {
  await run("DELETE FROM figure_pages WHERE agency_id = ?", world.ours.id);
  const { slugs } = await told<{ slugs: string[] }>(admin, "/public-figures-data", {});
  const page = { slug: slugs[0], introduction: "What we do.", contact: "records@police.example" };
  if (published === undefined) return page;
  await told(admin, "/public-figures-data", put(page));
  if (published) await told(admin, "/public-figures/publish");
  return page;
}

async function buried(type: string): Promise<string> {
  const id = unique("message");
  const message = { id, body: { v: 1, type, id: unique("thing") }, attempts: 6, timestamp: new Date() };
  await keepFailedJobs(testApp(), { queue: "odin-jobs-dead", messages: [message] });
  return id;
}

/** Adds a search that a reviewer would examine to the audit log. Returns its sequence number. */
async function vagueSearch({ world }: Scene): Promise<number> {
  const { colleague } = world.users;
  const app = testApp();
  const entry = {
    at: Date.now(),
    agencyId: colleague.agencyId,
    userId: colleague.id,
    username: colleague.username,
    sessionId: "s",
    ip: "192.0.2.1",
    userAgent: "",
    action: "search",
    outcome: "ok",
    plate: newPlate(),
    detail: { query: { justification: "test" } },
  } as const;
  await inOneStep(app.db, [insertAudit(app.db, entry)]);
  return (await bindings.DB.prepare("SELECT max(seq) AS seq FROM audit_log").first<number>("seq")) ?? 0;
}

async function results({ officer, world }: Scene): Promise<{ records: { id: string }[] }> {
  const plate = newPlate();
  await pushRead(world.camera, { plate, at: Date.now() - 60_000 }, askAnonymously);
  const rows = await told<{ id: string }[]>(
    officer,
    "/search-data",
    jsonInit(searchBody([world.ours.id], { plate })),
  );
  return { records: rows.map(({ id }) => ({ id })) };
}

/** Returns the id of a search of the officer. */
async function newSearch({ officer, world }: Scene): Promise<string> {
  const { headers } = await ask(officer, "/search-data", jsonInit(searchBody([world.ours.id])));
  return headers.get("odin-result-id") ?? "";
}

const exportOf =
  (path: string): MakeAct =>
  async (scene) => ({
    who: scene.officer,
    path,
    init: jsonInit({ ...(await results(scene)), justification: "Stolen vehicle, case 26-1044" }),
    rows: ["export", "export.finished"],
    own: true,
  });

const noBackupRuns = () => run("UPDATE backup_runs SET state = 'cancelled' WHERE state = 'running'");

export const ADMINISTRATION_ACTS: Acts = {
  // Users
  "POST /admin/add-user": async ({ admin }) => ({
    who: admin,
    path: "/admin/add-user",
    init: jsonInit(newUserBody()),
    rows: ["user.add"],
  }),
  "POST /owner/add-user": async ({ owner, world }) => ({
    who: owner,
    path: "/owner/add-user",
    init: jsonInit({ ...newUserBody(), agency_id: world.theirs.id }),
    rows: ["user.add"],
  }),
  "POST /bulk-upload-users": async ({ admin }) => ({
    who: admin,
    path: "/bulk-upload-users",
    init: csv(`username,name,email,role\n${unique("user")},Pat Example,pat@x.example,user\n`),
    rows: ["user.add", "user.upload"],
  }),
  "POST /admin/reset-user-password": async (scene) => ({
    who: scene.admin,
    path: "/admin/reset-user-password",
    init: jsonInit({ user_id: (await signedIn(scene)).id }),
    rows: ["password.reset"],
    own: true,
  }),
  "POST /owner/reset-user-password": async (scene) => ({
    who: scene.owner,
    path: "/owner/reset-user-password",
    init: jsonInit({ user_id: (await signedIn(scene)).id }),
    rows: ["password.reset"],
  }),
  "PUT /admin/toggle-role/:id": onUser("/admin/toggle-role", put({ new_role: "admin" }), "user.role"),
  "DELETE /admin/delete-user/:id": onUser("/admin/delete-user", DELETE, "user.delete"),
  "PUT /admin/disable-user/:id": onUser("/admin/disable-user", put({ disabled: true }), "user.disable"),
  "POST /admin/unlock-user/:id": async (scene) => {
    const { id } = await signedIn(scene);
    await run("UPDATE users SET locked_at = 1 WHERE id = ?", id);
    return {
      who: scene.admin,
      path: `/admin/unlock-user/${id}`,
      init: POST,
      rows: ["user.unlock"],
      own: true,
    };
  },
  "POST /admin/reset-second-factor/:id": onUser("/admin/reset-second-factor", POST, "second-factor.remove"),
  "POST /admin/end-sessions/:id": onUser("/admin/end-sessions", POST, "session.end"),
  // Agencies
  "POST /owner/agencies": async ({ owner }) => ({
    who: owner,
    path: "/owner/agencies",
    init: jsonInit({ name: unique("Agency") }),
    rows: ["agency.add"],
  }),
  "PUT /owner/agencies/:id": async ({ owner, world }) => ({
    who: owner,
    path: `/owner/agencies/${world.theirs.id}`,
    init: put({ name: unique("Renamed"), policy: DEFAULT_POLICY }),
    rows: ["agency.change"],
  }),
  // Searches and exports
  "POST /search-data": async ({ officer, world }) => ({
    who: officer,
    path: "/search-data",
    init: jsonInit(searchBody([world.ours.id], { plate: newPlate() })),
    rows: ["search", "search.finished"],
    own: true,
  }),
  "POST /search-places": async ({ admin, world }) => ({
    who: admin,
    path: "/search-places",
    init: jsonInit({
      ...searchBody([world.ours.id]),
      places: [3, 2].map((hours) => ({
        area: { kind: "cameras", cameras: [`axis:${world.camera.id}`] },
        start_time: isoTime(Date.now() - hours * HOUR),
        end_time: isoTime(Date.now() - (hours - 0.5) * HOUR),
      })),
    }),
    rows: ["search-places", "search-places.finished"],
    own: true,
  }),
  "POST /search-convoy": async ({ admin, world }) => ({
    who: admin,
    path: "/search-convoy",
    init: jsonInit(searchBody([world.ours.id], { plate: newPlate() })),
    rows: ["search-convoy", "search-convoy.finished"],
    own: true,
  }),
  "PATCH /searches/:id": async (scene) => ({
    who: scene.officer,
    path: `/searches/${await newSearch(scene)}`,
    init: jsonInit({ name: "Silver Honda", pinned: true }, { method: "PATCH" }),
    rows: ["saved-search.save"],
    own: true,
  }),
  "DELETE /searches/:id": async (scene) => {
    const path = `/searches/${await newSearch(scene)}`;
    await told(scene.officer, path, jsonInit({ pinned: true }, { method: "PATCH" }));
    return { who: scene.officer, path, init: DELETE, rows: ["saved-search.remove"], own: true };
  },
  "POST /export-pdf": exportOf("/export-pdf"),
  "POST /export-zip": exportOf("/export-zip"),
  "DELETE /exports/:id": async (scene) => {
    const { init } = await exportOf("/export-zip")(scene);
    const { headers } = await ask(scene.officer, "/export-zip", init);
    return {
      who: scene.officer,
      path: `/exports/${headers.get("odin-export-id")}`,
      init: DELETE,
      rows: ["export.removed"],
      own: true,
    };
  },
  // The audit log and its review
  "POST /audit-log/rows": async ({ admin }) => ({
    who: admin,
    path: "/audit-log/rows",
    init: jsonInit({ filter: {} }),
    rows: ["audit.view"],
    looks: true,
  }),
  "POST /audit-log/export": async ({ admin }) => ({
    who: admin,
    path: "/audit-log/export",
    init: jsonInit({ filter: {}, redacted: true }),
    rows: ["audit.export"],
    looks: true,
  }),
  "POST /audit-log/verify": async ({ admin }) => ({
    who: admin,
    path: "/audit-log/verify",
    init: jsonInit({ agency: "", after: 0 }),
    rows: ["audit.verify"],
    looks: true,
  }),
  "POST /review/rows": async ({ admin }) => ({
    who: admin,
    path: "/review/rows",
    init: jsonInit({}),
    rows: ["review.view"],
    looks: true,
  }),
  "POST /review/examine": async (scene) => {
    await vagueSearch(scene);
    return { who: scene.admin, path: "/review/examine", init: jsonInit({}), rows: ["review.examine"] };
  },
  "POST /review/:id/decide": async (scene) => {
    const seq = await vagueSearch(scene);
    const { colleague } = scene.world.users;
    const id = unique("finding");
    await run(
      `INSERT INTO review_findings (id, agency_id, kind, user_id, username, day, first_at, last_at, searches, created_at)
      VALUES (?, ?, 'vague', ?, ?, ?, ?, ?, 1, ?)`,
      ...[id, colleague.agencyId, colleague.id, colleague.username],
      ...[utcDay(Date.now()), Date.now(), Date.now(), Date.now()],
    );
    await run(
      "INSERT INTO review_evidence (seq, kind, finding_id, at, reason) VALUES (?, 'vague', ?, ?, 'Vague.')",
      seq,
      id,
      Date.now(),
    );
    return {
      who: scene.admin,
      path: `/review/${id}/decide`,
      init: jsonInit({ verdict: "in-order", note: "Nothing to see", known: 0 }),
      rows: ["review.decide"],
      own: true,
    };
  },
  "POST /legal-holds/request": async ({ admin }) => ({
    who: admin,
    path: "/legal-holds/request",
    init: jsonInit(holdBody()),
    rows: ["legal-hold.request"],
  }),
  "POST /legal-holds/:id/approve": onHold("approve", "legal-hold.approve"),
  "POST /legal-holds/:id/refuse": onHold("refuse", "legal-hold.refuse"),
  "POST /legal-holds/:id/release": onHold("release", "legal-hold.release", true),
  "PUT /public-figures-data": async (scene) => ({
    who: scene.admin,
    path: "/public-figures-data",
    init: put(await transparencyPage(scene)),
    rows: ["figures.change"],
  }),
  "POST /public-figures/publish": async (scene) => {
    await transparencyPage(scene, false);
    return { who: scene.admin, path: "/public-figures/publish", init: POST, rows: ["figures.publish"] };
  },
  "POST /public-figures/withdraw": async (scene) => {
    await transparencyPage(scene, true);
    return { who: scene.admin, path: "/public-figures/withdraw", init: POST, rows: ["figures.withdraw"] };
  },
  // Integrations and cameras
  "POST /add-api-key": async ({ admin }) => ({
    who: admin,
    path: "/add-api-key",
    init: jsonInit(newKeyBody()),
    rows: ["integration.add"],
  }),
  "POST /bulk-upload-api-keys": async ({ admin }) => ({
    who: admin,
    path: "/bulk-upload-api-keys",
    init: csv(`agency,api_key,source_program\n${unique("Agency")},${unique("key-of-ours")},Rekor\n`),
    rows: ["integration.upload", "integration.add"],
  }),
  "DELETE /delete-api-key/:id": async (scene) => ({
    who: scene.admin,
    path: `/delete-api-key/${await newKey(scene)}`,
    init: DELETE,
    rows: ["integration.remove"],
    own: true,
  }),
  "POST /test-api-key/:id": async ({ admin, world }) => ({
    who: admin,
    path: `/test-api-key/${world.hartford.id}`,
    init: POST,
    rows: ["integration.test"],
    own: true,
  }),
  "POST /rekor-webhooks": async ({ admin }) => ({
    who: admin,
    path: "/rekor-webhooks",
    init: jsonInit({ name: unique("webhook") }),
    rows: ["door.add"],
  }),
  "DELETE /rekor-webhooks/:id": async ({ admin }) => ({
    who: admin,
    path: `/rekor-webhooks/${(await told(admin, "/rekor-webhooks", jsonInit({ name: unique("webhook") }))).id}`,
    init: DELETE,
    rows: ["door.revoke"],
    own: true,
  }),
  "POST /add-axon-integration": async (scene) => {
    await withoutAxon(scene);
    return {
      who: scene.admin,
      path: "/add-axon-integration",
      init: jsonInit(await axonBody()),
      rows: ["integration.add"],
    };
  },
  "POST /change-axon-credentials": async (scene) => {
    await withAxon(scene);
    const { client_id, secret_id, partner_id } = await axonBody();
    return {
      who: scene.admin,
      path: "/change-axon-credentials",
      init: jsonInit({ client_id, secret_id, partner_id }),
      rows: ["integration.change"],
    };
  },
  "DELETE /delete-axon-integration": async (scene) => {
    await withAxon(scene);
    return { who: scene.admin, path: "/delete-axon-integration", init: DELETE, rows: ["integration.remove"] };
  },
  "POST /test-axon-integration": async (scene) => {
    await withAxon(scene);
    return { who: scene.admin, path: "/test-axon-integration", init: POST, rows: ["integration.test"] };
  },
  "POST /add-to-blacklist": async (scene) => {
    await withAxon(scene);
    const init = jsonInit({ agency_id: scene.world.theirs.id });
    return { who: scene.admin, path: "/add-to-blacklist", init, rows: ["sharing.refuse"] };
  },
  "POST /remove-from-blacklist": async (scene) => {
    await withAxon(scene);
    const init = jsonInit({ agency_id: scene.world.theirs.id });
    await told(scene.admin, "/add-to-blacklist", init);
    return { who: scene.admin, path: "/remove-from-blacklist", init, rows: ["sharing.allow"] };
  },
  "POST /add-axis-share": async ({ admin, world }) => ({
    who: admin,
    path: "/add-axis-share",
    init: jsonInit({ agency_id: world.theirs.id, declaration: unique("MOU") }),
    rows: ["sharing.allow"],
  }),
  "POST /remove-axis-share": async ({ admin, world }) => {
    const agency_id = world.theirs.id;
    await told(admin, "/add-axis-share", jsonInit({ agency_id, declaration: unique("MOU") }));
    return {
      who: admin,
      path: "/remove-axis-share",
      init: jsonInit({ agency_id }),
      rows: ["sharing.refuse"],
    };
  },
  "POST /add-rekor-share": async ({ admin, world }) => ({
    who: admin,
    path: "/add-rekor-share",
    init: jsonInit({ agency_id: world.theirs.id, declaration: unique("MOU") }),
    rows: ["sharing.allow"],
  }),
  "POST /remove-rekor-share": async ({ admin, world }) => {
    const agency_id = world.theirs.id;
    await told(admin, "/add-rekor-share", jsonInit({ agency_id, declaration: unique("MOU") }));
    return {
      who: admin,
      path: "/remove-rekor-share",
      init: jsonInit({ agency_id }),
      rows: ["sharing.refuse"],
    };
  },
  "POST /rotate-keys": async (scene) => {
    await told(scene.owner, "/rotate-keys");
    const agency = unique("agency");
    const { ours } = scene.world;
    const key = {
      id: unique("rekor"),
      tenantId: ours.id,
      agency,
      baseUrl: vendors.url,
      key: unique("sealed-key"),
    };
    await setUpPart({ rekorKeys: [key] });
    return { who: scene.owner, path: "/rotate-keys", init: POST, rows: ["secrets.rotate"] };
  },
  // The keys of reads are in a bucket, outside of any database transaction.
  "POST /rotate-keys, of rings": async ({ owner }) => {
    await told(owner, "/rotate-keys");
    await testApp().readKeys.holding(unique("agency"), []);
    return { who: owner, path: "/rotate-keys", init: POST, rows: ["secrets.rotate"] };
  },
  "PATCH /rekor-cameras/:id*": async ({ owner }) => {
    const id = unique("camera");
    await run("INSERT INTO rekor_cameras (id, first_seen_at) VALUES (?, 1)", id);
    return {
      who: owner,
      path: `/rekor-cameras/${id}`,
      init: jsonInit(
        { corrected_latitude: 41.7, corrected_longitude: -72.6, agency_id: null },
        { method: "PATCH" },
      ),
      rows: ["camera.change"],
    };
  },
  "POST /axis-cameras": async ({ admin }) => ({
    who: admin,
    path: "/axis-cameras",
    init: jsonInit(newCameraBody()),
    rows: ["camera.add"],
  }),
  "PATCH /axis-cameras/:id": async (scene) => ({
    who: scene.admin,
    path: `/axis-cameras/${await newCamera(scene)}`,
    init: jsonInit(newCameraBody(), { method: "PATCH" }),
    rows: ["camera.change"],
    own: true,
  }),
  "POST /axis-cameras/:id/secret": async (scene) => ({
    who: scene.admin,
    path: `/axis-cameras/${await newCamera(scene)}/secret`,
    init: POST,
    rows: ["camera.secret"],
    own: true,
  }),
  "DELETE /axis-cameras/:id": async (scene) => ({
    who: scene.admin,
    path: `/axis-cameras/${await newCamera(scene)}`,
    init: DELETE,
    rows: ["camera.revoke"],
    own: true,
  }),
  "POST /service-accounts": async ({ admin }) => ({
    who: admin,
    path: "/service-accounts",
    init: jsonInit(newServiceBody()),
    rows: ["service-account.add"],
  }),
  "PUT /service-accounts/:id": onService("", () => put(newServiceBody()), "service-account.change"),
  "POST /service-accounts/:id/rotate": onService("/rotate", () => jsonInit({}), "service-account.rotate"),
  "POST /service-accounts/:id/on": onService("/on", () => jsonInit({ on: false }), "service-account.off"),
  "DELETE /service-accounts/:id": onService("", () => DELETE, "service-account.delete"),
  "POST /outgoing-webhooks": async ({ admin }) => ({
    who: admin,
    path: "/outgoing-webhooks",
    init: jsonInit(newOutgoingBody()),
    rows: ["outgoing-webhook.add"],
  }),
  "PUT /outgoing-webhooks/:id": onOutgoing("", () => put(newOutgoingBody()), "outgoing-webhook.change"),
  "DELETE /outgoing-webhooks/:id": onOutgoing("", () => DELETE, "outgoing-webhook.delete"),
  "POST /outgoing-webhooks/:id/secret": onOutgoing("/secret", () => POST, "outgoing-webhook.secret"),
  "POST /outgoing-webhooks/:id/on": onOutgoing("/on", () => jsonInit({ on: false }), "outgoing-webhook.off"),
  "POST /outgoing-webhooks/:id/test": async (scene) => ({
    ...(await onOutgoing("/test", () => POST, "outgoing-webhook.test")(scene)),
    looks: true,
  }),
  "POST /outgoing-webhooks/:id/retry": async (scene) => ({
    who: scene.admin,
    path: `/outgoing-webhooks/${await failedOutgoing(scene)}/retry`,
    init: jsonInit({}),
    rows: ["outgoing-webhook.retry"],
    own: true,
  }),
  // Operations
  "POST /dead-jobs/drive": async ({ owner }) => ({
    who: owner,
    path: "/dead-jobs/drive",
    init: jsonInit({ kind: "jobs", ids: [await buried("export")] }),
    rows: ["dead-jobs.drive"],
  }),
  "POST /dead-jobs/discard": async ({ owner }) => ({
    who: owner,
    path: "/dead-jobs/discard",
    init: jsonInit({ kind: "jobs", ids: [await buried("export")] }),
    rows: ["dead-jobs.discard"],
  }),
  "POST /storage/:name/state": async ({ owner }) => {
    await resetStorage();
    return {
      who: owner,
      path: "/storage/READS_3/state",
      init: jsonInit({ state: "read-only" }),
      rows: ["storage.state"],
    };
  },
  "POST /storage/:name/remove": async ({ owner }) => {
    await resetStorage();
    await bindings.DB.prepare("UPDATE read_databases SET state = 'draining' WHERE name = 'READS_3'").run();
    return { who: owner, path: "/storage/READS_3/remove", init: POST, rows: ["storage.remove"] };
  },
  "POST /backups/start": async ({ owner }) => {
    await noBackupRuns();
    return { who: owner, path: "/backups/start", init: POST, rows: ["backup.start"] };
  },
  "POST /backups/:id/cancel": async ({ owner }) => {
    await noBackupRuns();
    // Without its job, which might end it first.
    const { id } = await startBackup(quietApp(Date.now), await actorOf(owner));
    return { who: owner, path: `/backups/${id}/cancel`, init: POST, rows: ["backup.cancel"] };
  },
  "POST /backups/:id/verify": async ({ owner }) => {
    await noBackupRuns();
    const backup = withJobs(bindings);
    const { id } = await startBackup(backup.app, await actorOf(owner));
    await backup.run();
    return {
      who: owner,
      path: `/backups/${id}/verify`,
      init: jsonInit({}),
      rows: ["backup.verify"],
      looks: true,
    };
  },
};

/** Opens every database of reads. READS_3 has neither days nor reads. */
async function resetStorage(): Promise<void> {
  await testApp().places.noteDatabases();
  await bindings.DB.batch([
    bindings.DB.prepare("UPDATE read_databases SET state = 'open'"),
    bindings.DB.prepare("DELETE FROM read_places WHERE database = 'READS_3'"),
  ]);
  await emptyArchive([bindings.READS_3]);
}
