// What a search of the archive looks up first, in the control database and R2: the keys of its agencies, and the
// databases that have its days. It reads no read, so that it can begin before the search is recorded.

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
  const load = (fresh: boolean) => Promise.all(agencyIds.map((id) => keys.of(id, { fresh })));
  const limits = retentionDays(agencyIds).then((days) => (agencyId: string) => {
    const kept = days.get(agencyId);
    return kept === undefined ? Number.POSITIVE_INFINITY : Math.max(query.from, now - kept * DAY);
  });
  let rings = load(false);
  const refreshed: { first?: Promise<AgencyKeys[]>; again?: Promise<AgencyKeys[]> } = {};
  // Callers await these and get the error; this avoids an unhandled rejection if the search ends before that.
  for (const work of [limits, rings]) work.catch(() => {});

  async function searched(of: AgencyKeys[], isOwn: (day: number) => boolean): Promise<SearchedKey[]> {
    const since = await limits;
    const wanted = of.map(async (ring): Promise<SearchedKey[]> => {
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

  return {
    /** Returns the keys as this isolate knows them. */
    known: async (isOwn: (day: number) => boolean) => searched(await rings, isOwn),
    /** Returns the keys as they were at the first call of the search, or at the first one that asks for them again. */
    async fresh(isOwn: (day: number) => boolean, which: "first" | "again" = "first"): Promise<SearchedKey[]> {
      refreshed[which] ??= load(true);
      rings = refreshed[which];
      return searched(await rings, isOwn);
    },
    /**
     * Returns a query for keys that another isolate created since the rings were cached; their reads must be found too.
     */
    async unknownTo(database: D1Database, keys: SearchedKey[]): Promise<D1PreparedStatement> {
      const shown = (await shownSince()).map(([id, since]) => [id, utcDay(since)]);
      return database
        .prepare(
          `SELECT k.id
          FROM json_each(?) AS a
          CROSS JOIN read_keys AS k ON k.agency_id = a.value ->> 0
          WHERE (k.day IS NULL OR k.day BETWEEN a.value ->> 1 AND ?)
            AND k.id NOT IN (SELECT value FROM json_each(?))
          LIMIT 1`,
        )
        .bind(JSON.stringify(shown), utcDay(query.to), JSON.stringify(idsOf(keys)));
    },
    /** Returns the days of a database with reads that the search should show, but whose keys are lost. */
    async lostDays(database: D1Database, { keys, days }: { keys: SearchedKey[]; days: ReadonlySet<number> }) {
      const { from, to } = query;
      return listLostDays(database, { days, shown: await shownSince(), known: idsOf(keys), from, to });
    },
  };
}
