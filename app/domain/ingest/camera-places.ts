// Locations of Rekor's cameras. Reads register cameras; the owner's corrections apply wherever reads are shown. A result
// set is stored with the locations of its time, and later corrections are applied when its rows are read.

import type { AppContext } from "#app/context.ts";
import { camerasOf, correctColumns } from "#app/entities/ingest/camera-corrections.ts";
import type { ColumnsBuilder } from "#app/entities/search/result-builder.ts";
import { decodeColumns, encodeColumns } from "#app/entities/search/result-codec.ts";
import { type Columns, placeAt } from "#app/entities/search/result-columns.ts";
import type { ResultSet } from "#app/entities/search/result-set.ts";
import type { Place } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { Statement } from "#app/store/database.ts";
import { lastCorrectionSince, listCorrections, noteRekorCameras } from "#app/store/ingest/rekor-cameras.ts";
import { listKeyOwners } from "#app/store/integrations/settings.ts";
import { openColumns } from "#app/store/search/result-sets.ts";

/** Moves found reads to their cameras' corrected locations. Returns the statements that register the cameras seen. */
export async function placeCameras(
  app: AppContext,
  found: { sources: SearchSource[]; columns: ColumnsBuilder },
): Promise<Statement[]> {
  const { sources, columns } = found;
  const rekor = sources.filter(({ program }) => program === "Rekor");
  if (rekor.length === 0 || columns.count === 0) return [];
  const keys = rekor.map(({ id }) => id);
  const [owners, corrections] = await Promise.all([listKeyOwners(app.db, keys), listCorrections(app.db)]);
  const seen = camerasOf(columns, owners);
  correctColumns(columns, corrections);
  return noteRekorCameras(app.db, seen);
}

/** Returns the encoded rows of a running search with today's camera locations. Leaves the search's columns unchanged. */
export async function withCorrections(
  app: AppContext,
  { columns, order }: { columns: ColumnsBuilder; order: Uint32Array },
): Promise<Uint8Array<ArrayBuffer>> {
  const encoded = encodeColumns(columns, order);
  const copy = decodeColumns(encoded);
  const isChanged = correctColumns(copy, await listCorrections(app.db));
  return isChanged ? encodeColumns(copy, rowOrder(copy)) : encoded;
}

const rowOrder = ({ count }: Columns) => Uint32Array.from({ length: count }, (_, row) => row);

type Stored = { set: ResultSet; object: R2ObjectBody };

/**
 * Returns the rows of a stored set with today's camera locations. `onFound` is called with the rows before they are
 * corrected.
 */
export async function placedColumns(
  app: AppContext,
  { set, object }: Stored,
  onFound: (columns: Columns) => void = () => {},
): Promise<Columns> {
  const columns = decodeColumns(new Uint8Array(await object.arrayBuffer()));
  onFound(columns);
  correctColumns(columns, await listCorrections(app.db, { since: set.createdAt }));
  return columns;
}

/** Returns the encoded rows of a stored set with corrections made since its search, or null if there were none. */
export async function correctedColumns(
  app: AppContext,
  { set, object }: Stored,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if ((await lastCorrectionSince(app.db, set.createdAt)) === 0) return null;
  const columns = await placedColumns(app, { set, object });
  return encodeColumns(columns, rowOrder(columns));
}

/** Returns the corrected location of one read, or null if no camera was corrected since the search. */
export async function correctedPlace(
  app: AppContext,
  { set, row }: { set: ResultSet; row: number },
): Promise<Place | null> {
  if ((await lastCorrectionSince(app.db, set.createdAt)) === 0) return null;
  const object = await openColumns(app.results, set.id);
  return object && placeAt(await placedColumns(app, { set, object }), row);
}
