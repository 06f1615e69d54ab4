/** The date and time words of a one-line search. Times are wall clock times of the user, without a zone. */

import { DAY, HOUR, MINUTE } from "#app/lib/time/dates.ts";

/** What a phrase says about the range: a span up to now, a date, hours of a day, or a date with hours. */
export type LineTime = {
  /** Milliseconds before now, or the wall clock time since when. */
  span?: number | string;
  /** The wall clock time at which the span ends, if that is not now. */
  until?: string;
  /** `2026-11-20`. */
  date?: string;
  /** Minutes from midnight; the end may be on the next day. */
  hours?: { from: number; to: number };
};

const DAY_MINUTES = 24 * 60;

const PARTS: Record<string, { from: number; to: number }> = {
  morning: { from: 5 * 60, to: 12 * 60 },
  afternoon: { from: 12 * 60, to: 17 * 60 },
  evening: { from: 17 * 60, to: 22 * 60 },
  night: { from: 22 * 60, to: 29 * 60 },
};

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Full names and abbreviations, so that "marlborough" is not a month. */
export const MONTH_NAMES =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";

const UNITS: Record<string, number> = {
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
};

/** A time of day needs a colon or am/pm: a bare number may be a plate. */
const CLOCK = "(\\d{1,2}(?::[0-5]\\d)? ?[ap]m|\\d{1,2}:[0-5]\\d|noon|midnight)";
const BARE_CLOCK = "(\\d{1,2}(?::[0-5]\\d)?)";
const DATE = `(today|yesterday|(?:last |on )?(?:sun|mon|tues|wednes|thurs|fri|satur)day|\\d{4}-\\d\\d-\\d\\d|\\d{1,2}/\\d{1,2}(?:/\\d{4})?|(?:${MONTH_NAMES}) \\d{1,2}(?: 20\\d\\d)?|\\d{1,2} (?:${MONTH_NAMES})(?: 20\\d\\d)?)`;

/** A date with a time of day, in either order: four groups. */
const MOMENT = `(?:${DATE}(?: (?:at )?${CLOCK})?|${CLOCK} (?:on )?${DATE})`;
const NUMBER_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const NUMBER_WORD = new RegExp(`\\b(${NUMBER_WORDS.join("|")})(?= (?:minute|hour|day|week|month)s?\\b)`, "g");

type Rule = { pattern: RegExp; read: (match: RegExpExecArray, now: string) => LineTime | undefined };

const rule = (source: string, read: Rule["read"]): Rule => ({
  pattern: new RegExp(`^${source}(?= |$)`),
  read,
});

const RULES: readonly Rule[] = [
  rule("(?:last|past) (?:(\\d{1,3}) )?(minute|hour|day|week|month)s?", ([, count = "1", unit = ""]) =>
    span(Number(count) * (UNITS[unit] ?? 0)),
  ),
  // Only after "last": "24h" alone may be a plate.
  rule("(?:last|past) (\\d{1,3}) ?(m|h|d|w)(?:in|r|k)?s?", ([, count, letter = ""]) => {
    const unit = Object.keys(UNITS).find((name) => name.startsWith(letter)) ?? "";
    return span(Number(count) * (UNITS[unit] ?? 0));
  }),
  rule("(\\d{1,3}) (minute|hour|day|week|month)s?(?! ago)", ([, count, unit = ""]) =>
    span(Number(count) * (UNITS[unit] ?? 0)),
  ),
  rule("(\\d{1,3}) (day|week)s? ago", ([, count, unit = ""], now) => ({
    date: dayBefore(now, Number(count) * (unit === "week" ? 7 : 1)),
  })),
  rule(`since ${DATE}`, ([, text = ""], now) => {
    const date = dateOf(text, now);
    return date === undefined ? undefined : { span: `${date}T00:00:00` };
  }),
  rule(`(?:from )?${MOMENT} ?(?:-|–|to|until|till|through|thru) ?${MOMENT}`, betweenMoments),
  rule(`between ${MOMENT} and ${MOMENT}`, betweenMoments),
  rule("(?:(this|last|past) )?weekend", ([, which], now) => {
    // On a Saturday or Sunday, the last weekend is the one before.
    const sinceSaturday = (weekdayOf(now) + 1) % 7;
    const isWeekend = sinceSaturday < 2;
    if (which === "this" && !isWeekend) return undefined;
    const isBefore = isWeekend && (which === "last" || which === "past");
    const saturday = dayBefore(now, sinceSaturday + (isBefore ? 7 : 0));
    return { span: onDay(saturday, 0), until: onDay(saturday, 2 * DAY_MINUTES) };
  }),
  rule(DATE, ([, text = ""], now) => {
    const date = dateOf(text, now);
    return date === undefined ? undefined : { date };
  }),
  rule("(?:(this|last|in the|at) )?(morning|afternoon|evening|night)", ([, which, part = ""], now) => {
    const hours = PARTS[part];
    if (!hours) return undefined;
    if (which === "this") return { date: dayOf(now), hours };
    return which === "last" ? { date: dayBefore(now, 1), hours } : { hours };
  }),
  rule("tonight", (_, now) => ({ date: dayOf(now), hours: { from: 17 * 60, to: 29 * 60 } })),
  rule(`(?:between|from) ${CLOCK} (?:and|to|until) ${CLOCK}`, ([, from = "", to = ""]) => between(from, to)),
  rule(`${CLOCK} ?(?:-|–|to|until) ?${CLOCK}`, ([, from = "", to = ""]) => between(from, to)),
  // "between 5 and 6pm", "11-1am": the first time has the half of the day that puts it before the second one.
  rule(`(?:between|from) ${BARE_CLOCK} (?:and|to|until) ${BARE_CLOCK} ?([ap]m)`, halfDays),
  rule(`${BARE_CLOCK} ?(?:-|–|to|until) ?${BARE_CLOCK} ?([ap]m)`, halfDays),
  rule(`after ${CLOCK}`, ([, from = ""]) => hoursOf(minutesOf(from), DAY_MINUTES)),
  rule(`before ${CLOCK}`, ([, to = ""]) => hoursOf(0, to === "midnight" ? DAY_MINUTES : minutesOf(to))),
  rule(`(?:(?:at|around|about) )?${CLOCK}`, ([, text = ""]) => {
    const at = minutesOf(text);
    return at === undefined ? undefined : hoursOf(Math.max(0, at - AROUND), at + AROUND);
  }),
];

/** A single time means half an hour before to half an hour after. */
const AROUND = 30;

/** Words of the longest phrase: `from nov 20 2026 at 8 am until nov 21 2026 at 9 pm`. */
const MAX_WORDS = 14;

/** Returns what the longest time phrase at the beginning of the words means, and its number of words. */
export function timeAt(words: readonly string[], now: string): (LineTime & { length: number }) | undefined {
  const text = words
    .slice(0, MAX_WORDS)
    .join(" ")
    .toLowerCase()
    .replace(NUMBER_WORD, (word) => String(NUMBER_WORDS.indexOf(word) + 1));
  let best: (LineTime & { length: number }) | undefined;
  for (const { pattern, read } of RULES) {
    const match = pattern.exec(text);
    const time = match && read(match, now);
    const length = match ? match[0].split(" ").length : 0;
    if (time && length > (best?.length ?? 0)) best = { ...time, length };
  }
  return best;
}

/** Returns the start and end that the time phrases of a line mean together. */
export function rangeOfTimes(
  times: readonly LineTime[],
  now: string,
): { span: number } | { start: string; end: string } | undefined {
  const { span, until, date, hours }: LineTime = Object.assign({}, ...times);
  if (typeof span === "number") return { span };
  if (span !== undefined) return { start: span, end: until ?? now };
  if (date !== undefined) return day(date, hours);
  if (!hours) return undefined;
  const today = day(dayOf(now), hours);
  return today.start <= now ? today : day(dayBefore(now, 1), hours);
}

const span = (milliseconds: number) => (milliseconds > 0 ? { span: milliseconds } : undefined);

/** `nov 20 to nov 22`, `11/20 8am until 11/21 9:30pm`: without a time of day, both days are whole. */
function betweenMoments(
  [
    ,
    fromDate,
    fromTime = "",
    fromTimeFirst,
    fromDateLast,
    toDate,
    toTime = "",
    toTimeFirst,
    toDateLast,
  ]: RegExpExecArray,
  now: string,
): LineTime | undefined {
  const first = dateOf(fromDate ?? fromDateLast ?? "", now);
  const last = dateOf(toDate ?? toDateLast ?? "", now);
  const start = minutesOf(fromTimeFirst ?? (fromTime || "midnight"));
  const endText = toTimeFirst ?? (toTime || "midnight");
  const end = endText === "midnight" ? DAY_MINUTES : minutesOf(endText);
  if (first === undefined || last === undefined || start === undefined || end === undefined) return undefined;
  const [from, until] = [onDay(first, start), onDay(last, end)];
  return from < until ? { span: from, until } : undefined;
}

function between(from: string, to: string): LineTime | undefined {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  if (start === undefined || end === undefined) return undefined;
  return hoursOf(start, end > start ? end : end + DAY_MINUTES);
}

function halfDays([, from = "", to = "", half = ""]: RegExpExecArray): LineTime | undefined {
  const [same, end] = [minutesOf(`${from} ${half}`), minutesOf(`${to} ${half}`)];
  if (same === undefined || end === undefined) return undefined;
  const other = half === "am" ? "pm" : "am";
  return between(`${from} ${same < end ? half : other}`, `${to} ${half}`);
}

function hoursOf(from: number | undefined, to: number | undefined): LineTime | undefined {
  return from === undefined || to === undefined || to <= from ? undefined : { hours: { from, to } };
}

function minutesOf(text: string): number | undefined {
  if (text === "noon") return 12 * 60;
  if (text === "midnight") return 0;
  const [, hour = "", minute = "0", half] = /^(\d+)(?::(\d+))? ?([ap]m)?$/.exec(text) ?? [];
  const hours = Number(hour);
  if (hour === "" || hours > (half ? 12 : 23) || (half && hours === 0)) return undefined;
  const late = half === "pm" ? 12 : 0;
  return (half ? (hours % 12) + late : hours) * 60 + Number(minute);
}

function dateOf(text: string, now: string): string | undefined {
  if (text === "today") return dayOf(now);
  if (text === "yesterday") return dayBefore(now, 1);
  const weekday = WEEKDAYS.indexOf(text.replace(/^(last|on) /, ""));
  if (weekday >= 0) {
    const back = (weekdayOf(now) - weekday + 7) % 7;
    return dayBefore(now, back === 0 && text.startsWith("last ") ? 7 : back);
  }
  if (/^\d{4}-/.test(text)) return validDay(text);
  const monthFirst = text.replace(/^(\d+) ([a-z]+)/, "$2 $1");
  const [, month = "", ofMonth = "", year] = /^(\d+|[a-z]+)[ /](\d+)(?:[ /](\d+))?$/.exec(monthFirst) ?? [];
  const number = /^\d/.test(month) ? Number(month) : MONTHS.indexOf(month.slice(0, 3)) + 1;
  const days = `-${String(number).padStart(2, "0")}-${ofMonth.padStart(2, "0")}`;
  if (year) return validDay(year + days);
  // Without a year it is the last such day.
  const thisYear = Number(now.slice(0, 4));
  return [thisYear, thisYear - 1].map((one) => validDay(one + days)).find((one) => one && one <= dayOf(now));
}

function validDay(text: string): string | undefined {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text) ? text : undefined;
}

const dayOf = (wall: string) => wall.slice(0, 10);
const weekdayOf = (wall: string) => new Date(`${dayOf(wall)}T00:00:00Z`).getUTCDay();
const onDay = (date: string, minutes: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + minutes * MINUTE).toISOString().slice(0, 19);
const dayBefore = (wall: string, days: number) => onDay(dayOf(wall), -days * DAY_MINUTES).slice(0, 10);

function day(date: string, hours = { from: 0, to: DAY_MINUTES }): { start: string; end: string } {
  return { start: onDay(date, hours.from), end: onDay(date, hours.to) };
}
