// The isolate's cache of wildcard entries. Every event needs them, and a state has a hundred thousand, so a lookup
// reads only those that were added since the last one. The cache may contain ended entries but never lacks one in
// force: ended entries stay until it is rebuilt, and an entry is looked up before it matches.

import type { LiveRead, WatchingEntry } from "#app/entities/alerts/match.ts";
import {
  addWildcards,
  findWildcards,
  indexWildcards,
  type WildcardIndex,
} from "#app/entities/alerts/wildcard-index.ts";
import { at } from "#app/lib/at.ts";
import { HOUR } from "#app/lib/time/dates.ts";
import { findEntries, listWildcards, type WildcardPage } from "#app/store/alerts/matching.ts";
import type { ControlDb } from "#app/store/database.ts";

/**
 * How long the cache grows before it is rebuilt without ended entries. If the database was replaced by an earlier one
 * unnoticed, entries may be missed for this long.
 */
const KEPT_MS = 6 * HOUR;

type Held = {
  epoch: number;
  version: number;
  /** All entries up to this id are in the cache, or had ended when they were read. */
  newest: number;
  heldSince: number;
  /** The entries' ids, by their number in the index. */
  ids: number[];
  index: WildcardIndex;
};

/** The caches, by database. They outlive requests. */
const held = new WeakMap<object, Held>();

/** The cache as it was before a lookup. Other requests may add to `held` while this one waits. */
export type KnownWildcards = Pick<Held, "epoch" | "version" | "newest"> & { held: Held | undefined };

/** Returns the cache; a lookup must also read the entries after its `newest`. */
export function knownWildcards(db: ControlDb, now: number): KnownWildcards {
  const one = held.get(db.$client);
  if (!one) return { epoch: 0, version: 0, newest: 0, held: undefined };
  const isOld = now < one.heldSince - KEPT_MS || now >= one.heldSince + KEPT_MS;
  const { epoch, version, newest } = one;
  if (!isOld) return { epoch, version, newest, held: one };
  // One request rebuilds the cache, while the others use and extend the current one.
  one.heldSince = now;
  return { epoch: 0, version: 0, newest: 0, held: undefined };
}

/**
 * Returns the wildcard entries in force that could match each read. `page` has the entries that were added since the
 * cache was read.
 */
export async function findWildcardEntries(
  db: ControlDb,
  input: { reads: LiveRead[]; known: KnownWildcards; page: WildcardPage; now: number },
): Promise<Map<LiveRead, WatchingEntry[]>> {
  const { reads, now } = input;
  const { index, ids } = await currentWildcards(db, input);
  if (ids.length === 0) return new Map();
  const matching = reads.map((read) => {
    const plates = new Set([read.plate, read.facts.plate].filter((plate) => plate !== ""));
    return [...plates].flatMap((plate) => findWildcards(index, plate)).map((number) => at(ids, number));
  });
  const wanted = [...new Set(matching.flat())];
  if (wanted.length === 0) return new Map();
  const entries = await findEntries(db, { ids: wanted, now, inForce: true });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return new Map(
    reads.map((read, i) => [
      read,
      at(matching, i)
        .map((id) => byId.get(id))
        .filter((entry) => entry !== undefined),
    ]),
  );
}

async function currentWildcards(
  db: ControlDb,
  { known, page, now }: { known: KnownWildcards; page: WildcardPage; now: number },
): Promise<Held> {
  let next = page;
  let one = known.held;
  // As they were before the page was requested.
  let asked = { epoch: known.epoch, version: known.version };
  for (;;) {
    if (!one || next.epoch !== asked.epoch || next.version < asked.version) {
      // The database was restored or replaced by an earlier one: the same id may belong to another entry.
      if (next.after > 0) next = await listWildcards(db, 0);
      const { epoch, version } = next;
      one = { epoch, version, newest: 0, heldSince: now, ids: [], index: indexWildcards([]) };
    }
    add(one, next);
    if (!next.isFull) break;
    asked = { epoch: one.epoch, version: one.version };
    next = await listWildcards(db, one.newest);
  }
  if (one !== known.held) held.set(db.$client, one);
  return one;
}

/** Adds the entries of a page that are not in the cache yet: another request may have added some. */
function add(one: Held, { version, entries }: WildcardPage): void {
  const added = entries.filter(({ id }) => id > one.newest);
  one.version = Math.max(one.version, version);
  one.newest = added.at(-1)?.id ?? one.newest;
  const open = added.flatMap(({ id, plate }) => (plate === null ? [] : [{ id, plate }]));
  for (const { id } of open) one.ids.push(id);
  addWildcards(
    one.index,
    open.map(({ plate }) => plate),
  );
}
