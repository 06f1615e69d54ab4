// Loads what a search of the archive needs first from the control database and R2: the keys of its agencies, and the
// databases of its days. This opens no read, so it can begin before the search is recorded.

import type { SightingQuery } from "#app/entities/search/query.ts";
import { DAY, utcDay } from "#app/lib/time/dates.ts";
import type { SearchedKey } from "./find.ts";
import { type AgencyKeys, listLostDays, type ReadKeys } from "./keys.ts";
import type { PlacedPart, Places } from "./placement.ts";

export type SearchScope = { agencyIds: string[]; query: SightingQuery };

export type SearchStartParts = {
  places: Places;
  keys: ReadKeys;
  /** Returns the days that each agency keeps its reads; reads of an agency without an entry are not shown. */
  retentionDays: (agencyIds: string[]) => Promise<Map<string, number>>;
  clock: () => number;
};

export type SearchStart = {
  agencyIds: string[];
  rings: ReturnType<typeof loadRings>;
  /** The parts of the searched days, and their databases. */
  placed: Promise<PlacedPart[]>;
};

/** Returns the agencies of a search, each once. */
export function agencyIdsOf({ agencyIds }: SearchScope): string[] {
  return [...new Set(agencyIds)];
}

/** Query plan: the keys of each agency by read_keys_agency. */
const UNKNOWN_KEYS = `SELECT DISTINCT k.agency_id AS agencyId
  FROM json_each(?1) AS a
  CROSS JOIN read_keys AS k ON k.agency_id = a.value ->> 0
  WHERE (k.day IS NULL OR k.day BETWEEN a.value ->> 1 AND ?2)
    AND k.id NOT IN (SELECT value FROM json_each(?3))
  LIMIT ?4`;

/** Begins to look up what a search needs. The search awaits it, and gets its errors. */
export function startSearch(parts: SearchStartParts, scope: SearchScope): SearchStart {
  const { query } = scope;
  const agencyIds = agencyIdsOf(scope);
  const rings = loadRings(parts, { agencyIds, query });
  const placed = parts.places.listParts(utcDay(query.from), utcDay(query.to));
  // Avoids an unhandled rejection if the search ends before it awaits this.
  placed.catch(() => {});
  return { agencyIds, rings, placed };
}

/**
 * Loads the agencies' key rings; its functions return the keys that may have reads this search may show, newest first.
 */
function loadRings({ keys, retentionDays, clock }: SearchStartParts, { agencyIds, query }: SearchScope) {
  const now = clock();
  const limits = retentionDays(agencyIds).then((days) => (agencyId: string) => {
    const kept = days.get(agencyId);
    return kept === undefined ? Number.POSITIVE_INFINITY : Math.max(query.from, now - kept * DAY);
  });
  const loaded = keys.loadMany(agencyIds);
  const rings = new Map<string, Promise<AgencyKeys>>();
  /** How often this search loaded an agency's ring again. */
  const reloads = new Map<string, number>();
  function load(agencyId: string, fresh: boolean): void {
    const ring = loaded.then(() => keys.of(agencyId, { fresh }));
    // Callers await these and get the error; this avoids an unhandled rejection if the search ends before that.
    ring.catch(() => {});
    rings.set(agencyId, ring);
  }
  for (const id of agencyIds) load(id, false);
  limits.catch(() => {});

  async function searched(isOwn: (day: number) => boolean): Promise<SearchedKey[]> {
    const since = await limits;
    const wanted = (await Promise.all(rings.values())).map(async (ring): Promise<SearchedKey[]> => {
      const from = since(ring.agencyId);
      if (from === Number.POSITIVE_INFINITY) return [];
      const days = ring.days.filter((day) => isOwn(day) && day >= utcDay(from) && day <= utcDay(query.to));
      const ciphers = await Promise.all(days.map((day) => ring.ofDay(day)));
      const ofDays = ciphers.flatMap((cipher) => (cipher ? [{ cipher, from }] : []));
      const held = (await ring.held()).map((cipher) => ({ cipher, from: query.from }));
      return [...ofDays, ...held];
    });
    const all = (await Promise.all(wanted)).flat();
    return all.sort((a, b) => (b.cipher.day ?? 0) - (a.cipher.day ?? 0));
  }

  const idsOf = (keys: SearchedKey[]) => keys.map(({ cipher }) => cipher.id);

  /** Returns the agencies whose reads may be shown, with the oldest time of those that no hold keeps. */
  async function shownSince(): Promise<(readonly [agencyId: string, since: number])[]> {
    const since = await limits;
    return agencyIds.map((id) => [id, since(id)] as const).filter(([, at]) => Number.isFinite(at));
  }

  /**
   * Returns a query for the agencies of keys that another isolate created since the rings were cached; their reads must be
   * found too. Returns at most `limit` rows.
   */
  async function unknownTo(
    database: D1Database,
    keys: SearchedKey[],
    limit: number,
  ): Promise<D1PreparedStatement> {
    const shown = (await shownSince()).map(([id, since]) => [id, utcDay(since)]);
    return database
      .prepare(UNKNOWN_KEYS)
      .bind(JSON.stringify(shown), utcDay(query.to), JSON.stringify(idsOf(keys)), limit);
  }

  return {
    /** Returns the keys as this isolate knows them. */
    known: searched,
    /** Returns a query with a row if a database lists keys that are not known. */
    hasUnknown: (database: D1Database, keys: SearchedKey[]) => unknownTo(database, keys, 1),
    /**
     * Returns the keys, after the rings of agencies that are not known completely were loaded: each at most `most` times
     * a search.
     */
    async fresh(
      isOwn: (day: number) => boolean,
      { database, keys, most }: { database: D1Database; keys: SearchedKey[]; most: number },
    ): Promise<SearchedKey[]> {
      const unknown = await unknownTo(database, keys, agencyIds.length);
      const { results } = await unknown.all<{ agencyId: string }>();
      for (const { agencyId } of results) {
        const count = reloads.get(agencyId) ?? 0;
        if (count >= most) continue;
        reloads.set(agencyId, count + 1);
        load(agencyId, true);
      }
      return searched(isOwn);
    },
    /** Returns the days of a database with reads that the search should show, but whose keys are lost. */
    async lostDays(database: D1Database, { keys, days }: { keys: SearchedKey[]; days: ReadonlySet<number> }) {
      const { from, to } = query;
      return listLostDays(database, { days, shown: await shownSince(), known: idsOf(keys), from, to });
    },
  };
}
