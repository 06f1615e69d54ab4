/** The users, searches and other data that the pictures of `npm run screenshots` show. */

import type { APIRequestContext, Browser, BrowserContext } from "@playwright/test";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DEFAULT_POLICY } from "#app/entities/users/policy.ts";
import { at } from "#app/lib/at.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import { makeFleet, PERSONS_OF_INTEREST } from "../../workers/vendors/world/fleet.ts";
import { encodeJpeg } from "../../workers/vendors/world/pictures/jpeg.ts";
import { makePatient } from "../e2e/wait-for-hydration.ts";
import { totpCode } from "./accounts/totp.ts";
import type { Scene, User } from "./screen-list.ts";

/** Headers of calls from a script of the same origin; the guard refuses requests from other sites. */
const SAME_SITE = { "sec-fetch-site": "same-origin" };

/** A vehicle of the simulated world that cameras read every day. */
const FREQUENT_PLATE = at(makeFleet({ seed: 1, count: 2500 }), PERSONS_OF_INTEREST[0]).plate;
const TEMPORARY = "Meridian-Lantern-48!";

export type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Returns a session of each user whose screens are shown. */
export async function signInAll(browser: Browser, baseURL: string): Promise<Record<User, Session>> {
  const as = async (username: string, password = DEMO_PASSWORD, notice?: string) => {
    const context = await apiContext(browser, baseURL);
    await call(context.request, "/login", { username, password, notice });
    return { context, state: await context.storageState() };
  };
  const known = async (username: string) =>
    (await as(username, DEMO_PASSWORD, USE_NOTIFICATION.version)).state;
  const admin = await as("admin", DEMO_PASSWORD, USE_NOTIFICATION.version);
  const owner = await as("owner", DEMO_PASSWORD, USE_NOTIFICATION.version);
  const invited = async (username: string, agency: string) => {
    const person = { username, name: "Gale Guest", email: "gale@guest.example", role: "user" };
    await call(owner.context.request, "/owner/add-user", {
      ...person,
      password: TEMPORARY,
      agency_id: agency,
    });
    return as(username, TEMPORARY, USE_NOTIFICATION.version);
  };
  const newcomer = async (username: string, agency: string) => {
    const first = await invited(username, agency);
    await call(first.context.request, "/reset-password", { new_password: DEMO_PASSWORD });
    return as(username, DEMO_PASSWORD, USE_NOTIFICATION.version);
  };
  // One user's session waits for the code of an authenticator app, another's for a required second factor.
  const suffix = Date.now().toString(36);
  const holder = await newcomer(`holder${suffix}`, "hartford-pd");
  const { secret } = await call<{ secret: string }>(holder.context.request, "/second-factor/totp");
  await call(holder.context.request, "/second-factor/totp/confirm", { code: totpCode(secret, Date.now()) });
  const name = `Strict Agency ${suffix}`;
  const { id } = await call<{ id: string }>(owner.context.request, "/owner/agencies", { name });
  const policy = { ...DEFAULT_POLICY, second_factor_required: true };
  await call(owner.context.request, `PUT /owner/agencies/${id}`, { name, policy });
  return {
    anyone: { cookies: [], origins: [] },
    owner: owner.state,
    admin: admin.state,
    hotadmin: await known("hotadmin"),
    officer: await known("officer"),
    "no notice": (await as("viewer")).state,
    "second factor": await known(`holder${suffix}`),
    "must enroll": (await newcomer(`strict${suffix}`, id)).state,
    "temporary password": (await invited(`newcomer${suffix}`, "hartford-pd")).state,
  };
}

function apiContext(browser: Browser, baseURL: string, storageState?: Session) {
  return browser.newContext({
    baseURL,
    ...(storageState && { storageState }),
  });
}

/** Calls an endpoint, `PUT /path` or just the path of a POST. */
async function call<T = unknown>(
  request: APIRequestContext,
  endpoint: string,
  data: object = {},
): Promise<T> {
  const [path = "", method = "POST"] = endpoint.split(" ").reverse();
  const answer = await request.fetch(path, { method, data, headers: SAME_SITE });
  if (!answer.ok()) throw new Error(`${endpoint}: ${answer.status()} ${await answer.text()}`);
  return answer.json();
}

/**
 * Creates what the screens show: searches, a convoy search, findings, a hit, a legal hold, a public page and an import
 * without columns.
 */
export async function prepare(
  browser: Browser,
  baseURL: string,
  people: Record<User, Session>,
): Promise<Scene> {
  const group = "demo-stolen-hfd";
  const search = async (who: User, { plate = "", reason = "Stolen vehicle, case 26-1044" } = {}) => {
    const context = await apiContext(browser, baseURL, people[who]);
    await makePatient(context);
    const page = await context.newPage();
    await page.goto("/search");
    await page.getByLabel("Plate", { exact: true }).fill(plate);
    await page.getByLabel("Justification").fill(reason);
    await page.getByRole("radio", { name: "7 Days", exact: true }).check();
    for (const box of await page.getByRole("checkbox", { name: /^All .* agencies$/ }).all())
      await box.check();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL("**/results?id=*");
    const id = new URL(page.url()).searchParams.get("id") ?? "";
    await context.close();
    return id;
  };
  await search("officer", { reason: "check" });
  const results = await search("officer");
  const onePlate = await search("officer", { plate: FREQUENT_PLATE });
  const nothing = await search("officer", { plate: "NOSUCH9" });
  const hotlistResults = await search("hotadmin", { plate: FREQUENT_PLATE });

  const admin = await apiContext(browser, baseURL, people.admin);
  await call(admin.request, "/review/examine", { after: "" });
  await call(admin.request, "/legal-holds/request", {
    case_number: "26-1044",
    reason: "The court asked to preserve the reads of this case",
    plates: "ABC1234",
    start: "2026-01-01",
    end: "2026-12-31",
  });
  const listed = async <T>(path: string): Promise<T[]> => (await admin.request.get(path)).json();
  const keys = await listed<{ id: string }>("/api-keys-data");
  const axon = await listed<{ base_url: string }>("/axon-authorized-integrations");
  const axis = await listed<{ integrations: { identifier: string }[] }>("/axis-authorized-agencies");
  const agencies = [
    ...keys.map(({ id }) => id),
    ...axon.map(({ base_url }) => base_url),
    ...axis.flatMap(({ integrations }) => integrations.map(({ identifier }) => identifier)),
  ];
  const convoy = await call<{ result_id: string }>(admin.request, "/search-convoy", {
    plate: "KMY6237",
    justification: "Stolen vehicle, case 26-1044",
    case_number: "26-1044",
    start_time: new Date(Date.now() - 3 * DAY).toISOString(),
    end_time: new Date().toISOString(),
    agencies: [...new Set(agencies)],
  });
  const shown = await (await admin.request.get("/public-figures-data")).json();
  const slug = shown.slugs[0];
  if (shown.published_at === null) {
    const introduction = "Readers find stolen vehicles and missing people.";
    await call(admin.request, "PUT /public-figures-data", {
      slug,
      introduction,
      contact: "records@hartford.example",
    });
    await call(admin.request, "/public-figures/publish");
  }
  const spot = { latitude: 41.7637, longitude: -72.6851 };
  const name = `Camera ${Date.now().toString(36)}`;
  const camera = await call<{ address: string }>(admin.request, "/axis-cameras", { name, ...spot });
  const service = await call<{ id: string }>(admin.request, "/service-accounts", {
    name: `CAD ${Date.now().toString(36)}`,
    scopes: ["search", "hits"],
    addresses: ["192.0.2.0/24", "2001:db8::/32"],
  });
  await admin.close();

  const hotadmin = await apiContext(browser, baseURL, people.hotadmin);
  // An import without known columns waits for them to be chosen.
  const options = new URLSearchParams({ name: "list.txt", mode: "add", preset: "auto" });
  await hotadmin.request.post(`/groups/${group}/import?${options}`, {
    data: Buffer.from("Nummer;Staat;Wert\nAB1234;CT;Blue\nCD5678;NY;Red\n"),
    headers: { ...SAME_SITE, "content-type": "application/octet-stream" },
  });
  const outgoing = await call<{ id: string }>(hotadmin.request, "/outgoing-webhooks", {
    name: `Dispatch ${Date.now().toString(36)}`,
    url: `${process.env.ODIN_VENDORS_URL ?? "http://127.0.0.1:8788"}/receiver/dispatch`,
    events: ["hit", "disposition"],
    group_id: group,
  });
  const plate = `S${String(Date.now()).slice(-6)}`;
  const entry = {
    plate_number: plate,
    state: "CT",
    reason: "Stolen vehicle",
    notes: "Dent in the left door",
  };
  await call(hotadmin.request, "/hotlist/add-plate-direct", { ...entry, group_id: group });
  await call(hotadmin.request, new URL(camera.address, baseURL).pathname, readOf(plate));
  const { alerts } = await (await hotadmin.request.get(`/alerts/group/${group}/data`)).json();
  await hotadmin.close();
  const hit = alerts?.[0]?.id ?? "none";
  return {
    ...{ results, onePlate, nothing, hotlistResults, group, slug, hit },
    investigation: convoy.result_id,
    outgoing: outgoing.id,
    service: service.id,
  };
}

/** An event of an Axis camera, with a gray picture. */
function readOf(plate: string) {
  const size = { width: 160, height: 90 };
  const jpeg = encodeJpeg(
    { ...size, data: new Uint8ClampedArray(size.width * size.height * 4).fill(120) },
    80,
  );
  const picture = {
    ImageFormat: "jpg",
    BinaryImage: Buffer.from(jpeg).toString("base64"),
    ImageType: "vehicle",
  };
  return {
    capture_timestamp: String(Date.now()),
    plateUTF8: plate,
    plateRegionCode: "US-CT",
    carState: "lost",
    carID: plate,
    imageType: "vehicle",
    ImageArray: [picture],
  };
}
