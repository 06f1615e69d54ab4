// A model of the lists of groups: entries, and imports that are read and applied later, while people change the list by
// hand. Their changes win.

import { isAlive, keyOf, type Model, type ModelEntry, type ModelGroup } from "./hits.ts";

const DAY = 86_400_000;

export type NewEntry = Pick<ModelEntry, "plate" | "state" | "policy" | "required" | "expiresAt">;
export type Row = { plate: string; state: string; expiresAt: number | null };
export type Mode = "add" | "replace";

/** An import that is not applied yet. */
export type OpenImport = {
  mode: Mode;
  rows: Row[];
  at: number;
  policyExpiry: number | null;
  isRead: boolean;
  /** Rows that become entries. */
  staged: Map<string, { expiresAt: number | null; listedAt: number }>;
  /** Entries that the file confirms or that a person changed since, with their expiry once the import is applied. */
  kept: Map<ModelEntry, number | null>;
  ending: Set<ModelEntry>;
  /** Entries that a person added or changed since the upload, and plates that a person removed. */
  touched: Set<ModelEntry>;
  removed: Set<string>;
};

export function policyExpiry(model: Model, group: ModelGroup): number | null {
  const days = model.policyDays[group.agency] ?? 0;
  return days === 0 ? null : model.now + days * DAY;
}

function setExpiry(model: Model, entry: ModelEntry, expiresAt: number | null): void {
  const wasAlive = isAlive(model, entry);
  entry.expiresAt = expiresAt;
  if (!wasAlive && isAlive(model, entry)) entry.listedAt = model.now;
}

/** An import yields to a person who changes a plate. */
function yieldTo(group: ModelGroup, entry: ModelEntry): void {
  const { open } = group;
  const staged = open?.staged.get(keyOf(entry));
  if (!open) return;
  open.touched.add(entry);
  open.ending.delete(entry);
  if (!staged) return;
  open.staged.delete(keyOf(entry));
  open.kept.set(entry, staged.expiresAt);
}

/** Lists a plate. Returns the status of the call. */
export function list(model: Model, group: ModelGroup, wanted: NewEntry): number {
  const key = keyOf(wanted);
  const known = group.entries.get(key);
  if (group.archived) return 404;
  if (known && isAlive(model, known)) return 409;
  if (known) remove(group, known);
  const required = wanted.required && wanted.state !== "";
  const entry = { ...wanted, required, uid: model.uids++, listedAt: model.now };
  group.entries.set(key, entry);
  yieldTo(group, entry);
  group.open?.kept.delete(entry);
  return 200;
}

export function remove(group: ModelGroup, entry: ModelEntry): void {
  const { open } = group;
  const key = keyOf(entry);
  group.entries.delete(key);
  open?.staged.delete(key);
  open?.kept.delete(entry);
  open?.ending.delete(entry);
  if (open && !open.isRead) open.removed.add(key);
}

/** Edits an entry; an undefined expiry stays. Returns the status of the call. */
export function edit(
  model: Model,
  group: ModelGroup,
  entry: ModelEntry,
  change: Partial<Pick<ModelEntry, "state" | "policy" | "required" | "expiresAt">>,
): number {
  if (group.archived) return 404;
  const { open } = group;
  const { expiresAt, state = entry.state, policy = entry.policy, required = entry.required } = change;
  const [before, key] = [keyOf(entry), keyOf({ plate: entry.plate, state })];
  if (key !== before && group.entries.has(key)) return 409;
  if (key === before) yieldTo(group, entry);
  else if (open?.ending.has(entry) && open.staged.has(before)) open.kept.set(entry, entry.expiresAt);
  group.entries.delete(before);
  Object.assign(entry, { state, policy, required: required && state !== "" });
  const isNew = expiresAt !== undefined && expiresAt !== entry.expiresAt;
  if (isNew) setExpiry(model, entry, expiresAt);
  group.entries.set(key, entry);
  if (isNew && open?.kept.has(entry)) open.kept.set(entry, expiresAt);
  if (key !== before && open) {
    const takes = open.staged.has(key);
    yieldTo(group, entry);
    if (takes) open.kept.set(entry, entry.expiresAt);
  }
  return 200;
}

export function renewPart(model: Model, group: ModelGroup, part: "near" | "expired"): void {
  const { now } = model;
  const { open } = group;
  for (const entry of group.entries.values()) {
    if (entry.expiresAt === null) continue;
    const isIn =
      part === "expired" ? entry.expiresAt <= now : entry.expiresAt > now && entry.expiresAt <= now + 7 * DAY;
    if (!isIn) continue;
    yieldTo(group, entry);
    setExpiry(model, entry, policyExpiry(model, group));
    if (open?.kept.has(entry)) open.kept.set(entry, entry.expiresAt);
  }
}

/** Uploads a file. Its rows have the exact policy and need no state, and it has no columns for either. */
export function openImport(model: Model, group: ModelGroup, rows: Row[], mode: Mode): void {
  group.open = {
    ...{ mode, rows, at: model.now },
    ...{ policyExpiry: policyExpiry(model, group), isRead: false, staged: new Map(), kept: new Map() },
    ...{ ending: new Set(), touched: new Set(), removed: new Set() },
  };
}

/** Compares the file with the list. An upload is applied at once, other imports within a day, and an hour for the cron. */
export function readImport(model: Model, { open, entries }: ModelGroup, { isUpload = false } = {}): void {
  if (!open || open.isRead) return;
  open.isRead = true;
  const seen = new Set<string>();
  for (const row of open.rows) {
    const key = keyOf(row);
    if (seen.has(key)) continue;
    seen.add(key);
    const known = entries.get(key);
    const outlasts = (time: number) =>
      known && (known.expiresAt === null || known.expiresAt > time) ? known : undefined;
    const alive = outlasts(open.at);
    const lasting = outlasts(isUpload ? open.at : model.now + DAY + DAY / 24);
    const counts = open.policyExpiry === null ? lasting : alive;
    const later =
      counts?.expiresAt === null ? null : Math.max(counts?.expiresAt ?? 0, open.policyExpiry ?? 0);
    const expiresAt = row.expiresAt ?? (counts ? later : open.policyExpiry);
    if (!known) {
      if (!open.removed.has(key)) open.staged.set(key, { expiresAt, listedAt: open.at });
    } else if (open.mode === "add" || (known.policy === "exact" && !known.required)) {
      // Added to a list, a file changes only what it has columns for.
      open.kept.set(known, expiresAt);
    } else {
      open.ending.add(known);
      open.staged.set(key, { expiresAt, listedAt: alive?.listedAt ?? open.at });
    }
  }
  if (open.mode === "replace")
    for (const entry of entries.values())
      if (!open.kept.has(entry) && !open.touched.has(entry)) open.ending.add(entry);
}

export function applyImport(model: Model, group: ModelGroup): void {
  const { open, entries } = group;
  group.open = undefined;
  if (!open) return;
  for (const entry of open.ending) entries.delete(keyOf(entry));
  for (const [key, { expiresAt, listedAt }] of open.staged) {
    const [plate = "", state = ""] = key.split("|");
    const entry: NewEntry = { plate, state, policy: "exact", required: false, expiresAt };
    entries.set(key, { ...entry, uid: model.uids++, listedAt });
  }
  for (const [entry, expiresAt] of open.kept) setExpiry(model, entry, expiresAt);
}
