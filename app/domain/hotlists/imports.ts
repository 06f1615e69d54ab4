// Imports of hotlist files as users see them: start a dry run, review it, apply or cancel it. Nothing of a file is in
// force until it is applied, which is one write. The steps in between are in import-work.ts.

import type { AppContext } from "#app/context.ts";
import { requireRecentProof } from "#app/domain/accounts/step-up.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type { Actor, SessionActor } from "#app/entities/accounts/actor.ts";
import type { ImportOptions } from "#app/entities/hotlists/calls.ts";
import { policyExpiry } from "#app/entities/hotlists/entry.ts";
import {
  IMPORT_MAX_BYTES,
  type ImportStatus,
  isImportBusy,
  presetLabel,
  SAVED_PREFIX,
  UPLOAD_INTERRUPTED,
} from "#app/entities/hotlists/import.ts";
import type { FileLayout } from "#app/entities/hotlists/layout.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { inOneStep } from "#app/store/database.ts";
import { findExpiryDays } from "#app/store/hotlists/groups.ts";
import {
  findImport,
  findLatestImport,
  insertImport,
  listIssues,
  putImportFile,
  removeImportFile,
  type StoredImport,
  switchList,
  updateImport,
} from "#app/store/hotlists/imports.ts";
import { findMapping } from "#app/store/hotlists/mappings.ts";
import { requireEditableGroup } from "./groups.ts";
import { endWith, OPEN, queueImport, reloadImport } from "./import-work.ts";

/**
 * Stores a file and starts its dry run. Throws AppError too_large, bad_request, and conflict if another import of the
 * group is open.
 */
export async function startImport(app: AppContext, actor: Actor, input: NewImport): Promise<ImportStatus> {
  const row = await openImport(app, actor, input);
  await queueImport(app, row.id);
  return statusOf(app, row);
}

type NewImport = {
  groupId: string;
  options: ImportOptions;
  body: ReadableStream | Uint8Array<ArrayBuffer>;
  size: number;
  /** It is applied in the same request. Others wait for a user. */
  isUpload?: boolean;
  /** Throws if the actor has lost access while the file arrived, which may take minutes. */
  admitAgain?: () => Promise<unknown>;
};

/** Stores a file and the row of its import, before any of it is read. Throws as startImport does. */
export async function openImport(app: AppContext, actor: Actor, input: NewImport): Promise<StoredImport> {
  const { options, size } = input;
  const group = await requireEditableGroup(app, actor, input.groupId);
  if (!(size > 0)) throw new AppError("bad_request", "The file is empty.");
  if (size > IMPORT_MAX_BYTES)
    throw new AppError("too_large", "A hotlist file can be at most 95 MB. Split it, and use Add Plates.");
  const other = new AppError("conflict", "Another import of this group is open. Apply or cancel it first.");
  const latest = await findLatestImport(app.db, group.id);
  if (latest && (isImportBusy(latest.state) || ["ready", "mapping"].includes(latest.state))) throw other;
  const layout = await savedLayout(app, actor, options.preset);
  const at = app.clock();
  const id = randomToken();
  const fileName = visibleText(options.name).slice(-120) || "plates";
  await putImportFile(app.imports, id, input.body);
  try {
    await input.admitAgain?.();
    await inOneStep(app.db, [
      ...insertImport(app.db, {
        id,
        groupId: group.id,
        agencyId: actor.agencyId,
        userId: actor.userId,
        username: actor.username,
        userName: actor.name,
        agencyName: actor.agencyName,
        fileName,
        size,
        preset: options.preset,
        layout,
        mode: options.mode,
        // With Replace All, the file always takes precedence.
        onConflict: options.mode === "replace" ? "replace" : options.on_conflict,
        message: input.isUpload ? UPLOAD_INTERRUPTED : "",
        expiresAt: policyExpiry({ now: at, policyDays: await findExpiryDays(app.db, group.agencyId) }),
        createdAt: at,
      }),
      auditAct(app, actor, {
        at,
        action: "hotlist-import.start",
        object: group.id,
        detail: { import: id, file: fileName, size, preset: options.preset, mode: options.mode },
      }),
    ]);
  } catch (error) {
    const broken = brokenConstraint(error);
    // If only the answer of the write was lost, the import has begun and needs its file.
    const begun = broken === undefined ? await findImport(app.db, id) : undefined;
    if (begun) return begun;
    await removeImportFile(app.imports, id);
    if (broken?.startsWith("hotlist_imports")) throw other;
    throw error;
  }
  return reloadImport(app, id);
}

/** Returns the layout of a saved mapping; null for a preset, whose layout is found when the file is read. */
async function savedLayout(app: AppContext, actor: Actor, preset: string): Promise<FileLayout | null> {
  if (!preset.startsWith(SAVED_PREFIX)) return null;
  const id = preset.slice(SAVED_PREFIX.length);
  const mapping = await findMapping(app.db, { id, agencyId: actor.agencyId });
  if (!mapping) throw new AppError("not_found", "This mapping does not exist.");
  return { layout: mapping.layout, label: mapping.name, format: null };
}

/** Returns the status of an import, with up to 500 rows to review. */
export async function statusOf(app: AppContext, row: StoredImport): Promise<ImportStatus> {
  const issues =
    row.rejected + row.conflicting + row.repeated > 0 ? await listIssues(app.db, row.id, 500) : [];
  return {
    id: row.id,
    group_id: row.groupId,
    file_name: row.fileName,
    size: row.size,
    offset: row.offset,
    preset: row.preset,
    layout_name: layoutName(row),
    ignored_columns: row.layout?.ignored ?? [],
    mode: row.mode,
    on_conflict: row.onConflict,
    state: row.state,
    message: OPEN.includes(row.state) ? "" : row.message,
    started_by: row.userName,
    created_at: isoTime(row.createdAt),
    applied_at: row.appliedAt === null ? null : isoTime(row.appliedAt),
    rows: row.rows,
    added: row.added,
    unchanged: row.unchanged,
    conflicting: row.conflicting,
    removed: row.removed,
    rejected: row.rejected,
    repeated: row.repeated,
    issues,
  };
}

function layoutName({ layout, preset }: StoredImport): string {
  if (layout?.label) return layout.label;
  return preset === "auto" || preset === "columns" ? "" : presetLabel(preset);
}

/** Returns the latest import of a group, or null. */
export async function latestImport(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<ImportStatus | null> {
  const group = await requireEditableGroup(app, actor, groupId);
  const row = await findLatestImport(app.db, group.id);
  return row ? statusOf(app, row) : null;
}

/** Returns an import of a group that the actor may edit. Throws AppError not_found and forbidden. */
export async function requireImport(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; id: string },
): Promise<StoredImport> {
  const group = await requireEditableGroup(app, actor, input.groupId);
  const row = await findImport(app.db, input.id);
  if (row?.groupId !== group.id) throw new AppError("not_found", "This import does not exist.");
  return row;
}

/**
 * Applies a finished dry run in one write. Throws AppError conflict if the import is not ready, or the agency's policy
 * gives its plates another expiry than when the file was uploaded, and step_up_required if all plates would be replaced
 * and the actor's last proof of identity is too old.
 */
export async function applyImport(
  app: AppContext,
  actor: SessionActor,
  input: { groupId: string; id: string },
): Promise<ImportStatus> {
  const { id } = await requireImport(app, actor, input);
  // Plates added by hand in the meantime advance the import's step: retry at the current step.
  for (let attempt = 0; ; attempt++) {
    const row = await reloadImport(app, id);
    // Replacing a whole list is a privileged function (CJIS IA-11); adding to one is not.
    if (row.mode === "replace") requireRecentProof(app, actor);
    await requireSamePolicy(app, row);
    try {
      await switchTo(app, actor, row);
      break;
    } catch (error) {
      const broken = brokenConstraint(error);
      if (!broken) throw error;
      if (broken !== "hotlist_imports.step" || row.state !== "ready" || attempt === 20)
        throw new AppError("conflict", "This import is not waiting to be applied.", { cause: error });
    }
  }
  await queueImport(app, id);
  return statusOf(app, await reloadImport(app, id));
}

/** The plates got their expiry when the file was uploaded, which may be a day ago. */
async function requireSamePolicy(app: AppContext, row: StoredImport): Promise<void> {
  const policyDays = await findExpiryDays(app.db, row.agencyId);
  if (row.state !== "ready" || policyExpiry({ now: row.createdAt, policyDays }) === row.expiresAt) return;
  throw new AppError(
    "conflict",
    "Your agency's policy about when plates expire has changed since this file was uploaded. Cancel this import and upload the file again.",
  );
}

async function switchTo(app: AppContext, actor: Actor, row: StoredImport): Promise<void> {
  const at = app.clock();
  const { added, removed, unchanged, conflicting, rejected, repeated, rows } = row;
  await inOneStep(app.db, [
    updateImport(app.db, {
      id: row.id,
      step: row.step,
      states: ["ready"],
      at,
      set: { state: "renewing", message: "", walkedTo: 0, appliedAt: at },
    }),
    switchList(app.db, {
      groupId: row.groupId,
      version: row.version,
      by: actor.userId,
      at,
      change: added - removed,
    }),
    auditAct(app, actor, {
      at,
      action: "hotlist-import.apply",
      object: row.groupId,
      detail: {
        import: row.id,
        file: row.fileName,
        mode: row.mode,
        counts: { rows, added, unchanged, conflicting, removed, rejected, repeated },
        after: { listVersion: row.version },
      },
    }),
  ]);
}

/**
 * Cancels an import that is not in force yet. Its staged rows are removed in the background. Throws AppError conflict.
 */
export async function cancelImport(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; id: string },
): Promise<ImportStatus> {
  const { id } = await requireImport(app, actor, input);
  return statusOf(app, await withdrawImport(app, actor, id));
}

/** Cancels an import as above, including for an actor who may no longer edit the group. */
export async function withdrawImport(app: AppContext, actor: Actor, id: string): Promise<StoredImport> {
  // The queue consumer advances in the meantime: retry at the current step.
  for (let attempt = 0; ; attempt++) {
    const current = await reloadImport(app, id);
    if (["cancelling", "cancelled", "failed"].includes(current.state)) return current;
    try {
      await endWith(app, current, { message: "", action: "hotlist-import.cancel", who: auditWho(actor) });
      await queueImport(app, id);
    } catch (error) {
      if (!brokenConstraint(error)) throw error;
      if (attempt === 20 || !OPEN.includes(current.state))
        throw new AppError("conflict", "This import has already been applied and cannot be canceled.", {
          cause: error,
        });
    }
  }
}
