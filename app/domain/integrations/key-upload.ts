// The bulk upload of Rekor keys. Every row is validated before anything is written; then all rows are written or none.
// Neither responses nor the audit log contain a key, not even one in an invalid row.

import type { AppContext } from "#app/context.ts";
import { onlyOnce } from "#app/domain/operations/idempotency.ts";
import { auditRow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  API_KEY_ALIASES,
  API_KEY_COLUMNS,
  API_KEY_IGNORED,
  API_KEY_OPTIONAL,
  MAX_UPLOADED_KEYS,
  NewApiKey,
  REKOR_HOSTS,
} from "#app/entities/integrations/settings.ts";
import type { RowProblem } from "#app/entities/users/directory.ts";
import { isAppError } from "#app/lib/errors.ts";
import { readCsv } from "#app/lib/files/csv.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertRekorKeys, type RekorKeyInsert } from "#app/store/integrations/settings.ts";
import { insertAudit, insertAudits } from "#app/store/oversight/audit.ts";
import { keyAdded, rekorKeyRow } from "./rekor-keys.ts";

/** The template: the header and an example row. */
export const API_KEYS_TEMPLATE = [
  [...API_KEY_COLUMNS, ...API_KEY_OPTIONAL],
  ["Hartford Police Department", "paste-the-key-here", "Rekor", REKOR_HOSTS[0]],
] as const;

export type KeysUploaded = { problems: RowProblem[] } | { problems: []; added: number };

/** POST /bulk-upload-api-keys. Returns the problems of invalid rows by line; then nothing is written. */
export async function uploadApiKeys(
  app: AppContext,
  actor: Actor,
  { bytes, host, key }: { bytes: Uint8Array<ArrayBuffer>; host: string; key?: string | undefined },
): Promise<KeysUploaded> {
  const read = readCsv(bytes, {
    required: API_KEY_COLUMNS,
    optional: API_KEY_OPTIONAL,
    aliases: API_KEY_ALIASES,
    ignored: API_KEY_IGNORED,
    mostRows: MAX_UPLOADED_KEYS,
  });
  const problems: RowProblem[] = [...read.problems];
  const rows: RekorKeyInsert[] = [];
  const lines = new Map<string, number>();
  for (const { line, values } of read.rows) {
    const parsed = NewApiKey.safeParse(values);
    if (!parsed.success) {
      const reasons = new Set(parsed.error.issues.map(({ message }) => message));
      problems.push({ line, reason: [...reasons].join(" ") });
      continue;
    }
    const same = `${parsed.data.api_key} ${parsed.data.base_url}`;
    const earlier = lines.get(same);
    if (earlier !== undefined) {
      problems.push({ line, reason: `The key in this row is already in line ${earlier}.` });
      continue;
    }
    lines.set(same, line);
    try {
      rows.push(await rekorKeyRow(app, actor, { key: parsed.data, host }));
    } catch (error) {
      if (!isAppError(error)) throw error;
      problems.push({ line, reason: error.message });
    }
  }
  if (problems.length === 0 && rows.length === 0) problems.push({ line: 1, reason: "The file has no rows." });
  if (problems.length > 0) {
    await write(app, actor, { outcome: "refused", statements: [], detail: { wrong: problems.length } });
    return { problems: problems.sort((a, b) => a.line - b.line) };
  }
  return onlyOnce<KeysUploaded>(app, {
    actor,
    key,
    content: { what: "Rekor keys", fields: host, files: [{ name: "", bytes }] },
    work: async (noted) => {
      const added = rows.map((row) => keyAdded(app, actor, row));
      const answer = { problems: [] as [], added: rows.length };
      await write(app, actor, {
        outcome: "ok",
        statements: [...insertRekorKeys(app.db, rows), ...insertAudits(app.db, added), ...noted(answer)],
        detail: { added: rows.length },
      });
      return answer;
    },
  });
}

async function write(
  app: AppContext,
  actor: Actor,
  input: { outcome: "ok" | "refused"; statements: Statement[]; detail: Record<string, unknown> },
): Promise<void> {
  const { outcome, statements, detail } = input;
  const entry = auditRow(app, actor, { action: "integration.upload", object: "", outcome, detail });
  await inOneStep(app.db, [insertAudit(app.db, entry), ...statements]);
}
