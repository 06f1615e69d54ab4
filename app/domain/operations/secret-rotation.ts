// Re-encrypts every sealed secret with the newest key. A sealed secret is encrypted, and names the version of its key.
// The work can be interrupted and repeated: the version shows what is done, and older keys work until the configuration
// drops them.

import type { AppContext } from "#app/context.ts";
import { auditAct } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import { seal, unseal } from "#app/lib/crypto/primitives.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import {
  countSealedOtherwise,
  listSealedOtherwise,
  reseal,
  SEALED_COLUMNS,
  type SealedColumn,
  sealedFor,
} from "#app/store/sealed.ts";

/** Secrets per transaction, which takes three queries, and per call. D1 allows 1,000 queries. */
const AT_ONCE = 50;
const MAX_SECRETS = 1000;

export type Rotated = {
  /** The key version that everything is moved to. */
  version: number;
  /** Numbers of secrets that this call moved, that wait for another call, and that no key opens. */
  resealed: number;
  remaining: number;
  unreadable: number;
};

/** POST /rotate-keys: moves some secrets; call it until `remaining` is 0. Tests pass `most` to stop half-way. */
export async function rotateSecrets(app: AppContext, actor: Actor, most = MAX_SECRETS): Promise<Rotated> {
  const version = app.config.sealingKeys.current;
  const done: Rotated = { version, resealed: 0, remaining: 0, unreadable: 0 };
  for (const column of SEALED_COLUMNS) await rotateColumn(app, { actor, column, most, done });
  await rotateRings(app, actor, { most, done });
  for (const column of SEALED_COLUMNS) done.remaining += await countSealedOtherwise(app.db, column, version);
  done.remaining -= done.unreadable;
  return done;
}

/** Key rings are in R2, not in the database, so the audit row is written first. */
async function rotateRings(
  app: AppContext,
  actor: Actor,
  { most, done }: { most: number; done: Rotated },
): Promise<void> {
  const left = most - done.resealed;
  const waiting = (await app.readKeys.rotate(0)).remaining;
  if (waiting > 0 && left > 0) {
    const detail = { version: done.version, secrets: Math.min(waiting, left) };
    const common = { ...auditWho(actor), at: app.clock(), action: "secrets.rotate", outcome: "ok" } as const;
    await inOneStep(app.db, [insertAudit(app.db, { ...common, object: "read_keys", detail })]);
  }
  const { resealed, remaining, unreadable } = await app.readKeys.rotate(waiting > 0 ? left : 0);
  done.resealed += resealed.length;
  done.remaining += remaining + unreadable;
  done.unreadable += unreadable;
}

type Part = { actor: Actor; column: SealedColumn; most: number; done: Rotated };

async function rotateColumn(app: AppContext, { actor, column, most, done }: Part): Promise<void> {
  const { sealingKeys } = app.config;
  let after = "";
  while (done.resealed < most) {
    const limit = Math.min(AT_ONCE, most - done.resealed);
    const rows = await listSealedOtherwise(app.db, column, { version: done.version, after, limit });
    if (rows.length === 0) return;
    after = rows.at(-1)?.id ?? after;
    const moved: { id: string; from: string; to: string }[] = [];
    for (const { id, sealed } of rows) {
      const owner = sealedFor(column, id);
      const secret = await unseal(sealingKeys, owner, sealed).catch(() => null);
      if (secret === null) done.unreadable++;
      else moved.push({ id, from: sealed, to: await seal(sealingKeys, owner, secret) });
    }
    if (moved.length === 0) continue;
    const entry = auditAct(app, actor, {
      action: "secrets.rotate",
      object: column.table,
      detail: { version: done.version, secrets: moved.length },
    });
    await inOneStep(app.db, [reseal(app.db, column, moved), entry]);
    done.resealed += moved.length;
  }
}
