// The Test button: checks the credentials with the vendor and returns its answer. It looks up no reads, so no
// justification is needed. For Rekor it also stores the list of cameras, which a daily job refreshes.

import pMap from "p-map";
import type { AppContext } from "#app/context.ts";
import { auditRow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { Tested } from "#app/entities/integrations/settings.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { nonEmpty } from "#app/lib/at.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { nextInRotation } from "#app/lib/turns.ts";
import { isProviderFailure, type ListedCamera } from "#app/providers/provider.ts";
import { inOneStep, type Statement } from "#app/store/database.ts";
import { noteRekorCameras } from "#app/store/ingest/rekor-cameras.ts";
import { listKeyOwners, listRekorKeyIds, listRekorKeysAmong } from "#app/store/integrations/settings.ts";
import { noteIntegrations } from "#app/store/integrations/sources.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import { requireAxon } from "./axon.ts";
import { requireRekorKey } from "./rekor-keys.ts";

/** POST /test-api-key/{id}. Throws AppError not_found. */
export async function testApiKey(app: AppContext, actor: Actor, id: string): Promise<Tested> {
  return test(app, actor, await requireRekorKey(app, actor, id));
}

/** POST /test-axon-integration. Throws AppError not_found. */
export async function testAxon(app: AppContext, actor: Actor): Promise<Tested> {
  return test(app, actor, await requireAxon(app, actor));
}

async function test(app: AppContext, actor: Actor, source: SearchSource): Promise<Tested> {
  const { tested, statements } = await ask(app, source);
  const entry = auditRow(app, actor, {
    action: "integration.test",
    object: source.id,
    outcome: tested.ok ? "ok" : "failed",
    detail: { program: source.program, answer: tested.msg },
  });
  await inOneStep(app.db, [insertAudit(app.db, entry), ...statements]);
  return tested;
}

/** Returns the vendor's answer, and the statements that store it. */
async function ask(
  app: AppContext,
  source: SearchSource,
): Promise<{ tested: Tested; statements: Statement[] }> {
  const now = app.clock();
  const noted = (failure: string | null) =>
    noteIntegrations(app.db, [{ integrationId: source.integrationId, failure }], now);
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new DOMException("Timed out", "TimeoutError")),
    app.config.sourceDeadlineMs,
  );
  try {
    const { words, cameras } = await app.providers[source.program].check({ source, signal: deadline.signal });
    const known = await listed(app, { source, cameras: cameras ?? [], now });
    return { tested: { ok: true, msg: words }, statements: [...noted(null), ...known] };
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    return { tested: { ok: false, msg: error.message }, statements: noted(error.message) };
  } finally {
    clearTimeout(timer);
  }
}

async function listed(
  app: AppContext,
  { source, cameras, now }: { source: SearchSource; cameras: ListedCamera[]; now: number },
): Promise<Statement[]> {
  if (cameras.length === 0) return [];
  const agencyId = (await listKeyOwners(app.db, [source.id])).get(source.id) ?? null;
  return noteRekorCameras(
    app.db,
    cameras.map((camera) => ({ ...camera, agencyId, at: now, kind: "list" as const })),
  );
}

/** Keys per run, with about three queries each; D1 allows 1,000 per invocation. */
const KEYS_A_RUN = 300;
/** A Worker may have six open connections; the databases need some of them. */
const KEYS_AT_ONCE = 4;

/**
 * Fetches the cameras of up to `most` Rekor keys, continuing with the next ones each day, so that each key is used
 * within days. Returns the number of keys that worked. If one cannot be stored, the others still are, and the error is
 * thrown at the end.
 */
export async function refreshRekorCameras(app: AppContext, most = KEYS_A_RUN): Promise<number> {
  const refresh = async (source: SearchSource) => {
    const { tested, statements } = await ask(app, source);
    await inOneStep(app.db, nonEmpty(statements));
    return tested.ok;
  };
  const turn = { now: app.clock(), every: DAY, count: most };
  const ids = nextInRotation(await listRekorKeyIds(app.db), turn);
  const sources = await listRekorKeysAmong(app.db, ids);
  const answers = await pMap(sources, refresh, { concurrency: KEYS_AT_ONCE, stopOnError: false });
  return answers.filter(Boolean).length;
}
