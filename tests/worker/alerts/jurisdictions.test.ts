import type { D1Migration } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { bindings, client, newAgency, newUser } from "../../factories.ts";
import {
  alertsOf,
  axisEvent,
  groupDocument,
  newCamera,
  newGroup,
  newPlate,
  newWebhook,
  plate,
  postAxis,
  postRekor,
} from "../../live.ts";

let agency: { id: string; name: string };
let webhook: { secret: string };
let camera: { secret: string };

beforeAll(async () => {
  agency = await newAgency();
  webhook = await newWebhook(agency.id);
  camera = await newCamera(agency.id);
});

const stored = async (groupId: string) => {
  const { results } = await bindings.DB.prepare(
    "SELECT state FROM hotlist_entries WHERE group_id = ? ORDER BY id",
  )
    .bind(groupId)
    .all<{ state: string }>();
  return results.map(({ state }) => state);
};

const hitsOf = async (groupId: string) =>
  (await alertsOf(groupId)).map(({ plate_state, differences }) => [plate_state, differences]);

describe("plates of Canada and Mexico", () => {
  it.each(["ON", "CA-ON", "ca-on", "Ontario"])(
    "listed as %s match reads of every program, even if the entry requires its state, without a mismatch",
    async (state) => {
      const number = newPlate();
      const group = await newGroup(agency.id, [plate(number, { state, state_required: true })]);
      expect(await stored(group.id)).toEqual(["CA-ON"]);
      const at = Date.now();
      for (const [best_region, millisecond] of [
        ["ca-on", 1],
        ["on", 2],
        ["us-ca", 3],
      ] as const)
        await postRekor(
          webhook.secret,
          groupDocument({ epoch_start: at - millisecond, best_plate_number: number, best_region }),
        );
      await postAxis(
        camera.secret,
        axisEvent({ plateUTF8: number, plateCountry: "CAN", plateRegionCode: "ON" }),
      );
      expect(await hitsOf(group.id)).toEqual(Array(3).fill(["CA-ON", "[]"]));
    },
  );

  it("listed before the common vocabulary still match, and the migration rewrites them", async () => {
    const number = newPlate();
    const group = await newGroup(agency.id, [
      plate(number, { state_required: true, state: "CT" }),
      plate(newPlate(), { notes: "NCIC V123456789, ORI LA0570200" }),
      plate(newPlate()),
      plate(newPlate(), { state: "CA" }),
    ]);
    const states = ["ON", "NB", "NB", "CA"];
    await bindings.DB.batch(
      states.map((state, at) =>
        bindings.DB.prepare("UPDATE hotlist_entries SET state = ? WHERE id = ?").bind(
          state,
          group.entries[at],
        ),
      ),
    );
    const event = { best_plate_number: number, best_region: "ca-on" };
    expect((await postRekor(webhook.secret, groupDocument(event))).status).toBe(200);
    expect(await hitsOf(group.id)).toEqual([["CA-ON", "[]"]]);

    const { control } = (bindings as unknown as { TEST_MIGRATIONS: { control: D1Migration[] } })
      .TEST_MIGRATIONS;
    const migration = control.find(({ name }) => name.endsWith("_jurisdictions.sql"));
    for (const query of migration?.queries ?? []) await bindings.DB.prepare(query).run();
    expect(await stored(group.id)).toEqual(["CA-ON", "NE", "CA-NB", "CA"]);
  });

  it("are added, checked and found with any spelling of the jurisdiction, and listed with one", async () => {
    const hotadmin = await newUser(agency.id, { hotlistAdmin: true });
    const phone = await client(hotadmin);
    const group = await newGroup(agency.id, []);
    const number = newPlate();
    const wanted = { plate_number: number, reason: "Stolen", group_id: group.id };
    const add = (state: string) => phone.post("/hotlist/add-plate-direct", { ...wanted, state });
    expect((await add("CA-ON")).status).toBe(200);
    expect((await add("ON")).status).toBe(409);
    expect((await add("mx-jal")).status).toBe(200);
    expect((await add("ca-zz")).status).toBe(400);
    expect(await stored(group.id)).toEqual(["CA-ON", "MX-JAL"]);
    const check = await phone.post("/hotlist/check-plate", { ...wanted, state: "Ontario" });
    expect(await check.json()).toMatchObject({ duplicates: [{ state: "CA-ON", in_this_group: true }] });
    const past = await phone.post("/hotlist/past-reads", { plate_number: number, state: "ca-on" });
    expect(past.status).toBe(200);
  });
});
