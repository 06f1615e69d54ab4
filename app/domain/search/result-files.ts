// The files of a complete result set, of a search or an investigation.

import type { AppContext } from "#app/context.ts";
import { type ColumnsBuilder, encodeLocators } from "#app/entities/search/result-builder.ts";
import { encodeColumns, encodeRows } from "#app/entities/search/result-codec.ts";
import { FIRST_ROWS } from "#app/entities/search/result-set.ts";
import { putResultFiles } from "#app/store/search/result-sets.ts";

/** Stores the files of a complete result set, whose rows are those of `columns` in this order. */
export async function storeResultFiles(
  app: AppContext,
  { id, columns, order }: { id: string; columns: ColumnsBuilder; order: Uint32Array },
): Promise<void> {
  await putResultFiles(app.results, {
    id,
    count: columns.count,
    columns: () => encodeColumns(columns, order),
    firstRows: () => encodeRows(columns, order.subarray(0, FIRST_ROWS)),
    locators: () => encodeLocators(columns, order),
  });
}
