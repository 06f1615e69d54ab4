import { expect, inject, it } from "vitest";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import { apiClient, bodyOf, client, newWorld, ORIGIN, send } from "../../factories.ts";
import { apiChecker } from "../../support/api/check.ts";

const check = apiChecker(inject("apiDocument"));
const answer = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

// Compiled by tests/unit/integrations/open-api-types.test.ts, because its types are generated there.
const typed = import.meta.glob<Record<string, unknown>>("/tests/support/typed/search.ts", { eager: true });

it("the OpenAPI document is served as the tests know it", async () => {
  const { users } = await newWorld();
  const officer = await apiClient(users.officer);
  const answer = await officer.fetch("/openapi.json");
  const etag = answer.headers.get("etag") ?? "";
  expect(await bodyOf(answer)).toEqual(inject("apiDocument"));
  // A proxy that compresses may make the tag a weak or a strong one; `*` is any version (RFC 9110, 13.1.2).
  for (const known of [`"other", ${etag}`, etag.replace("W/", ""), "*"]) {
    const again = await officer.fetch("/openapi.json", { headers: { "if-none-match": known } });
    expect([again.status, await again.text(), again.headers.get("etag")], known).toEqual([304, "", etag]);
  }
  const older = await officer.fetch("/openapi.json", { headers: { "if-none-match": '"other"' } });
  expect([older.status, older.headers.get("cache-control")]).toEqual([200, "private, no-cache"]);
  await older.text();
});

it("a client with types generated from the OpenAPI document can sign in and search", async () => {
  const { users, agencies } = await newWorld();
  const searchAsProgram = Object.values(typed)[0]?.searchAsProgram;
  if (typeof searchAsProgram !== "function") throw new Error("there is no typed client");
  const { username, password } = users.officer;
  const found: unknown = await searchAsProgram({
    origin: ORIGIN,
    fetch: async (request: Request) =>
      send(request.url, {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        ...(request.method !== "GET" && { body: await request.text() }),
      }),
    username,
    password,
    agencies,
    from: isoTime(Date.now() - 7 * DAY),
    until: isoTime(Date.now()),
  });
  expect(found).toEqual({
    found: expect.arrayContaining([expect.objectContaining({ program: "Rekor", plate: expect.any(String) })]),
    count: expect.any(Number),
    refusal: "forbidden",
  });
});

it("every worker test fails on a response that differs from the OpenAPI document", async () => {
  const at = (path: string) => `${ORIGIN}${path}`;
  const failure = { msg: "No.", message: "No.", error: "No.", code: "forbidden" };
  await check("POST", at("/logout"), answer({ msg: "Logged out" }));
  await check("GET", at("/admin-data"), answer(failure, 403));
  await check("GET", at("/not-of-the-api"), answer({ anything: 1 }));
  await expect(check("POST", at("/logout"), answer({}))).rejects.toThrow("required property 'msg'");
  await expect(check("POST", at("/logout"), answer({ msg: 1 }))).rejects.toThrow("must be string");
  await expect(check("POST", at("/logout"), answer({ msg: "x" }, 201))).rejects.toThrow("this status");
  await expect(check("GET", at("/admin-data"), answer({ oops: "No." }, 403))).rejects.toThrow("'msg'");
  await expect(check("DELETE", at("/admin-data"), answer({ oops: "No." }, 405))).rejects.toThrow("'msg'");
  await expect(
    check("GET", at("/exports"), new Response("a,b", { headers: { "content-type": "text/csv" } })),
  ).rejects.toThrow("text/csv");
});

it("the API reference page is complete without scripts", async () => {
  const { users } = await newWorld();
  const officer = await client(users.officer);
  const list = await (await officer.fetch("/docs/api?find=export+pdf")).text();
  expect(list).toContain('href="/docs/api/postExportPdf"');
  expect(list).not.toContain('href="/docs/api/postSearchData"');
  const page = await (await officer.fetch("/docs/api/postSearchData")).text();
  for (const text of ["justification", "odin-result-id", "source_program", "curl", "confirmation_required"])
    expect(page).toContain(text);
  expect((await officer.fetch("/docs/api/noSuchCall")).status).toBe(404);
});
