import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DAY, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import { pushPasses } from "../../workers/local/servers.ts";
import { ROOT, secretsFile } from "../../workers/local/settings.ts";
import { startTestVendors } from "../support/vendors.ts";

let vendors: Awaited<ReturnType<typeof startTestVendors>>;
let deno: ChildProcess;
let origin = "";
let output = "";

beforeAll(async () => {
  vendors = await startTestVendors();
  expect(existsSync(secretsFile(vendors.settings))).toBe(true);
  deno = spawn(
    join(ROOT, "node_modules/.bin/deno"),
    ["run", "--allow-all", "--no-check", "--no-lock", "tests/deno/serve.ts"],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        ODIN_STATE: vendors.settings.state,
        VENDORS_PORT: String(vendors.settings.vendorsPort),
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const match = /listening on (\d+)/.exec(output);
      if (match) resolve(Number(match[1]));
    };
    deno.stdout?.on("data", read);
    deno.stderr?.on("data", read);
    deno.once("exit", () => reject(new Error(`Deno ended:\n${output}`)));
  });
  origin = `http://127.0.0.1:${port}`;
  const now = Date.now();
  // Pushes two days of passes, because few cars pass at night.
  await pushPasses({ ...vendors.settings, port }, { from: now - 2 * DAY, to: now }, () => {});
}, 400_000);

afterAll(async () => {
  if (deno && deno.exitCode === null) {
    const gone = once(deno, "exit");
    deno.kill("SIGTERM");
    await gone;
  }
  await vendors?.stop();
});

type Row = { source_program: string; timestamp: string; image_path: string | null };

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(origin + path, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers },
    body: JSON.stringify(body),
  });
}

test("the product under Deno signs a user in, searches three programs and serves the results", async () => {
  const page = await fetch(`${origin}/`);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("restricted information system");
  expect((await fetch(`${origin}/get-current-user`)).status).toBe(401);

  const notice = USE_NOTIFICATION.version;
  const wrong = await post("/login", { username: "officer", password: "wrong", notice });
  expect(wrong.status).toBe(401);
  const signedIn = await post("/login", { username: "officer", password: DEMO_PASSWORD, notice });
  expect(signedIn.status).toBe(200);
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(cookie).toMatch(/^__Host-odin=/);
  const get = (path: string) => fetch(origin + path, { headers: { cookie }, redirect: "manual" });

  const form = await get("/search");
  expect(form.status).toBe(200);
  expect(form.headers.get("content-security-policy")).toContain("default-src 'none'");
  const rekor = (await (await get("/api-keys-data")).json()) as { id: string }[];
  const axon = (await (await get("/axon-authorized-integrations")).json()) as { agency_name: string }[];
  const axis = (await (await get("/axis-authorized-agencies")).json()) as { id: string }[];
  const agencies = [
    ...rekor.map(({ id }) => id),
    ...axon.map(({ agency_name }) => agency_name),
    ...axis.map(({ id }) => id),
  ];
  const now = Date.now();
  const found = await post(
    "/search-data",
    {
      justification: "Stolen vehicle, case 26-1044",
      start_time: isoTime(now - 3 * DAY),
      end_time: isoTime(now + MINUTE),
      agencies,
    },
    { cookie },
  );
  expect([found.status, output]).toEqual([200, expect.stringMatching(/^listening on \d+\s*$/m)]);
  const rows = (await found.json()) as Row[];
  expect(new Set(rows.map((row) => row.source_program))).toEqual(new Set(["Rekor", "Axon", "Axis"]));
  const times = rows.map((row) => row.timestamp);
  expect(times).toEqual([...times].sort().reverse());

  const id = found.headers.get("odin-result-id") ?? "";
  expect((await get(`/results?id=${id}`)).status).toBe(200);
  const columns = await get(`/results/${id}/columns`);
  expect([columns.status, (await columns.arrayBuffer()).byteLength > 1000]).toEqual([200, true]);
  const axisRow = rows.find((row) => row.source_program === "Axis");
  const image = await get(`/proxy-axis-image?path=${encodeURIComponent(axisRow?.image_path ?? "")}`);
  expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  expect((await fetch(`${origin}/results?id=${id}`, { redirect: "manual" })).status).toBe(302);
  expect((await post("/logout", {}, { cookie })).status).toBe(200);
  expect((await get("/get-current-user")).status).toBe(401);
}, 180_000);
