// Imports a CSV of plates in one request. The steps are those of an interactive import, run at once. If the file is
// refused, nothing changes.

import type { AppContext } from "#app/context.ts";
import { requireRecentProof } from "#app/domain/accounts/step-up.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import type { ImportOptions } from "#app/entities/hotlists/calls.ts";
import { BULK_MAX_BYTES, BULK_MAX_ROWS } from "#app/entities/hotlists/import.ts";
import { AppError } from "#app/lib/errors.ts";
import { listIssues } from "#app/store/hotlists/imports.ts";
import { requireEditableGroup } from "./groups.ts";
import { continueImport, reloadImport } from "./import-work.ts";
import { applyImport, cancelImport, openImport } from "./imports.ts";

/**
 * POST /groups/{id}/bulk-upload-plates: imports a small CSV in Odin's format. If all plates are to be replaced, nothing
 * changes if a row is rejected or the file has none. Returns a summary for the user. Throws AppError with a user-facing
 * message.
 */
export async function bulkUpload(
  app: AppContext,
  actor: SessionActor,
  input: {
    groupId: string;
    file: { name: string; bytes: Uint8Array<ArrayBuffer> } | undefined;
    mode: "add" | "replace";
  },
): Promise<string> {
  const { file, mode } = input;
  await requireEditableGroup(app, actor, input.groupId);
  if (mode === "replace") requireRecentProof(app, actor);
  if (!file) throw new AppError("bad_request", "Choose a CSV file.");
  if (file.bytes.length > BULK_MAX_BYTES)
    throw new AppError("too_large", "The file is larger than 20 MB. Import it on the group's page instead.");
  const options: ImportOptions = { preset: "odin", mode, on_conflict: "keep", name: file.name };
  const row = await openImport(app, actor, {
    groupId: input.groupId,
    options,
    body: file.bytes,
    size: file.bytes.length,
  });
  await continueImport(app, row.id, Number.POSITIVE_INFINITY);
  const done = await reloadImport(app, row.id);
  if (done.state !== "ready") throw new AppError("bad_request", done.message || "The import was canceled.");
  const [issue] = await listIssues(app.db, row.id, 1);
  const tooMany = done.rows > BULK_MAX_ROWS;
  // No one has previewed it, and an export that failed has a header only: it must not end all alerts of a group.
  const wouldEmpty = mode === "replace" && done.rows === 0;
  if (
    tooMany ||
    wouldEmpty ||
    (mode === "replace" && done.rejected > 0) ||
    (done.rejected > 0 && done.added + done.unchanged === 0)
  ) {
    await cancelImport(app, actor, { groupId: input.groupId, id: row.id });
    await continueImport(app, row.id);
    if (tooMany)
      throw new AppError("too_large", "The file has too many rows. Import it on the group's page instead.");
    if (wouldEmpty)
      throw new AppError(
        "bad_request",
        "Nothing was changed: the file has no plates to replace the list with.",
      );
    throw new AppError(
      "bad_request",
      `Nothing was changed: ${counted(done.rejected, "row")} cannot be read. The first is line ${issue?.line}: ${issue?.reason}`,
    );
  }
  await applyImport(app, actor, { groupId: input.groupId, id: row.id });
  await continueImport(app, row.id);
  const rejected =
    done.rejected > 0
      ? ` ${counted(done.rejected, "row")} rejected. The first is line ${issue?.line}: ${issue?.reason}`
      : "";
  return `${counted(done.added, "plate")} added, ${done.unchanged} unchanged, ${done.conflicting} conflicting, ${done.removed} removed.${rejected}`;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}
