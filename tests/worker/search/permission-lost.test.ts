import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { searchPlaces } from "#app/domain/search/investigate/places.ts";
import { searchReads } from "#app/domain/search/run.ts";
import { PlacesRequest } from "#app/entities/search/investigate/request.ts";
import type { SearchProgress } from "#app/entities/search/query.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { at } from "#app/lib/at.ts";
import { HOUR, isoTime, MINUTE, SECOND } from "#app/lib/time/dates.ts";
import {
  actorOf,
  auditOf,
  bindings,
  type Client,
  client,
  newWorld,
  pushRead,
  searchBody,
  setUpPart,
  testApp,
  type World,
} from "../../factories.ts";

let world: World;
let admin: Client;
/** The camera of an agency that shares its reads with ours. */
let camera: World["camera"];

beforeAll(async () => {
  world = await newWorld();
  admin = await client(world.users.admin);
  camera = at(world.axisCameras, 1);
  for (const hours of [3, 5]) await pushRead(camera, { plate: "AXS0001", at: Date.now() - hours * HOUR });
});

const run = (sql: string, ...values: string[]) =>
  bindings.DB.prepare(sql)
    .bind(...values)
    .run();
const endSharing = () => run("DELETE FROM axis_shares WHERE owner_agency_id = ?", world.theirs.id);
const disableUser = () => run("UPDATE users SET disabled_at = 1 WHERE id = ?", world.users.admin.id);

beforeEach(async () => {
  await endSharing();
  await setUpPart({ axisShares: [{ ownerAgencyId: world.theirs.id, viewerAgencyId: world.ours.id }] });
  await run("UPDATE users SET disabled_at = NULL WHERE id = ?", world.users.admin.id);
});

/** Runs a search that takes this long, and in which something happens once reads have arrived. */
async function searchDuring(
  tool: "search" | "places",
  { act, ms }: { act: () => Promise<unknown>; ms: number },
) {
  let now = Date.now();
  const app = testApp(() => now);
  const actor = await actorOf(admin);
  let acted: Promise<unknown> | undefined;
  const hooks = {
    signal: new AbortController().signal,
    onProgress(progress: SearchProgress) {
      if (progress.type !== "status" || progress.source.reads === 0 || acted) return;
      now += ms;
      acted = act();
    },
  };
  const body = searchBody([world.theirs.id], { case_number: "26-1" });
  if (tool === "search") return searchReads(app, actor, { request: SearchRequest.parse(body), ...hooks });
  const place = (hours: number) => ({
    name: "",
    area: { kind: "cameras", cameras: [`axis:${camera.id}`] },
    start_time: isoTime(now - (hours + 0.5) * HOUR),
    end_time: isoTime(now - (hours - 0.5) * HOUR),
  });
  const request = PlacesRequest.parse({ ...body, places: [place(3), place(5)] });
  return searchPlaces(app, { ...actor, investigator: true }, { request, ...hooks });
}

describe.each(["search", "places"] as const)("a long search (%s)", (tool) => {
  it.each([
    ["an agency ends its sharing", endSharing, "gone", / no longer shares reads with your agency\.$/],
    ["its user is disabled", disableUser, "forbidden", /./],
  ])("answers and stores nothing if %s meanwhile", async (_, act, code, message) => {
    const failure = await searchDuring(tool, { act, ms: MINUTE }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message), audited: true });
    const [ended] = await auditOf(world.users.admin, 1);
    const action = tool === "search" ? "search.finished" : "search-places.finished";
    expect(ended).toMatchObject({ action, outcome: "failed" });
    expect(await bindings.RESULTS.head(`results/${ended?.object}/columns`)).toBeNull();
    const set = await bindings.DB.prepare("SELECT state FROM result_sets WHERE id = ?").bind(ended?.object);
    expect(await set.first("state")).toBe("failed");
  });

  it("is not checked again if it took seconds only", async () => {
    await searchDuring(tool, { act: async () => {}, ms: 20 * SECOND });
  });
});
