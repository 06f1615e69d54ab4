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
  /** Ids of the first reads of the officer's search, of one program where it is named. */
  idsOf: (count: number, program?: string) => string[];
};

/** A world in which an officer has searched everything and has reads to export. */
export async function exportWorld(): Promise<ExportWorld> {
  const world = await newWorld();
  const officer = await client(world.users.officer);
  // A week may hold fewer reads than make a large export.
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

/** The keys of what R2 holds of an export. */
export async function filesOf(id: string): Promise<string[]> {
  const { objects } = await bindings.RESULTS.list({ prefix: `exports/${id}/` });
  return objects.map(({ key }) => key);
}

/** Asks for an export as the screen does, with progress; gives the id of the job that it becomes. */
export async function queueExport(who: Client, kind: "pdf" | "zip", body: object): Promise<string> {
  const accept = { headers: { accept: "application/x-ndjson" } };
  const text = await (await who.post(`/export-${kind}`, body, accept)).text();
  const last = JSON.parse(text.trim().split("\n").at(-1) ?? "{}") as { type: string; id: string };
  if (last.type !== "queued") throw new Error(`The export was not queued: ${text}`);
  return last.id;
}
