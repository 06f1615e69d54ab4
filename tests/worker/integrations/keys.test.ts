import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { BREAKER_FAILURES } from "#app/store/integrations/sources.ts";
import { axonCredentials, rekorApiKey } from "../../../workers/vendors/credentials.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  dumpDatabases,
  jsonInit,
  newWorld,
  search,
  searchBody,
  send,
  unique,
  vendors,
  type World,
} from "../../factories.ts";

let world: World;
let admin: Client;
let strange: Client;
let officer: Client;
let stranger: Client;

beforeAll(async () => {
  world = await newWorld();
  admin = await client(world.users.admin);
  strange = await client(world.users.strangeAdmin);
  officer = await client(world.users.officer);
  stranger = await client(world.users.stranger);
});

beforeEach(() => vendors.setFaults());

const vendorSecret = () => inject("vendors").secret;
const remove = (who: Client, path: string) => who.fetch(path, { method: "DELETE" });
const get = async <T>(who: Client, path: string) => bodyOf<T>(who.fetch(path));
const msgOf = async (response: Response) => (await bodyOf<{ msg: string }>(response)).msg;

type Key = { id: string; agency: string; api_key?: string; source_program?: string; base_url?: string };

async function addKey(who: Client, over: object = {}): Promise<Response> {
  const api_key = await rekorApiKey(vendorSecret(), "west-hartford-pd");
  const body = { agency: unique("West"), api_key, source_program: "Rekor", base_url: vendors.url, ...over };
  return who.post("/add-api-key", body);
}

describe("a Rekor key", () => {
  it("can be searched immediately, shows only its last four characters, and cannot be used once deleted", async () => {
    const agency = unique("West Hartford");
    const api_key = await rekorApiKey(vendorSecret(), "west-hartford-pd");
    const { id } = await bodyOf<{ id: string }>(addKey(admin, { agency }));
    const keys = await get<Key[]>(admin, "/api-keys-data");
    expect(keys.find((key) => key.id === id)).toMatchObject({
      agency,
      api_key: `••••${api_key.slice(-4)}`,
      source_program: "Rekor",
      base_url: vendors.url,
    });
    // Users who only search see the agency but no part of the key.
    expect((await get<Key[]>(officer, "/api-keys-data")).find((key) => key.id === id)).toEqual({
      id,
      agency,
    });

    const { rows } = await search(officer, searchBody([id]));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows[0]?.agency).toBe(agency);

    expect((await remove(admin, `/delete-api-key/${id}`)).status).toBe(200);
    expect((await officer.post("/search-data", searchBody([id]))).status).toBe(403);
    expect((await remove(admin, `/delete-api-key/${id}`)).status).toBe(404);
    const acts = await auditOf(world.users.admin, 3);
    expect(acts.map(({ action }) => action)).toContain("integration.remove");
    expect(JSON.stringify(acts)).not.toContain(api_key);
  });

  it("belongs to its agency: another administrator can neither see, test nor delete it", async () => {
    const id = world.hartford.id;
    expect((await get<Key[]>(strange, "/api-keys-data")).map((key) => key.id)).not.toContain(id);
    expect((await remove(strange, `/delete-api-key/${id}`)).status).toBe(404);
    expect((await strange.fetch(`/test-api-key/${id}`, { method: "POST" })).status).toBe(404);
    expect((await get<Key[]>(admin, "/api-keys-data")).map((key) => key.id)).toContain(id);
  });

  it("needs an agency, a key, and a host that Odin may call", async () => {
    for (const [over, words] of [
      [{ agency: "  " }, "Agency and API key are required."],
      [{ api_key: "" }, "Agency and API key are required."],
      [{ api_key: "two words of a key" }, "A key or secret is plain text without spaces."],
      [{ source_program: "Axon" }, "The source program of an API key must be Rekor."],
      [{ base_url: "https://169.254.169.254" }, "The address must be a public host."],
      [{ base_url: "https://0xa9fea9fe" }, "The address must be a public host."],
      [{ base_url: "https://[::ffff:169.254.169.254]" }, "The address must be a public host."],
      [{ base_url: "https://10.0.0.1" }, "The address must be a public host."],
      [{ base_url: "http://cloud.openalpr.com" }, "The address must start with https://."],
      [
        { base_url: "https://cloud.openalpr.com@10.0.0.1" },
        "The address must not contain a user name or password.",
      ],
      [{ base_url: "https://odin.test" }, "The address must not be Odin's own."],
      [
        { base_url: "https://rekor.example.com" },
        "The address is not one of the hosts that this installation may call (VENDOR_HOSTS).",
      ],
    ] as const) {
      const refused = await addKey(admin, over);
      expect([over, refused.status]).toEqual([over, 400]);
      expect(await msgOf(refused)).toBe(words);
    }
  });

  it("is for Rekor's cloud if no host is specified", async () => {
    const { id } = await bodyOf<{ id: string }>(addKey(admin, { base_url: "" }));
    const key = (await get<Key[]>(admin, "/api-keys-data")).find((one) => one.id === id);
    expect(key?.base_url).toBe("https://cloud.openalpr.com");
    await remove(admin, `/delete-api-key/${id}`);
  });

  it("can be tested: the test returns Rekor's answer, looks up no reads, and stores the cameras", async () => {
    await vendors.clearCalls();
    const test = async () => {
      const answer = await admin.fetch(`/test-api-key/${world.hartford.id}`, { method: "POST" });
      return bodyOf<{ ok: boolean; msg: string }>(answer);
    };
    const good = await test();
    expect(good.ok).toBe(true);
    expect(good.msg).toMatch(/^Rekor accepted the key\. It lists \d+ cameras\.$/);
    const cameras = await bindings.DB.prepare("SELECT count(*) AS n FROM rekor_cameras").first<number>("n");
    expect(cameras).toBeGreaterThan(1);
    expect(await auditOf(world.users.admin)).toMatchObject([{ action: "integration.test", outcome: "ok" }]);

    await vendors.setFaults({ program: "rekor", agencyId: "hartford-pd", kind: "status", code: 401 });
    expect(await test()).toEqual({ ok: false, msg: "Rekor refused the agency's credentials." });
    await vendors.setFaults({ program: "rekor", agencyId: "hartford-pd", kind: "status", code: 500 });
    expect(await test()).toEqual({ ok: false, msg: "Rekor reported an error of its own." });
    const [shown] = await get<(Key & { health: { state: string; last_failure: string } })[]>(
      admin,
      "/api-keys-data",
    ).then((keys) => keys.filter((key) => key.id === world.hartford.id));
    expect(shown?.health).toMatchObject({
      state: "failing",
      last_failure: "Rekor reported an error of its own.",
    });
    expect(2).toBeLessThan(BREAKER_FAILURES);
    await vendors.setFaults();
    expect((await test()).ok).toBe(true);
  });
});

describe("the bulk upload of keys", () => {
  const upload = (text: string) => {
    const body = new FormData();
    body.set("file", new File([text], "keys.csv", { type: "text/csv" }));
    return admin.fetch("/bulk-upload-api-keys", { method: "POST", body });
  };
  const count = () => bindings.DB.prepare("SELECT count(*) AS n FROM rekor_keys").first<number>("n");

  it("adds every row", async () => {
    const names = Array.from({ length: 30 }, (_, i) => unique(`Bulk ${i}`));
    const rows = names.map((name, i) => `${name},key-number-${i}-of-the-file,rekor,`);
    const answer = await upload(`agency,api_key,source_program,base_url\n${rows.join("\n")}\n`);
    expect(await answer.json()).toMatchObject({ added: 30, problems: [] });
    const keys = await get<Key[]>(admin, "/api-keys-data");
    expect(keys.filter((key) => names.includes(key.agency))).toHaveLength(30);
    expect(await dumpDatabases()).not.toContain("key-number-7-of-the-file");
  });

  it.each(["Agency,API Key,Source,ID", "agency,Key,Source Program,id"])(
    "accepts the headings %s",
    async (head) => {
      const answer = await upload(`${head}\n${unique("Headed")},${unique("key-of-the-file")},Rekor,7\n`);
      expect(await answer.json()).toMatchObject({ added: 1, problems: [] });
    },
  );

  it("writes nothing if a row is invalid, and names its line and reason without showing a key", async () => {
    const before = await count();
    const answer = await upload(
      [
        "Agency,API_KEY,source_program,base_url",
        "Good,perfectly-good-key-1,Rekor,",
        ",a-key-that-lacks-its-agency,Rekor,",
        "Other,perfectly-good-key-2,Axon,",
        "Inside,perfectly-good-key-3,Rekor,https://192.168.0.9",
        "Twice,perfectly-good-key-1,Rekor,",
      ].join("\n"),
    );
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(JSON.parse(text).problems).toEqual([
      { line: 3, reason: "Agency and API key are required." },
      { line: 4, reason: "The source program of an API key must be Rekor." },
      { line: 5, reason: "The address must be a public host." },
      { line: 6, reason: "The key in this row is already in line 2." },
    ]);
    for (const key of ["perfectly-good-key", "a-key-that-lacks"]) expect(text).not.toContain(key);
    expect(await count()).toBe(before);
    expect(await auditOf(world.users.admin)).toMatchObject([
      { action: "integration.upload", outcome: "refused" },
    ]);
  });

  it("has a template that names its columns", async () => {
    const template = await (await admin.fetch("/download-api-keys-template")).text();
    expect(template.split(/\r?\n/)[0]).toBe("agency,api_key,source_program,base_url");
    expect((await upload("")).status).toBe(400);
  });
});

describe("a webhook", () => {
  it("has a URL that is shown once and can be revoked only by its own agency", async () => {
    const answer = await admin.post("/rekor-webhooks", { name: "North side" });
    const { id, address } = await bodyOf<{ id: string; address: string }>(answer);
    const secret = address.split("/").at(-1) ?? "";
    expect(address).toMatch(/^https:\/\/odin\.test\/ingest\/rekor\/[\w-]{32}$/);
    const page = await (await admin.fetch("/integrations/rekor")).text();
    expect(page).toContain("North side");
    expect(page).toContain(secret.slice(-4));
    expect(page).not.toContain(secret);
    expect(await dumpDatabases()).not.toContain(secret);
    expect(await (await strange.fetch("/integrations/rekor")).text()).not.toContain("North side");

    const beat = jsonInit({ data_type: "heartbeat", agent_uid: "AGENT", video_streams: [] });
    const path = new URL(address).pathname;
    expect((await send(path, beat)).status).toBe(200);
    expect((await remove(strange, `/rekor-webhooks/${id}`)).status).toBe(404);
    expect((await send(path, beat)).status).toBe(200);
    expect((await remove(admin, `/rekor-webhooks/${id}`)).status).toBe(200);
    expect((await send(path, beat)).status).toBe(401);
    expect((await remove(admin, `/rekor-webhooks/${id}`)).status).toBe(404);
    const row = await bindings.DB.prepare("SELECT * FROM doors WHERE id = ?").bind(id).first();
    expect(row).toMatchObject({ agency_id: world.ours.id, program: "rekor", secret_last4: secret.slice(-4) });
    expect(row?.revoked_at).toBeGreaterThan(0);
    const acts = await auditOf(world.users.admin, 3);
    expect(acts.map(({ action }) => action)).toEqual(["door.add", "door.revoke", "access"]);
    expect(JSON.stringify(acts)).not.toContain(secret);
  });
});

type Sharing = Record<"authorized_agencies" | "blacklisted_agencies", { id: string; name: string }[]>;

describe("an Axon integration", () => {
  const credentials = async () => {
    const { clientId, clientSecret, partnerId } = await axonCredentials(vendorSecret(), "new-haven-pd");
    return { client_id: clientId, secret_id: clientSecret, partner_id: partnerId };
  };
  const add = async (over: object = {}) =>
    admin.post("/add-axon-integration", {
      ...(await credentials()),
      base_url: `${vendors.url}/axon/new-haven-pd/`,
      ...over,
    });
  const existing = async (who: Client) =>
    (await get<{ existing_integration: { base_url: string } | null }>(who, "/axon-existing-integration"))
      .existing_integration;
  const axonOf = (who: Client) =>
    get<{ agency_name: string; base_url: string }[]>(who, "/axon-authorized-integrations");

  it("exists once per agency, and is searched by all agencies until they are blacklisted", async () => {
    expect(await existing(admin)).toBeNull();
    const refused = await add({ base_url: "https://[fe80::1]/axon" });
    expect([refused.status, await msgOf(refused)]).toEqual([400, "The address must be a public host."]);
    expect((await add()).status).toBe(200);
    expect((await add()).status).toBe(409);
    const shown = await existing(admin);
    expect(shown).toMatchObject({
      agency_name: world.ours.name,
      base_url: `${vendors.url}/axon/new-haven-pd`,
    });
    expect(JSON.stringify(shown)).not.toContain((await credentials()).secret_id);
    expect(await existing(strange)).toBeNull();

    const url = `${vendors.url}/axon/new-haven-pd`;
    const body = searchBody([url]);
    expect((await stranger.post("/search-data", body)).status).toBe(200);
    const sharing = () => get<Sharing>(admin, "/get-authorized-and-blacklisted-agencies");
    expect((await sharing()).authorized_agencies).toContainEqual(world.theirs);
    expect((await sharing()).authorized_agencies).not.toContainEqual(world.ours);

    expect((await admin.post("/add-to-blacklist", { agency_id: world.theirs.id })).status).toBe(200);
    expect((await stranger.post("/search-data", body)).status).toBe(403);
    expect((await axonOf(stranger)).map(({ base_url }) => base_url)).not.toContain(url);
    expect((await officer.post("/search-data", body)).status).toBe(200);
    expect((await sharing()).blacklisted_agencies).toEqual([world.theirs]);
    expect((await sharing()).authorized_agencies).not.toContainEqual(world.theirs);
    const [entry] = await auditOf(world.users.admin);
    expect(entry).toMatchObject({ action: "sharing.refuse", object: world.theirs.id });
    expect(JSON.parse(entry?.detail ?? "")).toMatchObject({
      before: { may_search: true },
      after: { may_search: false },
    });

    expect((await admin.post("/remove-from-blacklist", { agency_id: world.theirs.id })).status).toBe(200);
    expect((await stranger.post("/search-data", body)).status).toBe(200);
    for (const agency_id of ["nobody", world.ours.id])
      expect((await admin.post("/add-to-blacklist", { agency_id })).status).toBe(404);
    // An agency without an integration cannot blacklist anyone, in particular not for another agency's integration.
    expect((await strange.post("/add-to-blacklist", { agency_id: world.ours.id })).status).toBe(404);

    expect(await (await admin.fetch("/test-axon-integration", { method: "POST" })).json()).toEqual({
      ok: true,
      msg: "Axon accepted the client and answered a search.",
    });
    expect((await remove(strange, "/delete-axon-integration")).status).toBe(404);
    expect((await remove(admin, "/delete-axon-integration")).status).toBe(200);
    expect(await existing(admin)).toBeNull();
    expect((await stranger.post("/search-data", body)).status).toBe(403);
  });

  it("takes new credentials, and keeps its blacklist, its terms and its address", async () => {
    await add({ secret_id: "a-secret-that-has-expired" });
    const at = {
      agency_id: world.theirs.id,
      declaration: "Agreement 7",
      valid_until: "2031-01-01T00:00:00Z",
    };
    expect((await admin.post("/remove-from-blacklist", at)).status).toBe(200);
    const before = await get<Sharing>(admin, "/get-authorized-and-blacklisted-agencies");
    const test = async () => {
      const answer = await admin.fetch("/test-axon-integration", { method: "POST" });
      return (await answer.json<{ ok: boolean }>()).ok;
    };
    expect(await test()).toBe(false);

    const change = async (who: Client, over: object = {}) =>
      who.post("/change-axon-credentials", { ...(await credentials()), ...over });
    expect((await change(officer)).status).toBe(403);
    expect((await change(strange)).status).toBe(404);
    const incomplete = await change(admin, { secret_id: "" });
    expect([incomplete.status, await msgOf(incomplete)]).toEqual([
      400,
      "Client ID, client secret and partner ID are required.",
    ]);
    expect(await (await change(admin)).json()).toEqual({ msg: "Axon credentials changed" });
    const [entry] = await auditOf(world.users.admin);
    expect(entry).toMatchObject({ action: "integration.change" });
    expect(entry?.detail).not.toContain((await credentials()).secret_id);

    // The failures of the former credentials count no more.
    expect(await existing(admin)).toMatchObject({
      base_url: `${vendors.url}/axon/new-haven-pd`,
      health: { state: "unknown" },
    });
    expect(await test()).toBe(true);
    expect(await get<Sharing>(admin, "/get-authorized-and-blacklisted-agencies")).toEqual(before);
    await remove(admin, "/delete-axon-integration");
  });

  it("can be tested: the test reports that Axon refused the client", async () => {
    await add({ secret_id: "not-the-secret-of-this-client" });
    const answer = await admin.fetch("/test-axon-integration", { method: "POST" });
    expect(await answer.json()).toMatchObject({ ok: false });
    await remove(admin, "/delete-axon-integration");
  });

  it("needs all four fields", async () => {
    for (const name of ["client_id", "secret_id", "partner_id", "base_url"]) {
      const refused = await add({ [name]: " " });
      expect([name, refused.status]).toEqual([name, 400]);
      expect(await msgOf(refused)).toBe("Client ID, client secret, partner ID and base URL are required.");
    }
  });
});

describe("privileged functions", () => {
  it("require a new proof of identity if the last one is too old, and do nothing until then", async () => {
    await bindings.DB.prepare("UPDATE sessions SET proved_at = 0 WHERE user_id = ?")
      .bind(world.users.strangeAdmin.id)
      .run();
    const before = await dumpDatabases();
    const tries: [string, RequestInit][] = [
      ["/add-api-key", jsonInit({ agency: "A", api_key: "long-enough-to-be-one" })],
      ["/bulk-upload-api-keys", { method: "POST" }],
      ["/delete-api-key/x", { method: "DELETE" }],
      ["/rekor-webhooks", jsonInit({ name: "One" })],
      ["/rekor-webhooks/x", { method: "DELETE" }],
      ["/add-axon-integration", jsonInit({})],
      ["/change-axon-credentials", jsonInit({})],
      ["/delete-axon-integration", { method: "DELETE" }],
      ["/add-to-blacklist", jsonInit({ agency_id: "x" })],
      ["/remove-from-blacklist", jsonInit({ agency_id: "x" })],
      ["/add-axis-share", jsonInit({ agency_id: "x" })],
      ["/remove-axis-share", jsonInit({ agency_id: "x" })],
      ["/add-rekor-share", jsonInit({ agency_id: "x" })],
      ["/remove-rekor-share", jsonInit({ agency_id: "x" })],
      ["/axis-cameras", jsonInit({ name: "One", latitude: null, longitude: null })],
      ["/axis-cameras/x/secret", { method: "POST" }],
      ["/axis-cameras/x", { method: "DELETE" }],
    ];
    for (const [path, init] of tries) {
      const answer = await strange.fetch(path, init);
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        403,
        { code: "step_up_required" },
      ]);
    }
    const tables = /"(agency|sealed_key|axon_blacklist)"/;
    expect((await dumpDatabases()).split("\n").filter((text) => tables.test(text)).length).toBe(
      before.split("\n").filter((text) => tables.test(text)).length,
    );
    await bindings.DB.prepare("UPDATE sessions SET proved_at = ? WHERE user_id = ?")
      .bind(Date.now(), world.users.strangeAdmin.id)
      .run();
  });
});

describe("an Axis camera", () => {
  const beat = jsonInit({ system: {}, identify: {}, ALPV: { device_ID: "1", numberOfReads: 3 } });
  const post = async (address: string) => (await send(new URL(address).pathname, beat)).status;
  const fields = (over: object = {}) => ({
    name: unique("Main St"),
    latitude: 41.763711,
    longitude: -72.685093,
    ...over,
  });

  it("posts to a URL that is shown once and can be replaced, and is refused once it is revoked", async () => {
    const camera = fields();
    const { id, address } = await bodyOf<{
      id: string;
      address: string;
    }>(admin.post("/axis-cameras", camera));
    expect(address).toMatch(/^https:\/\/odin\.test\/ingest\/axis\/[\w-]{32}$/);
    expect(await post(address)).toBe(200);
    const page = await (await admin.fetch("/integrations/axis")).text();
    expect(page).toContain(camera.name);
    expect(page).not.toContain(address.split("/").at(-1));

    const renamed = fields({ latitude: null, longitude: null });
    expect((await admin.fetch(`/axis-cameras/${id}`, jsonInit(renamed, { method: "PATCH" }))).status).toBe(
      200,
    );
    const renewal = await admin.fetch(`/axis-cameras/${id}/secret`, { method: "POST" });
    const renewed = await bodyOf<{ address: string }>(renewal);
    expect([await post(address), await post(renewed.address)]).toEqual([401, 200]);

    for (const [path, init] of [
      [`/axis-cameras/${id}`, jsonInit(fields(), { method: "PATCH" })],
      [`/axis-cameras/${id}/secret`, { method: "POST" }],
      [`/axis-cameras/${id}`, { method: "DELETE" }],
    ] as const)
      expect([path, (await strange.fetch(path, init)).status]).toEqual([path, 404]);

    expect((await remove(admin, `/axis-cameras/${id}`)).status).toBe(200);
    expect(await post(renewed.address)).toBe(401);
    expect((await admin.fetch(`/axis-cameras/${id}/secret`, { method: "POST" })).status).toBe(404);
    const acts = await auditOf(world.users.admin, 5);
    expect(acts.map(({ action }) => action)).toEqual([
      "camera.add",
      "camera.change",
      "camera.secret",
      "camera.revoke",
      // The secret of the revoked camera was refused.
      "access",
    ]);
    expect(JSON.parse(acts[1]?.detail ?? "")).toMatchObject({
      before: { name: camera.name, latitude: 41.763711 },
      after: { name: renamed.name, latitude: null },
    });
  });

  it("is not changed by a form that was opened before someone else changed it", async () => {
    const opened = fields();
    const { id } = await bodyOf<{ id: string }>(admin.post("/axis-cameras", opened));
    const change = (to: object, known?: object) =>
      admin.fetch(`/axis-cameras/${id}`, jsonInit(known ? { ...to, known } : to, { method: "PATCH" }));
    const stored = () =>
      bindings.DB.prepare("SELECT name, latitude_e6, longitude_e6 FROM axis_cameras WHERE id = ?")
        .bind(id)
        .first();
    const theirs = { ...opened, name: unique("Renamed") };
    // Also if it is sent again because its answer was lost.
    for (const _ of [1, 2]) expect((await change(theirs, opened)).status).toBe(200);
    const before = await stored();

    const ours = { ...opened, latitude: 41.5, longitude: -72.5 };
    const refused = await change(ours, opened);
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("Someone else changed this camera after you opened it.");
    expect(await stored()).toEqual(before);
    const [act] = await auditOf(world.users.admin, 1);
    expect(act).toMatchObject({ action: "access", outcome: "refused" });

    expect((await change({ ...ours, name: theirs.name }, theirs)).status).toBe(200);
    // A client that does not say what it knows replaces the camera as documented.
    expect((await change({ ...opened, latitude: null, longitude: null })).status).toBe(200);
    const placed = { name: opened.name, latitude: null, longitude: null };
    expect((await change(opened, placed)).status).toBe(200);
    expect(await stored()).toMatchObject({ name: opened.name, latitude_e6: 41763711 });
  });

  it("has a complete location or none", async () => {
    for (const over of [
      { latitude: 90 },
      { longitude: -180 },
      { latitude: null },
      { latitude: "north" },
      { name: "" },
    ])
      expect((await admin.post("/axis-cameras", fields(over))).status).toBe(400);
  });

  it("is searched by others only while it is shared, from the next search on", async () => {
    const axisOf = async (who: Client) =>
      (await get<{ id: string }[]>(who, "/axis-authorized-agencies")).map(({ id }) => id);
    const body = searchBody([world.ours.id]);
    expect(await axisOf(stranger)).toEqual([world.theirs.id]);
    expect((await stranger.post("/search-data", body)).status).toBe(403);
    expect((await admin.post("/add-axis-share", { agency_id: world.theirs.id })).status).toBe(200);
    expect(await axisOf(stranger)).toContain(world.ours.id);
    expect((await stranger.post("/search-data", body)).status).toBe(200);
    expect((await admin.post("/remove-axis-share", { agency_id: world.theirs.id })).status).toBe(200);
    expect((await stranger.post("/search-data", body)).status).toBe(403);
    expect((await admin.post("/add-axis-share", { agency_id: world.ours.id })).status).toBe(404);
  });
});
