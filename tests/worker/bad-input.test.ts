import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import {
  anonymous,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newWorld,
  searchBody,
  send,
  vendors,
  type World,
} from "../factories.ts";

let world: World;
let officer: Client;
let hotadmin: Client;

beforeAll(async () => {
  world = await newWorld();
  officer = await client(world.users.officer);
  hotadmin = await client(world.users.hotadmin);
  await vendors.clearCalls();
});

/** Generates any JSON value, including keys with a special meaning in JavaScript. */
const anyJson = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom("__proto__", "constructor", "toString", "plate"), fc.jsonValue()),
  fc.string({ unit: "binary" }),
  fc.constantFrom(1e308, -1, 0.1, "\ud800", "\u0000", "'; DROP TABLE users; --", "{{7*7}}"),
);

/** Generates a valid body with one or two fields replaced by any JSON. */
function withBadFields<T extends object>(valid: T) {
  const keys = Object.keys(valid);
  return fc
    .dictionary(fc.constantFrom(...keys, "extra"), anyJson, { minKeys: 1, maxKeys: 2 })
    .map((changes) => ({ ...valid, ...changes }));
}

/** Expects no 5xx status, a message if the request is refused, and no internal details. */
async function expectHandled(response: Response): Promise<void> {
  const text = await response.text();
  expect(response.status, text).toBeLessThan(500);
  if (response.status < 400) return;
  expect(text).not.toMatch(/\n\s+at |SQLITE|D1_ERROR|ZodError|TypeError/);
  if (response.headers.get("content-type")?.startsWith("application/json"))
    expect(JSON.parse(text)).toMatchObject({ message: expect.stringMatching(/\S/) });
}

const fields = {
  plate: "",
  plate_state: "",
  vehicle_color: "",
  vehicle_make: "",
  vehicle_body_type: "",
  filters: {},
};

describe("for any input", () => {
  it("POST /search-data answers with a message", async () => {
    const valid = { ...searchBody([world.ours.id]), ...fields };
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyJson, withBadFields(valid)), async (body) =>
        expectHandled(await officer.post("/search-data", body)),
      ),
      { numRuns: 150 },
    );
    expect(await vendors.calls()).toEqual({});
  });

  it("POST /login and /dev-login answer with a message", async () => {
    const valid = { username: "nobody-of-that-name", password: "", notice: USE_NOTIFICATION.version };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("/login", "http://localhost/dev-login"),
        fc.oneof(anyJson, withBadFields(valid)),
        async (path, body) => expectHandled(await anonymous.post(path, body)),
      ),
      { numRuns: 80 },
    );
  });

  it("a camera's webhook answers with a message", async () => {
    const valid = {
      capture_timestamp: String(Date.now() - 1000),
      plateUTF8: "AB12345",
      plateRegionCode: "CT",
      plateConfidence: "0.9",
      carState: "lost",
      carID: "7",
      geotag: { lat: 41.7, lon: -72.6 },
      vehicle_info: { type: "CAR", color: "GRAY", brand: "FORD" },
      ImageArray: [{ ImageType: "vehicle", BinaryImage: "/9j/4P/Z" }],
    };
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyJson, withBadFields(valid)), async (body) =>
        expectHandled(await send(`/ingest/axis/${world.camera.secret}`, jsonInit(body))),
      ),
      { numRuns: 150 },
    );
  });

  it("invalid JSON and unknown content types are refused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("/search-data", "/login", `/ingest/axis/${world.camera.secret}`),
        fc.constantFrom("application/json", "multipart/form-data; boundary=x", "text/plain", "", 'a/b; c="d'),
        fc.uint8Array({ maxLength: 200 }),
        async (path, type, body) => {
          const headers: Record<string, string> = type ? { "content-type": type } : {};
          const response = await officer.fetch(path, { method: "POST", headers, body: body as BodyInit });
          await expectHandled(response);
          expect(response.status).toBeGreaterThanOrEqual(400);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("forms take fields and files of any name", async () => {
    for (const name of ["constructor", "toString", "hasOwnProperty", "__proto__"]) {
      const find = new URLSearchParams([
        [name, "a"],
        [name, "b"],
        ["email", "x@unknown.example"],
      ]);
      expect((await anonymous.fetch("/sso/find", { method: "POST", body: find })).status, name).toBe(200);
      const form = new FormData();
      form.append(name, "a");
      form.append(name, new File(["x"], "x.txt"));
      form.append(`plates[0][${name}]`, "a");
      // The name of the group is missing.
      const group = await officer.fetch("/create-group", { method: "POST", body: form });
      expect(group.status, name).toBe(403);
      const created = await hotadmin.fetch("/groups/create-mobile", { method: "POST", body: form });
      expect(created.status, name).toBe(400);
      await expectHandled(created);
    }
  });

  it("forms with too many parts are refused before they are parsed, which would fill the memory", async () => {
    const most = 48 * 1024 * 1024;
    const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
    const forms = [
      ["application/x-www-form-urlencoded", "a&".repeat(most / 2)],
      ["multipart/form-data; boundary=b", `${part.repeat(800_000)}--b--\r\n`],
      ['multipart/form-data; boundary="b"', `${part.repeat(800_000)}--b--\r\n`],
    ];
    for (const [type = "", body = ""] of forms)
      for (const path of ["/groups/create-mobile", "/create-group.data"]) {
        const began = Date.now();
        const init = { method: "POST", body, headers: { "content-type": type } };
        const response = await hotadmin.fetch(path, init);
        expect(response.status, type).toBe(400);
        expect(await response.text()).toContain("The form has too many parts.");
        expect(Date.now() - began, `${type} at ${path}`).toBeLessThan(10_000);
      }
  });

  it("invalid names, references and URLs are not found", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.constantFrom("%", "%00", "..", "%2e%2e%2f"),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          (value: string) => `/results/${encodeURI(value).replaceAll("/", "%2F")}/columns`,
          (value: string) => `/results?id=${encodeURIComponent(value)}`,
          (value: string) => `/search?refine=${encodeURIComponent(value)}`,
          (value: string) => `/proxy-rekor-image?image_uuid=${encodeURIComponent(value)}`,
          (value: string) => `/proxy-axon-image?url=${encodeURIComponent(value)}`,
          (value: string) => `/proxy-axis-image?path=${encodeURIComponent(value)}`,
          (value: string) => `/${encodeURI(value)}`,
        ),
        text.filter((value) => value.isWellFormed()),
        async (address, value) => expectHandled(await officer.fetch(address(value))),
      ),
      { numRuns: 150 },
    );
  });

  it("a parameter with two values is refused, because one of them would be ignored", async () => {
    const admin = await client(world.users.admin);
    const path = "/admin-audit-logs-api?start=2026-11-01&start=2026-11-02";
    const refused = await admin.fetch(path);
    expect([refused.status, (await bodyOf(refused)).msg]).toEqual([
      400,
      "start is given twice. Send one value.",
    ]);
    expect((await admin.fetch("/admin-audit-logs-api?page=1&page=1")).status).toBe(200);
  });

  it("a URL with a line break is not found, and nothing is logged", async () => {
    for (const path of ["/%0D", "/%0A", "/a%0D%0Ab", "/%E2%80%A8", "/results%0D"])
      expect((await officer.fetch(path)).status, path).toBe(404);
  });

  it("unexpected headers cause no error", async () => {
    const value = fc.stringMatching(/^[\x21-\x7e]{0,80}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          "authorization",
          "cookie",
          "accept",
          "origin",
          "sec-fetch-site",
          "range",
          "odin-background",
        ),
        value,
        async (name, text) => {
          await expectHandled(await send("/get-current-user", { headers: { [name]: text } }));
          await expectHandled(await send("/", { headers: { [name]: text } }));
        },
      ),
      { numRuns: 60 },
    );
  });
});
