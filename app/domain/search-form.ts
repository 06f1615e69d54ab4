// What the search screen opens with: the agencies to choose from, the policy, and the request to refine.
// Lists that cannot be loaded leave an empty form and never hide it.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/account.ts";
import type { AxonAgency, SearchableAgencies } from "#app/entities/search.ts";
import type { SearchRequest } from "#app/entities/search-request.ts";
import { listAxonSources } from "#app/store/integrations.ts";
import { findResultSet, findSearchPolicy } from "#app/store/search.ts";
import { listSearchableAgencies } from "./search.ts";

/** What the search screen opens with. */
export type SearchFormData = {
  /** Axon agencies with their ids: several may share a base URL, and another program may know the same name. */
  agencies: Omit<SearchableAgencies, "axon"> & { axon: (AxonAgency & { id: string })[] };
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
};

/** The search screen's agencies, policy, and the request to refill it with. A failing list never hides the form. */
export async function searchFormFor(
  app: AppContext,
  actor: Actor,
  refined: string | null,
): Promise<SearchFormData> {
  const loading = Promise.all([
    listSearchableAgencies(app, actor),
    listAxonSources(app.db, { tenantId: actor.agencyId, now: app.clock() }),
  ]);
  const [lists, policy, set] = await Promise.all([
    loading.catch((error: unknown) => {
      console.error("the agency lists could not be loaded", error);
      return undefined;
    }),
    findSearchPolicy(app.db, actor.agencyId),
    refined === null
      ? undefined
      : findResultSet(app.db, { id: refined, userId: actor.userId, now: app.clock() }),
  ]);
  const [agencies, axon] = lists ?? [{ rekor: [], axis: [] }, []];
  return {
    agencies: {
      ...agencies,
      axon: axon.map(({ id, agency, baseUrl }) => ({ id, agency_name: agency, base_url: baseUrl })),
    },
    unavailable: lists === undefined,
    refined,
    previous: set?.request ?? null,
    limitDays: policy?.searchLimitDays ?? 0,
    caseNumberRequired: policy?.caseNumberRequired ?? false,
    purposeRequired: policy?.purposeRequired ?? false,
  };
}
