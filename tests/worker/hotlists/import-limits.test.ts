import { expect, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { createGroup } from "#app/domain/hotlists/group-changes.ts";
import { continueImport } from "#app/domain/hotlists/import-work.ts";
import { applyImport, latestImport, startImport } from "#app/domain/hotlists/imports.ts";
import { mapImport } from "#app/domain/hotlists/mappings.ts";
import { GroupForm, ImportOptions } from "#app/entities/hotlists/calls.ts";
import { newAgency, newUser, quietApp, sessionActorOf, setExpiryDays } from "../../factories.ts";
import { withBatches } from "../../support/batches.ts";

const PLATES = 100_000;

/** Five bytes a line: more rows than any other file in each block that is read. */
const FILE = new TextEncoder().encode(
  Array.from({ length: PLATES }, (_, i) => (36 ** 3 + i).toString(36).toUpperCase()).join("\n"),
);

/** D1 accepts no larger text; the local database does. */
const TEXT_MOST = 2_000_000;

/** Returns the context with a database that fails a batch as D1 does if one of its texts is too large. */
function withLimit(app: AppContext): AppContext {
  type Query = { params: unknown[] };
  type Built = { getQuery?: () => Query; toSQL: () => Query };
  return withBatches(app, async (run, statements) => {
    const queries = (statements as Built[]).map((one) => one.getQuery?.() ?? one.toSQL());
    for (const param of queries.flatMap(({ params }) => params))
      if (typeof param === "string" && param.length > TEXT_MOST)
        throw new Error("string or blob too big: SQLITE_TOOBIG");
    return run(statements);
  });
}

it("confirms a list of short plates that one block of the file names", async () => {
  const app = withLimit(quietApp(() => Date.now()));
  const agency = await newAgency();
  await setExpiryDays(agency.id, 30);
  const actor = sessionActorOf(await newUser(agency.id, { hotlistAdmin: true }), agency.name);
  const form = GroupForm.parse({ group_name: "Stolen" });
  const { group_id: groupId } = await createGroup(app, actor, { form, image: null, plates: [] });
  const importList = async () => {
    const options = ImportOptions.parse({ preset: "columns" });
    const { id } = await startImport(app, actor, { groupId, options, body: FILE, size: FILE.length });
    await continueImport(app, id, Number.POSITIVE_INFINITY);
    const layout = {
      kind: "delimited" as const,
      delimiter: "," as const,
      header: 0,
      parts: [{ field: "plate" as const, column: 0 }],
      reason: "Stolen",
    };
    await mapImport(app, actor, { groupId, id, layout });
    await continueImport(app, id, Number.POSITIVE_INFINITY);
    return { ...(await latestImport(app, actor, groupId)), id };
  };
  const first = await importList();
  expect(first).toMatchObject({ state: "ready", rows: PLATES, added: PLATES });
  await applyImport(app, actor, { groupId, id: first.id });
  await continueImport(app, first.id, Number.POSITIVE_INFINITY);
  expect(await importList()).toMatchObject({ state: "ready", rows: PLATES, unchanged: PLATES });
});
