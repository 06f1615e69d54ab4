// The edit form of a group as a browser without scripts sends it: a refusal marks the wrong field.

import { beforeAll, expect, it } from "vitest";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import { bodyOf, type Client, client, formInit, newAgency, newUser } from "../../factories.ts";
import { newPlate } from "../../live.ts";

let hotadmin: Client;
let path: string;
beforeAll(async () => {
  hotadmin = await client(await newUser((await newAgency()).id, { hotlistAdmin: true }));
  const created = hotadmin.fetch("/groups/create-mobile", formInit({ group_name: "Wanted" }));
  path = `/groups/${(await bodyOf(created)).group_id}/edit`;
});

const save = (fields: Record<string, string | File>) =>
  hotadmin.fetch(
    path,
    formInit({ [FORM_FIELDS.intent]: "save", group_name: "Wanted", group_members: "", ...fields }),
  );

/** Returns the names of the fields that a page marks as wrong, each with its hint and problem. */
async function marked(answer: Response): Promise<Record<string, string>> {
  const page = await answer.text();
  const said = (id: string) => new RegExp(`<p id="${id}"[^>]*>(.*?)</p>`).exec(page)?.[1] ?? "";
  const wrong = page.match(/<(?:input|select|textarea)[^>]*aria-invalid="true"[^>]*>/g) ?? [];
  const found = wrong.map((tag) => {
    const [, ids = ""] = /aria-describedby="([^"]*)"/.exec(tag) ?? [];
    const [, name = ""] = /name="([^"]*)"/.exec(tag) ?? [];
    return [name, ids.split(" ").map(said).join(" ")] as const;
  });
  return Object.fromEntries(found);
}

const svg = () => new File(["<svg/>"], "a.svg");

it.each<[string, Record<string, string | File>, string, RegExp]>([
  ["no name", { group_name: " " }, "group_name", /Group name is required/],
  [
    "no plate number",
    { "plates[0][number]": "", "plates[0][reason]": "Stolen" },
    "plates[0][number]",
    /required/,
  ],
  ["a plate number that is none", { "plates[0][number]": "!!!" }, "plates[0][number]", /./],
  [
    "an expiry that is no date",
    { "plates[0][number]": "AB12", "plates[0][expires]": "soon" },
    "plates[0][expires]",
    /not a date/,
  ],
  [
    "an expiry in the past",
    { "plates[0][number]": "AB12", "plates[0][expires]": "2001-01-01" },
    "plates[0][expires]",
    /past|before|passed/,
  ],
  [
    "an unknown state",
    { "plates[0][number]": "AB12", "plates[0][state]": "Atlantis" },
    "plates[0][state]",
    /state/,
  ],
  [
    "a case number that is too long",
    { "plates[0][number]": "AB12", "plates[0][case_number]": "9".repeat(500) },
    "plates[0][case_number]",
    /case number/,
  ],
  [
    "a reason that is too long",
    { "plates[0][number]": "AB12", "plates[0][reason]": "x".repeat(5000) },
    "plates[0][reason]",
    /reason/,
  ],
  [
    "a note that is too long",
    { "plates[0][number]": "AB12", "plates[0][notes]": "x".repeat(5000) },
    "plates[0][notes]",
    /note/,
  ],
  [
    "an attachment of another type",
    { "plates[0][number]": "AB12", "plates[0][file]": svg() },
    "plates[0][file]",
    /a\.svg/,
  ],
  ["an image of another type", { group_image_file: svg() }, "group_image_file", /a\.svg/],
])("%s is marked and explained", async (_, fields, field, problem) => {
  const answer = await save(fields);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(await marked(answer)).toEqual({ [field]: expect.stringMatching(problem) });
});

it("a plate that is in the group already is marked, and the field keeps it", async () => {
  const plate = newPlate();
  const fields = { "plates[0][number]": plate, "plates[0][reason]": "Stolen" };
  expect((await save(fields)).status).toBe(303);
  const again = await save(fields);
  expect(again.status).toBe(409);
  const page = again.clone();
  expect(await marked(again)).toEqual({
    "plates[0][number]": expect.stringContaining(`${plate} is already in`),
  });
  expect(await page.text()).toContain(`value="${plate}"`);
});

it("is no conflict if a client without an idempotency key sends the same again, because the answer was lost", async () => {
  const api = path.replace(/edit$/, "edit-mobile");
  const send = (version: string, over: Record<string, string> = {}) =>
    hotadmin.fetch(api, formInit({ group_name: "Renamed", group_members: "", version, ...over }));
  const read = async () => {
    const data = await bodyOf<{ group: { version: number } }>(
      hotadmin.fetch(path.replace(/edit$/, "edit-data")),
    );
    return data.group.version;
  };
  const opened = await read();
  expect((await send(String(opened))).status).toBe(200);
  const again = await send(String(opened));
  expect(again.status).toBe(200);
  expect(await bodyOf(again)).toMatchObject({ message: "Group updated successfully!", version: opened + 1 });
  expect(await read()).toBe(opened + 1);
  // Anything else that it would change, it would undo.
  expect((await send(String(opened), { group_description: "Other" })).status).toBe(409);
  expect((await send(String(opened), { group_name: "Other" })).status).toBe(409);
  const plate = { "plates[0][number]": newPlate(), "plates[0][reason]": "x" };
  expect((await send(String(opened), plate)).status).toBe(409);
  expect(await read()).toBe(opened + 1);
});
