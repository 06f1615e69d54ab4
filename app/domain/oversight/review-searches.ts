// Looks through the searches of every finished UTC day for what auditors look for (CJIS AU-6; see entities/oversight/review.ts).
// A day is taken person by person, and a person twice gives nothing twice: whatever is cut off goes on where it was.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { auditWho } from "#app/entities/oversight/audit.ts";
import {
  comparedPlate,
  HOURS_HISTORY_MS,
  hourTeller,
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
import { inOneStep, type Statement } from "#app/store/database.ts";
import { insertAudit } from "#app/store/oversight/audit.ts";
import {
  countHeld,
  DETAILS_AT_ONCE,
  type DueAgency,
  type Found,
  findName,
  firstSearchSince,
  listDecidedSeqs,
  listDueAgencies,
  listGrowing,
  listSample,
  listSearchers,
  listSearchesOf,
  listWords,
  putRun,
  type SearchRecord,
  writeFinding,
} from "#app/store/oversight/review-job.ts";
import { findTimeZone } from "#app/store/users/agencies.ts";
import { sealAuditLog } from "./audit-chain.ts";

/**
 * People of whom one run looks through a day, some ten questions each, of which a run may ask a thousand; the next run, a
 * minute later, takes up the rest. So a day has room for 86,400: the searchers of a thousand agencies, or the review
 * would fall behind for ever.
 */
const PEOPLE_A_RUN = 60;
/** The same for somebody who waits for it. */
const PEOPLE_A_CALL = 100;
/** A day is looked through when it is over for so long: rows of its last moments are written and sealed by then. */
const SETTLED_MS = 15 * MINUTE;
/** How far back an agency's first review goes. */
const FIRST_DAYS = 60;

type Evidence = Found["evidence"][number];
/** Searches of one kind that belong together. */
type Group = { kind: ReviewKind; plate: string; evidence: Evidence[] };
type Stretch = { agencyId: string; day: number; from: number; until: number };

/**
 * Takes up the review where it stands, for every agency, for `most` people. Gives the number of people whose day was
 * looked through. What fails for one agency keeps no other from its turn, and is thrown at the end.
 */
export async function reviewSearches(app: AppContext, most = PEOPLE_A_RUN): Promise<number> {
  const lastDay = utcDay(app.clock() - SETTLED_MS) - 1;
  const due = await listDueAgencies(app.db, lastDay);
  if (due.length === 0) return 0;
  // The sample is drawn from the chain.
  await sealAuditLog(app);
  const problems: unknown[] = [];
  let examined = 0;
  for (const agency of due) {
    try {
      examined += await reviewAgency(app, { agency, lastDay, budget: most - examined });
    } catch (error) {
      problems.push(error);
    }
    if (examined >= most) break;
  }
  if (problems.length > 0) throw new AggregateError(problems, "searches could not be reviewed");
  return examined;
}

/** The days of one agency from where it stands, for at most `budget` people; gives how many they were. */
async function reviewAgency(
  app: AppContext,
  input: { agency: DueAgency; lastDay: number; budget: number },
): Promise<number> {
  const { agency, lastDay, budget } = input;
  const hourOf = hourTeller(agency.timeZone);
  let [day, afterUser] = [agency.day ?? lastDay + 1 - FIRST_DAYS, agency.afterUser];
  let examined = 0;
  while (day <= lastDay && examined < budget) {
    if (afterUser === "") {
      const first = await firstSearchSince(app.db, agency.id, day * DAY);
      day = first === null ? lastDay + 1 : Math.min(utcDay(first), lastDay + 1);
    }
    const run = { agencyId: agency.id, day, finishedAt: null };
    await inOneStep(app.db, [putRun(app.db, { ...run, afterUser })]);
    if (day > lastDay) break;
    const stretch = { agencyId: agency.id, day, from: day * DAY, until: (day + 1) * DAY };
    const limit = budget - examined;
    const people = await listSearchers(app.db, { ...stretch, after: afterUser, limit });
    for (const userId of people) {
      await examinePerson(app, { stretch, userId, hourOf });
      await inOneStep(app.db, [putRun(app.db, { ...run, afterUser: userId })]);
    }
    examined += people.length;
    if (people.length === limit) break;
    await drawSample(app, stretch);
    day++;
    afterUser = "";
    await inOneStep(app.db, [putRun(app.db, { ...run, day, afterUser, finishedAt: app.clock() })]);
  }
  return examined;
}

/**
 * Looks through the running day of the actor's agency, person by person after one of them; `next` says where to go on.
 * The random sample waits for the end of the day.
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
  const hourOf = hourTeller(zone);
  for (const userId of people) await examinePerson(app, { stretch, userId, hourOf });
  const next = people.length === limit ? (people.at(-1) ?? null) : null;
  return { msg: "Today's searches were looked through", next };
}

async function examinePerson(
  app: AppContext,
  input: { stretch: Stretch; userId: string; hourOf: (at: number) => number },
): Promise<void> {
  const { stretch, userId, hourOf } = input;
  const { agencyId, day, from, until } = stretch;
  const [searches, name, growing] = await Promise.all([
    listSearchesOf(app.db, { agencyId, userId, from: from - HOURS_HISTORY_MS, until }),
    findName(app.db, userId),
    listGrowing(app.db, { agencyId, userId, since: from - REPEATED_WITHIN_MS }),
  ]);
  const today = searches.filter(({ at }) => at >= from);
  const { username, ...worded } = await wordGroups(app, today, name);
  const history = searches.filter(({ at }) => at < from).map(({ at }) => at);
  // What is said of an hour is the same for every search in it, of which a script may make thousands.
  const saidOf = new Map<number, string | undefined>();
  const hours = evidenceOf(today, ({ at }) => {
    const hour = hourOf(at);
    if (!saidOf.has(hour)) saidOf.set(hour, unusualHour(at, history, hourOf));
    return saidOf.get(hour);
  });
  const groups: Group[] = [
    { kind: "prohibited", plate: "", evidence: worded.prohibited },
    { kind: "vague", plate: "", evidence: worded.vague },
    { kind: "hours", plate: "", evidence: hours },
    ...(await repeatedGroups(app, { searches, from, until })),
  ];
  for (const { kind, plate, evidence } of groups) {
    if (evidence.length === 0) continue;
    const decided = await listDecidedSeqs(app.db, { kind, seqs: evidence.map(({ seq }) => seq) });
    const fresh = evidence.filter(({ seq }) => !decided.has(seq));
    const [first] = fresh;
    if (!first) continue;
    const grows = growing.find(
      (open) =>
        open.kind === kind &&
        open.plate === plate &&
        (kind === "repeated" ? open.lastAt >= first.at - REPEATED_WITHIN_MS : open.day === day),
    );
    const id = grows?.id ?? `${kind}-${first.seq}`;
    await keep(app, { id, agencyId, kind, userId, username, plate, day, evidence: fresh });
  }
}

/** Writes a finding. Throws where somebody decided it at that moment: the next run makes another of what is new. */
async function keep(app: AppContext, found: Found): Promise<void> {
  const [first, ...rest] = writeFinding(app.db, found, app.clock()) as [Statement, ...Statement[]];
  await inOneStep(app.db, [first, ...rest]);
  const seqs = found.evidence.map(({ seq }) => seq);
  if ((await countHeld(app.db, { kind: found.kind, seqs })) < seqs.length)
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

/** The rules over words, a stretch of rows at a time. */
async function wordGroups(app: AppContext, today: readonly SearchRecord[], name: string) {
  const found = { username: "", prohibited: [] as Evidence[], vague: [] as Evidence[] };
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

/** The same plate again and again without a case number; what was decided on does not count again. */
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
  const groups: Group[] = [];
  for (const [plate, all] of byPlate) {
    if (repeatedSearches(all, from, until).length === 0) continue;
    const decided = await listDecidedSeqs(app.db, { kind: "repeated", seqs: all.map(({ seq }) => seq) });
    const found = repeatedSearches(
      all.filter(({ seq }) => !decided.has(seq)),
      from,
      until,
    );
    const reason = "The same plate at least 5 times within 14 days, without a case number.";
    groups.push({ kind: "repeated", plate, evidence: found.map(({ seq, at }) => ({ seq, at, reason })) });
  }
  return groups;
}

async function drawSample(app: AppContext, stretch: Stretch): Promise<void> {
  const { agencyId, day } = stretch;
  for (const { seq, at, userId, username } of await listSample(app.db, stretch)) {
    const evidence = [{ seq, at, reason: "Drawn at random: one search in a hundred, at least one a day." }];
    const found = { agencyId, kind: "sample", userId, username, plate: "", day, evidence } as const;
    const [first, ...rest] = writeFinding(app.db, { ...found, id: `sample-${seq}` }, app.clock()) as [
      Statement,
      ...Statement[],
    ];
    await inOneStep(app.db, [first, ...rest]);
  }
}
