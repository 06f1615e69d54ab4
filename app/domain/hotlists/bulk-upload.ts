// Imports a CSV of plates in one request. The steps are those of an interactive import, run at once. If the file is
// refused, nothing changes.

import type { AppContext } from "#app/context.ts";
import { requireRecentProof } from "#app/domain/accounts/step-up.ts";
import { requireStill } from "#app/domain/accounts/still-allowed.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import type { ImportOptions } from "#app/entities/hotlists/calls.ts";
import { BULK_MAX_BYTES, BULK_MAX_ROWS, ignoredText } from "#app/entities/hotlists/import.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { counted } from "#app/lib/number-text.ts";
import { listIssues, type StoredImport } from "#app/store/hotlists/imports.ts";
import { requireEditableGroup } from "./groups.ts";
import { advanceImport, continueImport, reloadImport } from "./import-work.ts";
import { applyImport, openImport, withdrawImport } from "./imports.ts";

/** Of D1's 1,000 queries per invocation, those up to the end of the dry run and those after it. */
const QUERIES_BEFORE = 600;
const QUERIES_AFTER = 200;
/** Bytes that one step reads: more than in a queue message, because the whole file is read with these queries. */
const BLOCK = 512 * 1024;

/**
 * POST /groups/{id}/bulk-upload-plates: imports a small CSV in Odin's format. If all plates are to be replaced, nothing
 * changes if a row is rejected or the file has none. The same applies if the actor loses the right meanwhile. Returns a
 * summary for the user. Throws AppError with a user-facing message.
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
    isUpload: true,
  });
  try {
    return await applyAtOnce(app, actor, row);
  } catch (error) {
    // No one would decide on it, and an open import keeps others from starting.
    await withdraw(app, actor, row.id).catch((problem: unknown) =>
      logError("the import of an upload could not be canceled", problem),
    );
    throw error;
  }
}

async function withdraw(app: AppContext, actor: SessionActor, id: string): Promise<void> {
  const { state } = await reloadImport(app, id);
  if (["renewing", "applied", "cancelled", "failed"].includes(state)) return;
  await withdrawImport(app, actor, id);
  await continueImport(app, id, { queries: QUERIES_AFTER });
}

async function applyAtOnce(app: AppContext, actor: SessionActor, row: StoredImport): Promise<string> {
  const { id, groupId, mode } = row;
  const limits = { ms: Number.POSITIVE_INFINITY, queries: QUERIES_BEFORE, block: BLOCK };
  if (!(await advanceImport(app, id, limits)))
    throw new AppError(
      "too_large",
      "The file or the list is too large. Import it on the group's page instead.",
    );
  const done = await reloadImport(app, id);
  if (done.state !== "ready") throw new AppError("bad_request", done.message || "The import was canceled.");
  if (done.rows > BULK_MAX_ROWS)
    throw new AppError("too_large", "The file has too many rows. Import it on the group's page instead.");
  // No one has previewed it, and an export that failed has a header only: it must not end all alerts of a group.
  if (mode === "replace" && done.rows === 0)
    throw new AppError(
      "bad_request",
      "Nothing was changed: the file has no plates to replace the list with.",
    );
  const [issue] = await listIssues(app.db, id, 1);
  const first = `The first is line ${issue?.line}: ${issue?.reason}`;
  if (done.rejected > 0 && (mode === "replace" || done.added + done.unchanged === 0))
    throw new AppError(
      "bad_request",
      `Nothing was changed: ${counted(done.rejected, "row")} cannot be read. ${first}`,
    );
  // Reading a large file and comparing it with the list takes a while.
  const current = await requireStill(app, actor, "hotlist-admin");
  await applyImport(app, current, { groupId, id });
  // The new list is in force, whatever happens to the rest of the work: its message or the sweep continues it.
  await continueImport(app, id, { queries: QUERIES_AFTER }).catch((problem: unknown) =>
    logError("the import of an upload is continued later", problem),
  );
  const rejected = done.rejected > 0 ? ` ${counted(done.rejected, "row")} rejected. ${first}` : "";
  const names = done.layout?.ignored ?? [];
  const ignored = names.length > 0 ? ` ${ignoredText(names)}` : "";
  return `${counted(done.added, "plate")} added, ${done.unchanged} unchanged, ${done.conflicting} conflicting, ${done.removed} removed.${rejected}${ignored}`;
}
