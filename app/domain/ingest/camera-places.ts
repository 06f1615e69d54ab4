// Where Rekor's cameras stand: reads make cameras known, and what the owner corrects holds wherever reads are shown.
// A search keeps the corrected places; for what was corrected after it, its rows are placed anew as they are read.

import type { AppContext } from "#app/context.ts";
import { camerasOf, correctColumns } from "#app/entities/ingest/camera-corrections.ts";
import type { ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { type Columns, placeAt } from "#app/entities/search/result-columns.ts";
import type { ResultSet } from "#app/entities/search/result-set.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { Statement } from "#app/store/database.ts";
import { lastCorrectionSince, listCorrections, noteRekorCameras } from "#app/store/ingest/rekor-cameras.ts";
import { openColumns } from "#app/store/search/result-sets.ts";
import { findAgenciesNamed } from "#app/store/users/agencies.ts";

/** Places found reads where their cameras stand, and gives the statement that notes those cameras. */
export async function placeCameras(
  app: AppContext,
  found: { sources: SearchSource[]; columns: ColumnsBuilder },
): Promise<Statement[]> {
  const { sources, columns } = found;
  const rekor = sources.filter(({ program }) => program === "Rekor");
  if (rekor.length === 0 || columns.count === 0) return [];
  const agencies = await findAgenciesNamed(
    app.db,
    rekor.map(({ agency }) => agency),
  );
  const owners = new Map(rekor.map(({ id, agency }) => [id, agencies.get(agency.toLowerCase()) ?? null]));
  const seen = camerasOf(columns, owners);
  correctColumns(columns, await listCorrections(app.db));
  return seen.length === 0 ? [] : [noteRekorCameras(app.db, seen)];
}

type Stored = { set: ResultSet; object: R2ObjectBody };

/** The rows of a stored set, each at the place that holds now. */
export async function placedColumns(app: AppContext, { set, object }: Stored): Promise<Columns> {
  const columns = decodeColumns(new Uint8Array(await object.arrayBuffer()));
  correctColumns(columns, await listCorrections(app.db, { since: set.createdAt }));
  return columns;
}

/** The bytes of a stored set with what was corrected since its search; null where nothing was. */
export async function correctedColumns(
  app: AppContext,
  { set, object }: Stored,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if ((await lastCorrectionSince(app.db, set.createdAt)) === 0) return null;
  const columns = await placedColumns(app, { set, object });
  return encodeColumns(
    columns,
    Uint32Array.from({ length: columns.count }, (_, row) => row),
  );
}

/** The place of one read of a set of which something was corrected since; null where nothing was. */
export async function correctedPlace(
  app: AppContext,
  { set, row }: { set: ResultSet; row: number },
): Promise<{ latitude: number; longitude: number } | null> {
  if ((await lastCorrectionSince(app.db, set.createdAt)) === 0) return null;
  const object = await openColumns(app.results, set.id);
  return object && placeAt(await placedColumns(app, { set, object }), row);
}
