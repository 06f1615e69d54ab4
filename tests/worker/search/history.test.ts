// A user's own searches: the list, who may see it, names and pins, and running a search again.

import { beforeAll, describe, expect, it } from "vitest";
import { listSearches, saveSearch } from "#app/domain/search/history.ts";
import { searchPlaces } from "#app/domain/search/investigate/places.ts";
import { sweepResultSets } from "#app/domain/search/purge.ts";
import { searchReads } from "#app/domain/search/run.ts";
import { SAVED_SEARCHES_MAX, type SearchHistory } from "#app/entities/search/history/past-search.ts";
import { PlacesRequest } from "#app/entities/search/investigate/request.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { DAY, HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import {
  actorOf,
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  jsonInit,
  newUser,
  newWorld,
  search,
  searchBody,
  testApp,
  type World,
} from "../../factories.ts";
import { beforeWrite, withBatches } from "../../support/batches.ts";
import { plansOf } from "../../support/workerd/queries.ts";

let world: World;
let officer: Client;
let admin: Client;

beforeAll(async () => {
  world = await newWorld();
  [officer, admin] = await Promise.all([client(world.users.officer), client(world.users.admin)]);
});

const list = (who: Client, body: object = {}) => bodyOf<SearchHistory>(who.post("/searches-data", body));
const patch = (who: Client, id: string, body: object) =>
  who.fetch(`/searches/${id}`, jsonInit(body, { method: "PATCH" }));
const newcomer = async () => client(await newUser(world.ours.id));
const searched = async (who: Client, over: Record<string, unknown> = {}) =>
  (await search(who, searchBody([world.ours.id], over))).resultId;
const wholeTable = () =>
  bindings.DB.prepare("SELECT * FROM saved_searches ORDER BY user_id, search_id")
    .all()
    .then(({ results }) => results);

describe("the history", () => {
  it("lists each search with its query, reason, number of reads and time, and when its results expire", async () => {
    const who = await newcomer();
    const id = await searched(who, {
      plate: "zz9*",
      look_alikes: true,
      vehicle_make: "Honda",
      purpose: "stolen-vehicle",
    });
    const { searches, pinned, next, kept_days } = await list(who);
    expect({ pinned, next, kept_days }).toEqual({ pinned: [], next: null, kept_days: 365 });
    expect(searches).toEqual([
      {
        id,
        tool: "search",
        searched_at: expect.stringMatching(/Z$/),
        what: "Plate ZZ9* and look-alikes, Honda, 1 agency, 7 days",
        justification: "Stolen vehicle, case 26-1044",
        purpose: "stolen-vehicle",
        case_number: "26-1044",
        programs: ["Axis"],
        state: "done",
        reads: 0,
        truncated: false,
        name: "",
        pinned: false,
        results_until: expect.stringMatching(/Z$/),
        service_account: "",
      },
    ]);
    expect(Math.abs(Date.parse(searches[0]?.searched_at ?? "") - Date.now())).toBeLessThan(MINUTE);
    const html = await (await who.fetch("/searches")).text();
    expect(html).toContain("Plate ZZ9* and look-alikes, Honda, 1 agency, 7 days");
    expect(html).toContain(`/results?id=${id}`);
    expect(html).toContain(`/search?again=${id}`);
  });

  it("keeps a search whose results were purged, without a link to them", async () => {
    const who = await newcomer();
    const id = await searched(who);
    await sweepResultSets(testApp(() => Date.now() + 8 * DAY));
    const [row] = (await list(who)).searches;
    expect(row).toMatchObject({ id, state: "done", results_until: null });
    expect(await (await who.fetch("/searches")).text()).not.toContain(`/results?id=${id}`);
  });

  it("does not list refused searches", async () => {
    const who = await newcomer();
    const refused = await who.post("/search-data", searchBody(["no such agency"]));
    expect(refused.status).toBe(403);
    expect((await list(who)).searches).toEqual([]);
  });

  it("lists a search once whose last write was made and not confirmed", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    const endings = async () =>
      (await auditOf(actor, 9)).filter(({ action }) => action.endsWith(".finished")).length;
    const app = withBatches(testApp(), async (run, statements) => {
      const before = await endings();
      const answer = await run(statements);
      if ((await endings()) > before) throw new Error("the answer was lost");
      return answer;
    });
    const hooks = { signal: new AbortController().signal, onProgress: () => {} };
    const body = searchBody([world.ours.id], { plate: "THIEF1" });
    await expect(searchReads(app, actor, { request: SearchRequest.parse(body), ...hooks })).rejects.toThrow(
      "the answer was lost",
    );
    const area = { kind: "cameras", cameras: [`axis:${world.camera.id}`] };
    const place = (hours: number) => ({
      area,
      start_time: isoTime(Date.now() - hours * HOUR),
      end_time: isoTime(Date.now() - (hours - 1) * HOUR),
    });
    const investigator = { ...actor, investigator: true };
    const request = PlacesRequest.parse({ ...body, places: [place(5), place(3)] });
    await expect(searchPlaces(app, investigator, { request, ...hooks })).rejects.toThrow(
      "the answer was lost",
    );
    const { searches } = await list(who);
    expect(searches.map(({ tool, state }) => [tool, state])).toEqual([
      ["places", "done"],
      ["search", "done"],
    ]);
    const acts = await auditOf(actor, 9);
    expect(
      acts.map(({ action, outcome }) => [action, outcome]).filter(([act]) => act?.startsWith("search")),
    ).toEqual([
      ["search", "ok"],
      ["search.finished", "ok"],
      ["search-places", "ok"],
      ["search-places.finished", "ok"],
    ]);
    expect((await who.fetch(`/results/${searches[1]?.id}/columns`)).status).toBe(200);
  });

  it("lists place and convoy searches, which only investigators can run again", async () => {
    const place = (hours: number) => ({
      area: { kind: "cameras", cameras: [`axis:${world.camera.id}`] },
      start_time: isoTime(Date.now() - hours * HOUR),
      end_time: isoTime(Date.now() - (hours - 1) * HOUR),
    });
    const body = { ...searchBody([world.ours.id], { plate: "THIEF1" }), places: [place(5), place(3)] };
    expect((await admin.post("/search-places", body)).status).toBe(200);
    expect((await admin.post("/search-convoy", body)).status).toBe(200);
    const [convoy, places] = (await list(admin)).searches;
    expect(convoy?.what).toBe(
      "Vehicles traveling with plate THIEF1, within 2 minutes at 3 or more cameras, 1 agency, 7 days",
    );
    expect(places?.what).toMatch(
      /^Plates in at least 2 of 2 places \(Place 1, Place 2\), 1 agency, 3 hours until/,
    );
    const html = await (await admin.fetch("/searches")).text();
    expect(html).toContain(`/investigate?tool=convoy&amp;again=${convoy?.id}`);
    expect(html).toContain(`/investigate/${places?.id}`);
    await bindings.DB.prepare("UPDATE users SET role = 'user' WHERE id = ?").bind(world.users.admin.id).run();
    const demoted = await (await admin.fetch("/searches")).text();
    await bindings.DB.prepare("UPDATE users SET role = 'admin' WHERE id = ?")
      .bind(world.users.admin.id)
      .run();
    expect(demoted).toContain("traveling with plate THIEF1");
    expect(demoted).not.toContain("/investigate?tool=convoy");
  });

  it("reaches back as far as the agency's policy allows", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    await searched(who);
    const seen = async (days: number) =>
      (
        await listSearches(
          testApp(() => Date.now() + days * DAY),
          actor,
          { find: "", after: null },
        )
      ).searches.length;
    expect(await seen(364)).toBe(1);
    expect(await seen(366)).toBe(0);
  });
});

describe("the pages of the history", () => {
  it("follow each other by a cursor, newest first, each search once, with and without a filter", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    const { username, id: userId } = who.user ?? { username: "", id: "" };
    await searched(who, { plate: "FIRST1" });
    // 60 copies of its audit row, each with its own id, two for each time.
    for (let i = 0; i < 60; i++)
      await bindings.DB.prepare(`
        INSERT INTO audit_log (at, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, object,
          plate, case_number, programs_queried, detail)
        SELECT at + ?1, agency_id, user_id, username, session_id, ip, user_agent, action, outcome, ?2, ?3, case_number,
          programs_queried, detail
        FROM audit_log
        WHERE user_id = ?4 AND action = 'search' AND plate = 'FIRST1'`)
        .bind(1 + Math.floor(i / 2), `copy-${i}-${username}`, i % 10 === 0 ? "TENTH1" : `COPY${i}`, userId)
        .run();
    const app = testApp(() => Date.now() + MINUTE);
    const all = async (find: string) => {
      const pages: string[][] = [];
      let after: string | null = null;
      do {
        const page: SearchHistory = await listSearches(app, actor, { find, after });
        pages.push(page.searches.map(({ what }) => what.split(",")[0] ?? ""));
        after = page.next;
      } while (after);
      return pages;
    };
    const pages = await all("");
    expect(pages.map((page) => page.length)).toEqual([25, 25, 11]);
    expect(pages.flat().slice(0, 3)).toEqual(["Plate COPY59", "Plate COPY58", "Plate COPY57"]);
    expect(pages.flat().at(-1)).toBe("Plate FIRST1");
    expect(new Set(pages.flat()).size).toBe(56);
    expect(await all("tenth1")).toEqual([Array.from({ length: 6 }, () => "Plate TENTH1")]);
    expect((await all("26-1044 copy")).map((page) => page.length)).toEqual([25, 25, 4]);
    expect((await who.post("/searches-data", { after: "tomorrow" })).status).toBe(400);
  });
});

describe("names and pins", () => {
  it("are audited; pinned searches come first, and an empty name without a pin leaves no row", async () => {
    const who = await newcomer();
    const [first, second] = [
      await searched(who, { plate: "ONE111" }),
      await searched(who, { plate: "TWO222" }),
    ];
    const answer = await patch(who, first, { name: "  Silver Honda\u200b ", pinned: true });
    expect(await answer.json()).toMatchObject({ id: first, name: "Silver Honda", pinned: true });
    const shown = await list(who);
    expect(shown.pinned.map(({ id, name }) => [id, name])).toEqual([[first, "Silver Honda"]]);
    expect(shown.searches.map(({ id }) => id)).toEqual([second]);
    const [row] = await auditOf(who.user as never);
    expect(row).toMatchObject({ action: "saved-search.save", outcome: "ok", object: first, plate: "" });
    expect(JSON.parse(row?.detail ?? "")).toEqual({
      before: { name: "", pinned: false },
      after: { name: "Silver Honda", pinned: true },
    });

    await patch(who, first, { pinned: false });
    const unpinned = await list(who, { find: "silver honda" });
    expect([unpinned.pinned.length, unpinned.searches.map(({ id }) => id)]).toEqual([0, [first]]);
    expect((await who.fetch(`/searches/${first}`, { method: "DELETE" })).status).toBe(200);
    expect((await list(who)).searches.map(({ id, name }) => [id, name])).toEqual([
      [second, ""],
      [first, ""],
    ]);
    const saved = await wholeTable();
    expect(saved.filter(({ user_id }) => user_id === who.user?.id)).toEqual([]);
    expect((await who.fetch(`/searches/${first}`, { method: "DELETE" })).status).toBe(404);
    expect((await patch(who, first, {})).status).toBe(400);
    expect((await patch(who, first, { name: "x".repeat(81) })).status).toBe(400);
  });

  it("are limited per user", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    const id = await searched(who);
    for (let i = 0; i < SAVED_SEARCHES_MAX; i++)
      await bindings.DB.prepare(
        "INSERT INTO saved_searches (user_id, agency_id, search_id, searched_at, pinned_at) VALUES (?, ?, ?, 0, 1)",
      )
        .bind(actor.userId, actor.agencyId, `other-${i}`)
        .run();
    await expect(saveSearch(testApp(), actor, { id, pinned: true })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("are limited when two are saved at the same time, and those that are saved can be renamed", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    const [one, two] = [await searched(who), await searched(who)];
    for (let i = 1; i < SAVED_SEARCHES_MAX; i++)
      await bindings.DB.prepare(
        "INSERT INTO saved_searches (user_id, agency_id, search_id, searched_at, pinned_at) VALUES (?, ?, ?, 0, 1)",
      )
        .bind(actor.userId, actor.agencyId, `other-${i}`)
        .run();
    const app = beforeWrite(testApp(), () => saveSearch(testApp(), actor, { id: one, pinned: true }));
    await expect(saveSearch(app, actor, { id: two, pinned: true })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await saveSearch(testApp(), actor, { id: one, name: "Renamed" })).toMatchObject({
      name: "Renamed",
    });
  });

  it("are found by their user, among all that other users of the agency saved", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    const id = await searched(who);
    const { database: DB, plans } = plansOf(bindings.DB);
    const app = testApp(Date.now, { DB });
    await saveSearch(app, actor, { id, pinned: true });
    await listSearches(app, actor, { find: "", after: null });
    await saveSearch(app, actor, { id, pinned: false });
    const touching = await plans("saved_searches");
    expect(touching.length).toBeGreaterThan(4);
    for (const { text, plan } of touching) {
      expect(plan, text).not.toContain("saved_searches_age");
      expect(plan, text).not.toMatch(/SCAN (saved_searches|p|s)\b/);
    }
  });

  it("keep what another tab changed in between", async () => {
    const who = await newcomer();
    const actor = await actorOf(who);
    const id = await searched(who);
    const meanwhile = (change: object) =>
      beforeWrite(testApp(), () => saveSearch(testApp(), actor, { id, ...change }));
    const stored = async () => {
      const rows = (await wholeTable()).filter(({ search_id }) => search_id === id);
      return rows.map(({ name, pinned_at }) => [name, pinned_at !== null]);
    };
    await saveSearch(meanwhile({ pinned: true }), actor, { id, name: "Silver Honda" });
    expect(await stored()).toEqual([["Silver Honda", true]]);
    await saveSearch(meanwhile({ name: "Renamed" }), actor, { id, pinned: false });
    expect(await stored()).toEqual([["Renamed", false]]);
    // One tab removes all that is left, and the other adds something.
    await saveSearch(meanwhile({ pinned: true }), actor, { id, name: "" });
    expect(await stored()).toEqual([["", true]]);
    await saveSearch(meanwhile({ pinned: false }), actor, { id, name: "Named" });
    expect(await stored()).toEqual([["Named", false]]);
    await saveSearch(meanwhile({ name: "" }), actor, { id, pinned: true });
    expect(await stored()).toEqual([["", true]]);
  });

  it("can be set with forms without scripts", async () => {
    const who = await newcomer();
    const id = await searched(who, { plate: "FRM777" });
    const form = (fields: Record<string, string>) =>
      who.fetch("/searches", { method: "POST", body: new URLSearchParams(fields) });
    expect((await form({ intent: "name", id, name: "By form" })).status).toBe(303);
    expect((await form({ intent: "pin", id })).status).toBe(303);
    expect((await list(who)).pinned).toMatchObject([{ id, name: "By form" }]);
    expect((await form({ intent: "unpin", id })).status).toBe(303);
    const found = await form({ intent: "find", find: "frm777" });
    expect(found.headers.get("location")).toBeNull();
    expect(await found.text()).toContain("By form");
    expect(await (await form({ intent: "find", find: "nothing like it" })).text()).toContain(
      "No searches match",
    );
  });
});

describe("searches of others", () => {
  it("are not listed, and cannot be named, pinned, removed or run again", async () => {
    const id = await searched(officer, { plate: "SECRET1" });
    const saved = await patch(officer, id, { name: "Mine", pinned: true });
    expect(saved.status).toBe(200);
    const before = await wholeTable();
    const others = [
      await client(world.users.colleague),
      admin,
      await client(world.users.owner),
      await client(world.users.stranger),
    ];
    for (const other of others) {
      expect(JSON.stringify(await list(other, { find: "SECRET1" }))).not.toContain("SECRET1");
      expect((await patch(other, id, { name: "Theirs" })).status).toBe(404);
      expect((await other.fetch(`/searches/${id}`, { method: "DELETE" })).status).toBe(404);
      const again = await (await other.fetch(`/search?again=${id}`)).text();
      expect(again).not.toContain("SECRET1");
      expect(again).toContain("That search is not in your history");
    }
    expect(await wholeTable()).toEqual(before);
  });

  it("by users who moved stay with the agency in which they were made", async () => {
    const who = await newcomer();
    const id = await searched(who, { plate: "MOVED1" });
    await patch(who, id, { pinned: true });
    const actor = { ...(await actorOf(who)), agencyId: world.theirs.id };
    const app = testApp();
    const moved = await listSearches(app, actor, { find: "", after: null });
    expect([moved.pinned, moved.searches]).toEqual([[], []]);
    await expect(saveSearch(app, actor, { id, name: "Taken along" })).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("a search that is run again", () => {
  const formOf = async (who: Client, address: string) => {
    const html = await (await who.fetch(address)).text();
    const field = (name: string) => {
      const [tag = ""] = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(html) ?? [];
      return / value="([^"]*)"/.exec(tag)?.[1] ?? "";
    };
    const area = (name: string) => new RegExp(`<textarea[^>]* name="${name}"[^>]*>([^<]*)<`).exec(html)?.[1];
    return { html, field, area };
  };

  it("fills the form without the justification, and is refused without a new one", async () => {
    const who = await newcomer();
    const id = await searched(who, { plate: "AGAIN77", vehicle_make: "Honda" });
    const { html, field, area } = await formOf(who, `/search?again=${id}`);
    expect([field("plate"), field("case_number"), area("justification")]).toEqual(["AGAIN77", "26-1044", ""]);
    expect(html).not.toContain("Stolen vehicle, case 26-1044");
    expect(html).toContain("Enter a new justification. The range has the same length as then, ending now.");
    // Seven days is a preset, which moves with the clock.
    expect(html).toMatch(
      /<input[^>]* name="range"[^>]* value="7d"[^>]* checked=""|checked=""[^>]* value="7d"/,
    );
    const rows = await list(who);
    const body = new URLSearchParams({ intent: "search", plate: "AGAIN77", range: "7d", programs: "Axis" });
    const refused = await who.fetch("/search", { method: "POST", body });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("Enter a justification.");
    expect((await list(who)).searches.length).toBe(rows.searches.length);
  });

  it("keeps the dates of a search in the past, and offers a range that ends now", async () => {
    const who = await newcomer();
    const range = { start_time: "2026-09-01T12:00:00Z", end_time: "2026-09-08T12:00:00Z" };
    const id = await searched(who, range);
    const kept = await formOf(who, `/search?again=${id}`);
    expect([kept.field("start"), kept.field("end")]).toEqual(["2026-09-01T08:00", "2026-09-08T08:00"]);
    expect(kept.html).toContain(
      "The range is the original one, 2026-09-01 08:00:00 EDT to 2026-09-08 08:00:00 EDT.",
    );
    expect(kept.html).not.toMatch(/<input[^>]* name="range"[^>]* checked=""/);
    const moved = await formOf(who, `/search?again=${id}&range=now`);
    expect(moved.html).toContain("The range has the same length as then, ending now.");
    expect(moved.html).toContain(`again=${id}&amp;range=original`);
  });

  it("does not fill in the confirmation of a prohibited purpose", async () => {
    const who = await newcomer();
    const id = await searched(who, {
      justification: "Immigration enforcement",
      confirmation: "I confirm that this search is lawful",
      supervisor: "Sergeant Secret",
    });
    expect((await formOf(who, `/search?again=${id}`)).html).not.toContain("Sergeant Secret");
  });

  it("fills the forms of place and convoy searches", async () => {
    const start = "2026-11-01T12:00:00Z";
    const end = "2026-11-01T14:00:00Z";
    const body = {
      ...searchBody([world.ours.id], { plate: "KMY6237", plate_state: "NY", case_number: "26-2002" }),
      minutes: 5,
      places: [
        {
          name: "The bank",
          area: { kind: "cameras", cameras: [`axis:${world.camera.id}`] },
          start_time: start,
          end_time: end,
        },
        {
          area: { kind: "circle", latitude: 41.5, longitude: -72.7, radius_miles: 2 },
          start_time: "2026-11-02T12:00:00Z",
          end_time: "2026-11-02T14:00:00Z",
        },
      ],
    };
    const person = await client(await newUser(world.ours.id, { role: "admin" }));
    expect((await person.post("/search-places", body)).status).toBe(200);
    expect((await person.post("/search-convoy", body)).status).toBe(200);
    const [convoy, places] = (await list(person)).searches;
    const filled = await formOf(person, `/investigate?tool=places&again=${places?.id}`);
    expect(["p0_name", "p0_start", "p1_kind", "p1_radius_miles", "case_number"].map(filled.field)).toEqual([
      "The bank",
      "2026-11-01T07:00",
      "circle",
      "2",
      "26-2002",
    ]);
    expect(filled.area("justification")).toBe("");
    expect(filled.html).toMatch(
      new RegExp(
        `<input[^>]*value="axis:${world.camera.id}"[^>]*checked=""|checked=""[^>]*value="axis:${world.camera.id}"`,
      ),
    );
    const again = await formOf(person, `/investigate?tool=convoy&again=${convoy?.id}`);
    expect(["plate", "minutes", "at_least"].map(again.field)).toEqual(["KMY6237", "5", "3"]);
    const newYork = /<option[^>]*(?:value="NY"[^>]*selected=""|selected=""[^>]*value="NY")/;
    expect(filled.html).toMatch(newYork);
    expect(again.html).toMatch(newYork);
    expect(again.html).toContain("ending now.");
    // Another user's search leaves the form empty.
    const other = await formOf(admin, `/investigate?tool=convoy&again=${convoy?.id}`);
    expect(other.field("plate")).toBe("");
  });
});
