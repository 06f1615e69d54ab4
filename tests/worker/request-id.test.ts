import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Env } from "#app/context.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import worker from "../../workers/app.ts";
import {
  anonymous,
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  ORIGIN,
} from "../factories.ts";
import { faultyD1 } from "../support/faults.ts";
import { expectLogged, rawLog, requestLines } from "../support/quiet-console.ts";

let officer: Client;

beforeAll(async () => {
  officer = await client(await newUser((await newAgency()).id));
});

const FORM = /^([A-HJ-NP-Z2-9]{4}-){2}[A-HJ-NP-Z2-9]{4}$/;

/** Returns the request id of a response. Expects the log line of the request to have the same one. */
function idOf(answer: Response): string {
  const id = answer.headers.get("x-request-id") ?? "";
  expect(id).toMatch(FORM);
  expect(parseJson(requestLines().at(-1) ?? "")).toMatchObject({ message: "request", request_id: id });
  return id;
}

/** Calls Odin with some bindings replaced. */
function ask(over: Partial<Env>, path: string): Promise<Response> {
  const request = new Request(new URL(path, ORIGIN), { headers: officer.headers });
  return worker.fetch(request as never, { ...bindings, ...over } as never, createExecutionContext());
}

describe("the request id", () => {
  it("is random and on every response, and is never taken from the caller", async () => {
    const headers = { "x-request-id": "mine", "cf-ray": "8c1f0a9b7d6e5f43-EWR" };
    const first = idOf(await officer.fetch("/search", { headers }));
    const second = idOf(await officer.fetch("/get-current-user", { headers }));
    expect(second).not.toBe(first);
    expect(requestLines().join()).not.toContain("mine");
    expect(parseJson(requestLines().at(-1) ?? "")).toEqual({
      level: "info",
      message: "request",
      request_id: second,
      ray: "8c1f0a9b7d6e5f43-EWR",
      pattern: "/get-current-user",
      method: "GET",
      status: 200,
      milliseconds: expect.any(Number),
    });
  });

  it.each([
    ["GET", "/get-current-user", 401],
    ["POST", "/owner/agencies", 401],
    ["PATCH", "/login", 405],
    ["GET", "/?_data=root", 400],
  ])("is in the JSON of a refusal: %s %s", async (method, path, status) => {
    const answer = await anonymous.fetch(path, { method });
    const id = idOf(answer);
    expect(answer.status).toBe(status);
    expect(await bodyOf(answer)).toMatchObject({ request_id: id, message: expect.any(String) });
  });

  it.each([
    ["/no-such-page", 404],
    ["/owner", 403],
  ])("is on the error page of %s", async (path, status) => {
    const answer = await officer.fetch(path);
    expect(answer.status).toBe(status);
    const id = idOf(answer);
    // The attribute of the document, and the text that the user sees.
    const page = (await answer.text()).replaceAll("<!-- -->", "");
    expect(page).toContain(`data-request="${id}"`);
    expect(page).toMatch(new RegExp(`Reference: <code[^>]*>${id}</code>`));
    const data = await officer.fetch(`${path}.data`);
    expect(await data.text()).toContain(data.headers.get("x-request-id"));
  });

  it("identifies the log entry with the cause of a failure, which the response does not contain", async () => {
    expectLogged(/disk/);
    const broken = new Proxy(bindings.DB, {
      get: () => () => {
        throw new Error("the disk is gone");
      },
    });
    for (const path of ["/search", "/get-current-user"]) {
      const answer = await ask({ DB: broken }, path);
      expect([path, answer.status]).toEqual([path, 500]);
      const id = idOf(answer);
      const text = await answer.text();
      expect(text).toContain(id);
      expect(text).not.toContain("disk");
      const lines = rawLog().split("\n").map(parseJson);
      expect(lines).toContainEqual(expect.objectContaining({ level: "error", request_id: id }));
    }
  });

  it("is in the response of a deployment that cannot start", async () => {
    expectLogged(/must be set/);
    const answer = await ask({ SEALING_KEYS: "" }, "/search");
    expect(answer.status).toBe(500);
    expect(await bodyOf(answer)).toMatchObject({ request_id: idOf(answer) });
  });

  it("is in the response to a refused form, with or without scripts", async () => {
    const body = new URLSearchParams({ intent: "nothing" });
    for (const path of ["/profile", "/profile.data"]) {
      const answer = await officer.fetch(path, { method: "POST", body });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(idOf(answer));
    }
  });
});

describe("without a control database that answers", () => {
  const dead = { DB: faultyD1(bindings.DB, { random: () => 1, rate: 0 }) };
  /** Calls a new isolate, which asks the database whether it is being restored. */
  const call = (path: string, headers: Record<string, string>, over: Partial<Env> = {}) => {
    dead.DB.kill();
    const request = new Request(new URL(path, ORIGIN), { headers: { ...officer.headers, ...headers } });
    const env = { ...bindings, DB: dead.DB.database, ...over };
    return worker.fetch(request as never, env as never, createExecutionContext());
  };
  const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

  it("a page request gets a plain page that says when to try again", async () => {
    expectLogged(/^bug: Error this isolate/);
    const answer = await call("/search", BROWSER);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).toContain("Odin is not available at the moment.");
    expect(text).toContain(idOf(answer));
  });

  it("a call of a program gets JSON", async () => {
    expectLogged(/^bug: Error this isolate/);
    const answer = await call("/get-current-user", { accept: "*/*" });
    expect(answer.headers.get("content-type")).toContain("json");
    expect(answer.status).toBe(500);
  });

  it("a page request during a restore gets a plain page, too", async () => {
    const over = { RESTORE_TOKEN: "r".repeat(43), DB: bindings.DB };
    const answer = await call("/search", BROWSER, over);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"]);
    expect(await answer.text()).toContain("<p>Odin is being restored from a backup.</p>");
    const json = await call("/search-data", { accept: "application/json" }, over);
    expect(json.headers.get("content-type")).toContain("json");
  });
});
