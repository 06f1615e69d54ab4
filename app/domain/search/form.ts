// What the search screen opens with: the agencies to choose from, the policy, and the request to refine.
// Lists that cannot be loaded leave an empty form and never hide it.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { agencyGroups, type FormAgencies } from "#app/entities/search/agencies.ts";
import { readSearchFields, type SearchFields, unknownAgencies } from "#app/entities/search/fields.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { submit } from "#app/entities/search/submission.ts";
import { AppError } from "#app/lib/errors.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";
import { listAxonSources } from "#app/store/integrations/sources.ts";
import { findResultSet, findSearchPolicy } from "#app/store/search/result-sets.ts";
import { listSearchableAgencies, searchReads } from "./run.ts";

/** What the search screen opens with. */
export type SearchFormData = {
  /** Axon agencies with their ids: several may share a base URL, and another program may know the same name. */
  agencies: FormAgencies;
  /** The lists could not be loaded and stay empty (specification section 8). */
  unavailable: boolean;
  /** The result set that was to be refined, or null. */
  refined: string | null;
  /** Its request; null where nothing is refined, or where the set is purged or another's. */
  previous: SearchRequest | null;
  limitDays: number;
  /** The agency's policy: every search names a case number. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
  /** The zone of typed times where no script tells the browser's. */
  timeZone: string;
};

/** The search screen's agencies, policy, and the request to refill it with. A failing list never hides the form. */
export async function searchFormFor(
  app: AppContext,
  actor: Actor,
  refined: string | null,
): Promise<SearchFormData> {
  const [lists, policy, set] = await Promise.all([
    formAgencies(app, actor).catch((error: unknown) => {
      console.error("the agency lists could not be loaded", error);
      return undefined;
    }),
    findSearchPolicy(app.db, actor.agencyId),
    refined === null
      ? undefined
      : findResultSet(app.db, { id: refined, userId: actor.userId, now: app.clock() }),
  ]);
  return {
    agencies: lists ?? { rekor: [], axon: [], axis: [] },
    unavailable: lists === undefined,
    refined,
    previous: set?.request ?? null,
    limitDays: policy?.searchLimitDays ?? 0,
    caseNumberRequired: policy?.caseNumberRequired ?? false,
    purposeRequired: policy?.purposeRequired ?? false,
    timeZone: policy?.timeZone ?? "UTC",
  };
}

async function formAgencies(app: AppContext, actor: Actor): Promise<FormAgencies> {
  const [lists, axon] = await Promise.all([
    listSearchableAgencies(app, actor),
    listAxonSources(app.db, { tenantId: actor.agencyId, now: app.clock() }),
  ]);
  return {
    ...lists,
    axon: axon.map(({ id, agency, baseUrl }) => ({ id, agency_name: agency, base_url: baseUrl })),
  };
}

/**
 * The search of a form that was sent without scripts: the same checks as in the browser, then `searchReads`. Typed times
 * are in the form's `zone`, or the agency's where it names none. Returns the result set's id.
 * Throws AppError bad_request with the problem of each field, and as `searchReads` does.
 */
export async function searchByForm(
  app: AppContext,
  actor: Actor,
  { fields, signal }: { fields: SearchFields; signal: AbortSignal },
): Promise<{ resultId: string }> {
  const [agencies, policy] = await Promise.all([
    formAgencies(app, actor),
    findSearchPolicy(app.db, actor.agencyId),
  ]);
  const now = app.clock();
  const groups = agencyGroups(agencies);
  const unknown = unknownAgencies(fields, groups);
  if (unknown.length > 0)
    throw new AppError("forbidden", "One of the selected agencies is not yours to search.", {
      field: "agencies",
    });
  const browserZone = [fields.zone?.[0] ?? ""].find(isTimeZone);
  const form = readSearchFields(fields, {
    groups,
    zone: browserZone ?? policy?.timeZone ?? "UTC",
    now,
    // The zone comes from scripts, which have filled the pickers as well.
    ...(browserZone && { written: {} }),
  });
  const { request, problems } = submit(form, {
    groups,
    now,
    limitDays: policy?.searchLimitDays ?? 0,
    caseNumberRequired: policy?.caseNumberRequired ?? false,
    purposeRequired: policy?.purposeRequired ?? false,
  });
  if (!request) throw new AppError("bad_request", Object.values(problems)[0] ?? "", { problems });
  const { resultId } = await searchReads(app, actor, { request, signal, onProgress: () => {} });
  return { resultId };
}
