// Past reads of a plate of a hotlist say where a vehicle was, as a search does.

import { beforeAll, expect, it } from "vitest";
import type { PastReads } from "#app/entities/archive/past-reads.ts";
import {
  auditOf,
  bindings,
  bodyOf,
  type Client,
  client,
  newAgency,
  newUser,
  pushRead,
  type TestUser,
} from "../../factories.ts";
import { newCamera, newPlate } from "../../live.ts";

let agency: { id: string };
let hotadmin: TestUser;
let who: Client;
let camera: { secret: string };

beforeAll(async () => {
  agency = await newAgency();
  hotadmin = await newUser(agency.id, { hotlistAdmin: true });
  who = await client(hotadmin);
  camera = await newCamera(agency.id);
});

it("past reads need a case number where the agency requires one for every search", async () => {
  const plate_number = newPlate();
  await pushRead(camera, { plate: plate_number, at: Date.now() });
  const look = (over: object = {}) => who.post("/hotlist/past-reads", { plate_number, ...over });
  expect((await bodyOf<PastReads>(look())).reads).toHaveLength(1);
  await bindings.DB.prepare("UPDATE agencies SET case_number_required = 1 WHERE id = ?")
    .bind(agency.id)
    .run();
  for (const case_number of ["", " \u200B"]) {
    const refused = await look({ case_number });
    expect([refused.status, await bodyOf(refused)]).toEqual([
      400,
      expect.objectContaining({ message: "Your agency requires a case number for every search." }),
    ]);
  }
  expect(await auditOf(hotadmin)).toMatchObject([
    { action: "plate.past-reads", outcome: "refused", plate: plate_number },
  ]);
  expect((await bodyOf<PastReads>(look({ case_number: "26-1044" }))).reads).toHaveLength(1);
  expect(await auditOf(hotadmin)).toMatchObject([
    { action: "plate.past-reads", outcome: "ok", plate: plate_number, case_number: "26-1044" },
  ]);
});
