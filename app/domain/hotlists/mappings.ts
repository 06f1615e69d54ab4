// The mapping step of an import: the start of its file, the meaning of its columns, and mappings that an agency saves
// by name.

import type { AppContext } from "#app/context.ts";
import { auditIfChanged } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type ImportStatus, importReplaced, presetLabel } from "#app/entities/hotlists/import.ts";
import { MAPPINGS_MAX, type SavedMapping } from "#app/entities/hotlists/layout.ts";
import { layoutOfForm, layoutProblem, type MappingStepData } from "#app/entities/hotlists/mapping.ts";
import { MapImport } from "#app/entities/hotlists/mapping-calls.ts";
import { PRESETS } from "#app/entities/hotlists/presets.ts";
import { layoutOfPreset, matchingPresets } from "#app/entities/hotlists/recognize.ts";
import { readFileStart, SAMPLE_BYTES, shownLines, startOfLines } from "#app/entities/hotlists/sample.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";
import { AppError } from "#app/lib/errors.ts";
import { brokenConstraint } from "#app/store/constraints.ts";
import { changesOf, inOneStep } from "#app/store/database.ts";
import { readImportFile, updateImport } from "#app/store/hotlists/imports.ts";
import {
  findMapping,
  insertMapping,
  listMappings,
  removeMapping,
  renameMapping,
} from "#app/store/hotlists/mappings.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { findAgency } from "#app/store/users/agencies.ts";
import { requireEditableGroup } from "./groups.ts";
import { queueImport, reloadImport } from "./import-work.ts";
import { latestImport, requireImport, statusOf } from "./imports.ts";

const NAME_TAKEN = "A mapping with this name exists. Choose another name.";

/**
 * Returns the mapping step of a group's open import; null if no import waits for it. Throws AppError not_found and
 * forbidden.
 */
export async function mappingStep(
  app: AppContext,
  actor: Actor,
  groupId: string,
): Promise<MappingStepData | null> {
  const group = await requireEditableGroup(app, actor, groupId);
  const latest = await latestImport(app, actor, group.id);
  if (latest?.state !== "mapping") return null;
  const length = Math.min(latest.size, SAMPLE_BYTES);
  const [bytes, mappings, agency] = await Promise.all([
    readImportFile(app.imports, latest.id, { offset: 0, length }),
    listMappings(app.db, actor.agencyId),
    findAgency(app.db, actor.agencyId),
  ]);
  if (!bytes || !agency)
    throw new AppError("not_found", "The uploaded file is no longer available. Upload it again.");
  const start = readFileStart(bytes, latest.size <= SAMPLE_BYTES);
  const presets = matchingPresets(start.sample)
    // The form starts with one plate per line.
    .filter((preset) => preset !== "simple" && preset in PRESETS)
    .flatMap((preset) => {
      const { layout } = layoutOfPreset(preset, start.sample);
      return layout ? [{ label: presetLabel(preset), layout }] : [];
    });
  return {
    group: { id: group.id, name: group.name },
    import: latest,
    lines: shownLines(start),
    suggestions: [...presets, ...mappings.map(({ name, layout }) => ({ label: name, layout }))],
    zone: agency.policy.time_zone,
    now: app.clock(),
  };
}

/**
 * Sets the columns of a waiting import and continues it. Saves them as a mapping of the agency if `save_as` is set.
 * Throws AppError conflict if the import is not waiting for columns, the name is taken, or the agency has too
 * many mappings.
 */
export async function mapImport(
  app: AppContext,
  actor: Actor,
  input: { groupId: string; id: string } & MapImport,
): Promise<ImportStatus> {
  const row = await requireImport(app, actor, input);
  const { layout, save_as: name } = input;
  const at = app.clock();
  const who = { ...auditWho(actor), at, outcome: "ok" as const };
  const id = randomToken();
  const label = name ?? "Custom columns";
  try {
    await inOneStep(app.db, [
      updateImport(app.db, {
        id: row.id,
        step: row.step,
        states: ["mapping"],
        at,
        set: { state: "reading", layout: { layout, label, format: null } },
      }),
      insertAudit(app.db, {
        ...who,
        action: "hotlist-import.map",
        object: row.groupId,
        detail: { import: row.id, file: row.fileName, layout },
      }),
      ...(name
        ? [
            insertMapping(
              app.db,
              { id, agencyId: actor.agencyId, name, layout, at, by: actor.userId },
              MAPPINGS_MAX,
            ),
            insertAudit(app.db, {
              ...who,
              action: "hotlist-mapping.add",
              object: id,
              detail: { after: { name, layout } },
            }),
          ]
        : []),
    ]);
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken === "hotlist_mappings.created_at") throw mappingsFull(error);
    if (broken?.startsWith("hotlist_mappings")) throw new AppError("conflict", NAME_TAKEN, { cause: error });
    if (broken) throw new AppError("conflict", "This import is not waiting for columns.", { cause: error });
    throw error;
  }
  await queueImport(app, row.id);
  return statusOf(app, await reloadImport(app, row.id));
}

const mappingsFull = (cause: unknown) =>
  new AppError("conflict", `An agency can have at most ${MAPPINGS_MAX} mappings. Delete one first.`, {
    cause,
  });

/**
 * Does the same for the form of the mapping step: `layout` names a suggestion, or the other fields describe a layout.
 * Throws AppError bad_request if the layout cannot be used, and conflict if the form is for another import.
 */
export async function mapImportByForm(
  app: AppContext,
  actor: Actor,
  { groupId, fields }: { groupId: string; fields: Record<string, string> },
): Promise<ImportStatus> {
  const step = await mappingStep(app, actor, groupId);
  if (!step) throw new AppError("conflict", "No import of this group is waiting for columns.");
  // The columns were chosen for the lines of another file.
  if (fields.import !== step.import.id) throw new AppError("conflict", importReplaced(step.import.file_name));
  const known = step.suggestions.find(({ label }) => label === fields.layout);
  const layout = known?.layout ?? layoutOfForm(Object.entries(fields), startOfLines(step.lines).sample);
  const missing = layoutProblem(layout);
  if (missing) throw new AppError("bad_request", missing);
  const name = known ? "" : (fields.name ?? "").trim();
  const parsed = MapImport.safeParse({ layout, ...(name && { save_as: name }) });
  if (!parsed.success)
    throw new AppError("bad_request", parsed.error.issues[0]?.message || "These columns cannot be used.");
  return mapImport(app, actor, { groupId, id: fields.import ?? "", ...parsed.data });
}

/** Returns the mappings of the actor's agency by name. */
export async function agencyMappings(app: AppContext, actor: Actor): Promise<{ mappings: SavedMapping[] }> {
  return { mappings: await listMappings(app.db, actor.agencyId) };
}

async function requireMapping(app: AppContext, actor: Actor, id: string): Promise<SavedMapping> {
  const mapping = await findMapping(app.db, { id, agencyId: actor.agencyId });
  if (!mapping) throw noMapping();
  return mapping;
}

const noMapping = () => new AppError("not_found", "This mapping does not exist.");

/** Renames a mapping of the actor's agency. Throws AppError not_found, and conflict if the name is taken. */
export async function renameAgencyMapping(
  app: AppContext,
  actor: Actor,
  { id, name }: { id: string; name: string },
): Promise<{ mapping: SavedMapping }> {
  const before = await requireMapping(app, actor, id);
  try {
    const [changed] = await inOneStep(app.db, [
      renameMapping(app.db, { id, agencyId: actor.agencyId }, name),
      auditIfChanged(app, actor, {
        action: "hotlist-mapping.rename",
        object: id,
        detail: { before: { name: before.name }, after: { name } },
      }),
    ]);
    if (changesOf(changed) === 0) throw noMapping();
  } catch (error) {
    if (brokenConstraint(error)) throw new AppError("conflict", NAME_TAKEN, { cause: error });
    throw error;
  }
  return { mapping: { ...before, name } };
}

/** Deletes a mapping of the actor's agency. Imports that use it have a copy. Throws AppError not_found. */
export async function deleteAgencyMapping(app: AppContext, actor: Actor, id: string): Promise<void> {
  const before = await requireMapping(app, actor, id);
  const [changed] = await inOneStep(app.db, [
    removeMapping(app.db, { id, agencyId: actor.agencyId }),
    auditIfChanged(app, actor, {
      action: "hotlist-mapping.delete",
      object: id,
      detail: { before: { name: before.name, layout: before.layout } },
    }),
  ]);
  if (changesOf(changed) === 0) throw noMapping();
}
