// Sources that a tenant may search, and those of them that a request names.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { SearchableAgencies, SourceProgram, SourceStatus } from "#app/entities/search/query.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import {
  listAllSources,
  listAxisSources,
  listAxonSources,
  listRekorSources,
} from "#app/store/integrations/sources.ts";

/** Returns all sources a tenant may search: its Rekor keys, Axon agencies that allow it, Axis agencies that share. */
export function listSources(app: AppContext, actor: Pick<Actor, "agencyId">): Promise<SearchSource[]> {
  return listAllSources(app.db, { tenantId: actor.agencyId, now: app.clock() });
}

/** Returns the sources of one program that a tenant may search. */
export function listSourcesOf(
  app: AppContext,
  { agencyId: tenantId }: Pick<Actor, "agencyId">,
  program: SourceProgram,
): Promise<SearchSource[]> {
  const now = app.clock();
  switch (program) {
    case "Rekor":
      return listRekorSources(app.db, tenantId);
    case "Axon":
      return listAxonSources(app.db, { tenantId, now });
    case "Axis":
      return listAxisSources(app.db, { tenantId, now });
  }
}

/** Returns the agency groups of the search form, each sorted by name (specification section 7). */
export async function listSearchableAgencies(app: AppContext, actor: Actor): Promise<SearchableAgencies> {
  const sources = await listSources(app, actor);
  const of = (program: SearchSource["program"]) => sources.filter((source) => source.program === program);
  return {
    rekor: of("Rekor").map(({ id, agency }) => ({ id, agency })),
    axon: of("Axon").map(({ agency, baseUrl }) => ({ agency_name: agency, base_url: baseUrl })),
    axis: of("Axis").map(({ id, agency, cameraIds }) => ({
      id,
      agency_name: agency,
      integrations: cameraIds.map((identifier) => ({ identifier })),
    })),
  };
}

/**
 * Returns the sources that a request's agency strings name: an agency's name (in every program that has it), a Rekor
 * id, an Axon base URL, an Axis identifier or agency id. Returns undefined if a string names nothing this tenant may
 * search.
 */
export function selectSources(sources: SearchSource[], agencies: string[]): SearchSource[] | undefined {
  const selected = new Map<SearchSource, Set<string>>();
  for (const name of new Set(agencies)) {
    let found = false;
    for (const source of sources) {
      const camera = source.program === "Axis" && source.cameraIds.includes(name);
      const whole =
        source.id === name ||
        source.agency === name ||
        (source.program === "Axon" && source.baseUrl === name);
      if (!camera && !whole) continue;
      found = true;
      const cameras = selected.get(source) ?? new Set();
      for (const id of whole ? source.cameraIds : [name]) cameras.add(id);
      selected.set(source, cameras);
    }
    if (!found) return undefined;
  }
  return [...selected].map(([source, cameras]) => ({ ...source, cameraIds: [...cameras] }));
}

/** Returns the status of a source that has not been asked yet. */
export function waiting(source: SearchSource): SourceStatus {
  const { id: sourceId, program, agency } = source;
  return {
    sourceId,
    program,
    agency,
    state: "waiting",
    reads: 0,
    truncated: false,
    message: "",
    milliseconds: 0,
  };
}
