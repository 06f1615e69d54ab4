import { DAY, isoTime } from "#app/lib/time/dates.ts";
import {
  bindings,
  type Client,
  client,
  type Found,
  newWorld,
  search,
  searchBody,
  type World,
} from "../factories.ts";

export type ExportWorld = {
  world: World;
  officer: Client;
  found: Found;
  /** Returns the ids of the first reads of the officer's search, optionally of one program. */
  idsOf: (count: number, program?: string) => string[];
};

/** Creates a world in which an officer has searched everything and has reads to export. */
export async function exportWorld(): Promise<ExportWorld> {
  const world = await newWorld();
  const officer = await client(world.users.officer);
  // Searches three weeks, because one may have too few reads for a large export.
  const start_time = isoTime(Date.now() - 21 * DAY);
  const found = await search(officer, searchBody(world.agencies, { start_time }));
  const idsOf = (count: number, program?: string) =>
    found.rows
      .filter((row) => program === undefined || row.source_program === program)
      .slice(0, count)
      .map(({ id }) => id);
  return { world, officer, found, idsOf };
}

export async function bytesOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer());
}

/** Returns the keys of the R2 objects of an export. */
export async function filesOf(id: string): Promise<string[]> {
  const { objects } = await bindings.RESULTS.list({ prefix: `exports/${id}/` });
  return objects.map(({ key }) => key);
}

/** Requests an export with progress, like the screen. Returns the id of its job. */
export async function queueExport(who: Client, kind: "pdf" | "zip", body: object): Promise<string> {
  const accept = { headers: { accept: "application/x-ndjson" } };
  const text = await (await who.post(`/export-${kind}`, body, accept)).text();
  const last = JSON.parse(text.trim().split("\n").at(-1) ?? "{}") as { type: string; id: string };
  if (last.type !== "queued") throw new Error(`The export was not queued: ${text}`);
  return last.id;
}
