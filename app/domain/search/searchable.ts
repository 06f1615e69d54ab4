// Finds the sources that a tenant may search, and those that a request names.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import {
  LISTED_AGENCIES,
  type SearchableAgencies,
  type SourceProgram,
  type SourceStatus,
} from "#app/entities/search/query.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { unseal } from "#app/lib/crypto/primitives.ts";
import { findSource, listAllSources, secretOwner } from "#app/store/integrations/sources.ts";

/** Returns all sources a tenant may search: its Rekor keys, Axon agencies that allow it, Axis agencies that share. */
export async function listSources(app: AppContext, actor: Pick<Actor, "agencyId">): Promise<SearchSource[]> {
  return withoutTwins(app, await listAllSources(app.db, { tenantId: actor.agencyId, now: app.clock() }));
}

/**
 * Returns the sources with duplicate Rekor keys merged into one integration: an agency may have added a key twice, and
 * a search would ask the vendor twice. Only keys with the same last characters are decrypted.
 */
async function withoutTwins(app: AppContext, sources: SearchSource[]): Promise<SearchSource[]> {
  const alike = Map.groupBy(sources, ({ program, baseUrl, keyLast4 }) =>
    program === "Rekor" ? `${baseUrl} ${keyLast4}` : "",
  );
  alike.delete("");
  const integrations = new Map<SearchSource, string>();
  for (const some of alike.values()) {
    if (some.length < 2) continue;
    const firsts = new Map<string, string>();
    for (const source of some) {
      const key = await unseal(app.config.sealingKeys, secretOwner(source), source.sealedSecret).catch(
        () => "",
      );
      if (key === "") continue;
      const first = firsts.get(key) ?? source.integrationId;
      firsts.set(key, first);
      integrations.set(source, first);
    }
  }
  if (integrations.size === 0) return sources;
  return sources.map((source) => ({
    ...source,
    integrationId: integrations.get(source) ?? source.integrationId,
  }));
}

/** Returns the source of a program with this id, without its cameras; undefined if the tenant may not search it. */
export function searchableSource(
  app: AppContext,
  { agencyId: tenantId }: Pick<Actor, "agencyId">,
  source: { program: SourceProgram; id: string },
): Promise<SearchSource | undefined> {
  return findSource(app.db, { ...source, tenantId, now: app.clock() });
}

/** Returns the agency groups of the search form, each sorted by name (specification section 7). */
export async function listSearchableAgencies(app: AppContext, actor: Actor): Promise<SearchableAgencies> {
  return agenciesOf(await listSources(app, actor));
}

/** Returns the agencies of sources, by program, in the same order. */
export function agenciesOf(sources: SearchSource[]): SearchableAgencies {
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
  const named = namesOf(sources);
  const selected = new Map<SearchSource, Set<string>>();
  for (const name of new Set(agencies)) {
    const found = named.get(name);
    if (!found) return undefined;
    for (const { source, cameraIds } of found) {
      const cameras = selected.get(source) ?? new Set();
      for (const id of cameraIds) cameras.add(id);
      selected.set(source, cameras);
    }
  }
  return [...selected].map(([source, cameras]) => ({ ...source, cameraIds: [...cameras] }));
}

/** Returns how many agencies sources belong to: an agency may have several programs, and several keys of one. */
export function countAgencies(sources: SearchSource[]): number {
  return new Set(sources.map(({ agency }) => agency)).size;
}

type Named = { source: SearchSource; cameraIds: string[] };

/** Returns what each string names: sources with all of their cameras, or one camera. */
function namesOf(sources: SearchSource[]): Map<string, Named[]> {
  const named = new Map<string, Named[]>();
  const add = (name: string, one: Named) => {
    const list = named.get(name);
    if (list) list.push(one);
    else named.set(name, [one]);
  };
  for (const source of sources) {
    const whole = { source, cameraIds: source.cameraIds };
    for (const name of new Set([source.id, source.agency])) add(name, whole);
    if (source.program === "Axon") add(source.baseUrl, whole);
    if (source.program === "Axis") for (const id of source.cameraIds) add(id, { source, cameraIds: [id] });
  }
  return named;
}

/**
 * Returns the agency strings of a request as they are stored: in a long list, the cameras of an agency that is named
 * completely are replaced by its id.
 */
export function storedAgencies(
  sources: SearchSource[],
  selected: SearchSource[],
  agencies: string[],
): string[] {
  if (agencies.length <= LISTED_AGENCIES) return agencies;
  const counts = new Map(sources.map(({ id, cameraIds }) => [id, cameraIds.length]));
  const complete = selected.filter(
    ({ program, id, cameraIds }) => program === "Axis" && cameraIds.length === counts.get(id),
  );
  const replaced = new Set(complete.flatMap(({ cameraIds }) => cameraIds));
  return [...new Set([...agencies.filter((name) => !replaced.has(name)), ...complete.map(({ id }) => id)])];
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
