// Reviews the searches of every finished UTC day by the rules of entities/oversight/review.ts (CJIS AU-6). A run is one
// call of the job; it reviews a day user by user and stores its progress, so that an interrupted run resumes.
// Idempotent: reviewing a user's day again creates no duplicate finding.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import {
  BREADTH_PLATES,
  comparedPlate,
  createHourOf,
  HOURS_HISTORY_MS,
  REPEATED_WITHIN_MS,
  type ReviewKind,
  repeatedSearches,
  unusualHour,
} from "#app/entities/oversight/review.ts";
import { prohibitedReason } from "#app/entities/search/prohibited-purpose.ts";
import { vagueReason } from "#app/entities/search/vague-reason.ts";
import { AppError } from "#app/lib/errors.ts";
import { visibleText } from "#app/lib/text.ts";
import { DAY, MINUTE, utcDay } from "#app/lib/time/dates.ts";
import { inOneStep } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import {
  countInFindings,
  DETAILS_AT_ONCE,
  type DueAgency,
  type Found,
  findName,
  firstSearchSince,
  type Investigated,
  listDecidedSeqs,
  listDueAgencies,
  listGrowing,
  listInvestigationsOf,
  listPrivilegedOf,
  listSample,
  listSearchers,
  listSearchesOf,
  listWords,
  noteTries,
  putRun,
  type SearchRecord,
  writeFindings,
} from "#app/store/oversight/review-job.ts";
import { findTimeZone } from "#app/store/users/agencies.ts";
import { sealAuditLog } from "./audit-chain.ts";

/**
 * Users whose day one run reviews. The next run, a minute later, continues. That makes 86,400 users a day, as many as
 * search in a thousand agencies; with a lower limit the review would fall behind.
 */
const PEOPLE_A_RUN = 60;
/** The same limit for a call that an administrator waits for. */
const PEOPLE_A_CALL = 100;
/** Queries after which a run or call stops: D1 allows 1,000 per invocation, and sealing takes up to 150. */
const QUERIES_A_RUN = 700;
/** Queries of an agency's day, of one without searches, of a user, and of each kind of findings of a user. */
const QUERIES = { day: 14, idle: 2, person: 9, kind: 7 };
/** A day is reviewed this long after its end, when its last rows are written and sealed. */
const SETTLED_MS = 15 * MINUTE;
/** Days before today that an agency's first review covers (AUDIT_UNREVIEWED_DAYS). */
export const FIRST_DAYS = 60;

type Evidence = Found["evidence"][number];
/** Searches of one kind that make one finding. */
type Group = { kind: ReviewKind; plate: string; evidence: Evidence[] };
type Stretch = { agencyId: string; day: number; from: number; until: number };

/**
 * Resumes the review of every agency, for at most `people` users and until it has used `queries`. Returns the number of
 * users whose day was reviewed. If one agency fails, the others are still reviewed and the error is thrown at the end.
 */
export async function reviewSearches(
  app: AppContext,
  { people = PEOPLE_A_RUN, queries = QUERIES_A_RUN } = {},
): Promise<number> {
  const lastDay = utcDay(app.clock() - SETTLED_MS) - 1;
  const due = await listDueAgencies(app.db, lastDay);
  if (due.length === 0) return 0;
  const firstDay = lastDay + 1 - FIRST_DAYS;
  const agencyIds = due.map(({ id }) => id);
  await inOneStep(app.db, [noteTries(app.db, { agencyIds, firstDay, at: app.clock() })]);
  // The random sample is drawn from the sealed rows.
  await sealAuditLog(app);
  const problems: unknown[] = [];
  const left = { people, queries };
  for (const agency of due) {
    try {
      const day = agency.day ?? firstDay;
      await reviewAgency(app, { agency: { ...agency, day }, lastDay, left });
    } catch (error) {
      problems.push(error);
    }
    if (isSpent(left)) break;
  }
  if (problems.length > 0) throw new AggregateError(problems, "searches could not be reviewed");
  return people - left.people;
}

/** The users and queries that a run has left. */
type Left = { people: number; queries: number };
const isSpent = ({ people, queries }: Left) => people <= 0 || queries <= 0;

/** Reviews an agency's days from where the last run stopped, within what is left. */
async function reviewAgency(
  app: AppContext,
  input: { agency: DueAgency & { day: number }; lastDay: number; left: Left },
): Promise<void> {
  const { agency, lastDay, left } = input;
  const hourOf = createHourOf(agency.timeZone);
  let { day, afterUser } = agency;
  while (day <= lastDay && !isSpent(left)) {
    left.queries -= QUERIES.idle;
    if (afterUser === "") {
      const first = await firstSearchSince(app.db, agency.id, day * DAY);
      day = first === null ? lastDay + 1 : Math.min(utcDay(first), lastDay + 1);
    }
    const run = { agencyId: agency.id, day, finishedAt: null };
    await inOneStep(app.db, [putRun(app.db, { ...run, afterUser })]);
    if (day > lastDay) break;
    const stretch = { agencyId: agency.id, day, from: day * DAY, until: (day + 1) * DAY };
    left.queries -= QUERIES.day - QUERIES.idle;
    const people = await listSearchers(app.db, { ...stretch, after: afterUser, limit: left.people });
    for (const userId of people) {
      left.queries -= await examinePerson(app, { stretch, userId, hourOf });
      await inOneStep(app.db, [putRun(app.db, { ...run, afterUser: userId })]);
      left.people--;
      if (isSpent(left)) return;
    }
    await drawSample(app, stretch);
    day++;
    afterUser = "";
    await inOneStep(app.db, [putRun(app.db, { ...run, day, afterUser, finishedAt: app.clock() })]);
  }
}

/**
 * Reviews the current day of the actor's agency, starting after the user `after`. Returns the user to continue after as
 * `next`, or null at the end. The random sample is drawn when the day is over.
 */
export async function examineToday(
  app: AppContext,
  actor: Actor,
  input: { after: string },
): Promise<{ msg: string; next: string | null }> {
  const zone = await findTimeZone(app.db, actor.agencyId);
  if (zone === undefined) throw new AppError("not_found", "There is no such agency.");
  const now = app.clock();
  const day = utcDay(now);
  const stretch = { agencyId: actor.agencyId, day, from: day * DAY, until: now + 1 };
  const { after } = input;
  const entry = { ...auditWho(actor), at: now, action: "review.examine", outcome: "ok" } as const;
  await inOneStep(app.db, [insertAudit(app.db, { ...entry, ...(after && { detail: { after } }) })]);
  const limit = PEOPLE_A_CALL;
  const people = await listSearchers(app.db, { ...stretch, after, limit });
  const hourOf = createHourOf(zone);
  let queries = QUERIES_A_RUN;
  let last: string | undefined;
  for (const userId of people) {
    queries -= await examinePerson(app, { stretch, userId, hourOf });
    last = userId;
    if (queries <= 0) break;
  }
  const isEnd = last === people.at(-1) && people.length < limit;
  return { msg: "Today's searches were scanned", next: isEnd ? null : (last ?? null) };
}

/** Reviews a user's day. Returns the approximate number of queries used. */
async function examinePerson(
  app: AppContext,
  input: { stretch: Stretch; userId: string; hourOf: (at: number) => number },
): Promise<number> {
  const { stretch, userId, hourOf } = input;
  const { agencyId, day, from, until } = stretch;
  const [searches, privileged, investigated, name, growing] = await Promise.all([
    listSearchesOf(app.db, { agencyId, userId, from: from - HOURS_HISTORY_MS, until }),
    listPrivilegedOf(app.db, { agencyId, userId, from, until }),
    listInvestigationsOf(app, { agencyId, userId, from, until }),
    findName(app.db, userId),
    listGrowing(app.db, { agencyId, userId, since: from - REPEATED_WITHIN_MS }),
  ]);
  const today = [...searches.filter(({ at }) => at >= from), ...privileged].sort(
    (a, b) => a.at - b.at || a.seq - b.seq,
  );
  const { username, ...worded } = await wordGroups(app, today, name);
  const history = searches.filter(({ at }) => at < from).map(({ at }) => at);
  // Computed once per hour, because a script may make thousands of searches in one.
  const reasonOfHour = new Map<number, string | undefined>();
  const hours = evidenceOf(today, ({ at }) => {
    const hour = hourOf(at);
    if (!reasonOfHour.has(hour)) reasonOfHour.set(hour, unusualHour(at, history, hourOf));
    return reasonOfHour.get(hour);
  });
  const groups: Group[] = [
    { kind: "prohibited", plate: "", evidence: worded.prohibited },
    { kind: "vague", plate: "", evidence: worded.vague },
    { kind: "breadth", plate: "", evidence: breadthEvidence(investigated) },
    { kind: "hours", plate: "", evidence: hours },
    ...(await repeatedGroups(app, { searches, from, until })),
  ];
  const made = groups.filter(({ evidence }) => evidence.length > 0);
  const kinds = new Set(made.map(({ kind }) => kind));
  for (const kind of kinds) {
    const own = made.filter((group) => group.kind === kind);
    const seqs = own.flatMap(({ evidence }) => evidence.map(({ seq }) => seq));
    const decided = await listDecidedSeqs(app.db, { kind, seqs });
    const found = own.flatMap(({ plate, evidence }): Found[] => {
      const fresh = evidence.filter(({ seq }) => !decided.has(seq));
      const [first] = fresh;
      if (!first) return [];
      const grows = growing.find(
        (open) =>
          open.kind === kind &&
          open.plate === plate &&
          (kind === "repeated" ? open.lastAt >= first.at - REPEATED_WITHIN_MS : open.day === day),
      );
      const id = grows?.id ?? `${kind}-${first.seq}`;
      return [{ id, agencyId, kind, userId, username, plate, day, evidence: fresh }];
    });
    await keep(app, kind, found);
  }
  return QUERIES.person + Math.ceil(today.length / DETAILS_AT_ONCE) + QUERIES.kind * kinds.size;
}

/**
 * Writes findings of a kind. Throws if a finding was decided at the same moment: the next run creates a new one for its
 * new searches.
 */
async function keep(app: AppContext, kind: ReviewKind, found: readonly Found[]): Promise<void> {
  if (found.length === 0) return;
  await inOneStep(app.db, writeFindings(app.db, found, app.clock()));
  const seqs = found.flatMap(({ evidence }) => evidence.map(({ seq }) => seq));
  if ((await countInFindings(app.db, { kind, seqs })) < seqs.length)
    throw new Error("a finding was decided while it grew");
}

function evidenceOf<Search extends { seq: number; at: number }>(
  searches: readonly Search[],
  reasonOf: (search: Search) => string | undefined,
): Evidence[] {
  return searches.flatMap((search) => {
    const reason = reasonOf(search);
    return reason === undefined ? [] : [{ seq: search.seq, at: search.at, reason }];
  });
}

/** Finds place and convoy searches of a day that returned many plates for which no one had searched. */
function breadthEvidence(investigated: readonly Investigated[]): Evidence[] {
  const total = investigated.reduce((sum, { plates }) => sum + plates, 0);
  if (total <= BREADTH_PLATES) return [];
  return investigated.map(({ seq, at, plates }) => ({
    seq,
    at,
    reason: `Returned ${plates} plates that no one searched for; ${total} on this day.`,
  }));
}

/** Applies the rules on justifications, a batch of rows at a time. */
async function wordGroups(app: AppContext, today: readonly SearchRecord[], name: string) {
  const found: { username: string; prohibited: Evidence[]; vague: Evidence[] } = {
    username: "",
    prohibited: [],
    vague: [],
  };
  for (let start = 0; start < today.length; start += DETAILS_AT_ONCE) {
    const rows = await listWords(
      app.db,
      today.slice(start, start + DETAILS_AT_ONCE).map(({ seq }) => seq),
    );
    found.username = rows.at(-1)?.username ?? found.username;
    found.prohibited.push(...evidenceOf(rows, ({ justification }) => prohibitedReason(justification)));
    found.vague.push(
      ...evidenceOf(rows, ({ justification, username }) => vagueReason(justification, { username, name })),
    );
  }
  return found;
}

/** Repeated searches for a plate without a case number. Searches that were already decided on do not count again. */
async function repeatedGroups(
  app: AppContext,
  input: { searches: readonly SearchRecord[]; from: number; until: number },
): Promise<Group[]> {
  const { searches, from, until } = input;
  const byPlate = new Map<string, SearchRecord[]>();
  for (const search of searches) {
    const plate = comparedPlate(search.plate);
    const counts = plate !== "" && visibleText(search.case_number) === "";
    if (!counts || search.at < from - REPEATED_WITHIN_MS) continue;
    const own = byPlate.get(plate);
    if (own) own.push(search);
    else byPlate.set(plate, [search]);
  }
  const often = [...byPlate].filter(([, all]) => repeatedSearches(all, from, until).length > 0);
  const seqs = often.flatMap(([, all]) => all.map(({ seq }) => seq));
  const decided = await listDecidedSeqs(app.db, { kind: "repeated", seqs });
  const reason = "The same plate at least 5 times within 14 days, without a case number.";
  return often.map(([plate, all]) => {
    const open = all.filter(({ seq }) => !decided.has(seq));
    const evidence = repeatedSearches(open, from, until).map(({ seq, at }) => ({ seq, at, reason }));
    return { kind: "repeated", plate, evidence };
  });
}

async function drawSample(app: AppContext, stretch: Stretch): Promise<void> {
  const { agencyId, day } = stretch;
  const reason = "Random sample: one search in a hundred, at least one a day.";
  const found = (await listSample(app.db, stretch)).map(({ seq, at, userId, username }): Found => {
    const evidence = [{ seq, at, reason }];
    return { id: `sample-${seq}`, agencyId, kind: "sample", userId, username, plate: "", day, evidence };
  });
  if (found.length > 0) await inOneStep(app.db, writeFindings(app.db, found, app.clock()));
}
