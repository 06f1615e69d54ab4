// The initial values of a new form: the agencies and range of the user's last search, and a plate from another screen.
// Both stay in the browser. The former are stored under the user's id, so that users who share a computer do not get
// each other's.

import { type AgencyGroup, selectionOf, withAgencies } from "#app/entities/search/agencies.ts";
import { agencyFields, readSearchFields, type SearchFields } from "#app/entities/search/fields.ts";
import { onClock, type SearchForm, withPreset } from "#app/entities/search/form.ts";
import { DEFAULT_RANGE, RANGE_PRESETS } from "#app/entities/search/query.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { DAY } from "#app/lib/time/dates.ts";
import { LEFT_FORM, leftForms } from "./forget-left-form.ts";

const keyOf = (userId: string) => `odin.search.${userId}`;

/** Remembers a search's agencies, and its range if it is one of the quick ranges; other ranges belong to one case. */
export function remember(userId: string, form: SearchForm, groups: readonly AgencyGroup[]): void {
  const range = form.preset ?? stored(userId).range;
  const agencies = agencyFields(groups, form.selected);
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify({ agencies, range }));
  } catch {
    // A browser without storage starts with the defaults.
  }
}

type Context = { groups: readonly AgencyGroup[]; now: number; limitDays: number };
type Sources = {
  userId: string | undefined;
  handed: string | null;
  /** Where the form may have been left, and its initial values there; undefined if nothing is restored. */
  left: { place: Place; initial: SearchForm } | undefined;
};

/** The fields into which a user types first; a typed time clears the preset. */
const TYPED_FIRST = ["plate", "justification", "caseNumber", "preset"] as const;

/**
 * Returns the form as it was left in the same place, or with the values from the user's last search and another screen.
 */
export function prefilled(
  form: SearchForm,
  { userId, handed, left, ...context }: Context & Sources,
): SearchForm {
  const fields = left && takeLeftForm(left.place);
  // Input that was typed before the scripts arrived stays.
  const isTyped = TYPED_FIRST.some((field) => left && form[field] !== left.initial[field]);
  if (fields && handed === null && !isTyped) {
    const { groups, now } = context;
    const restored = readSearchFields(fields, { groups, zone: undefined, now, written: {} });
    return restored.preset ? onClock(restored, now) : restored;
  }
  const started = userId === undefined ? form : withRemembered(form, { userId, ...context });
  return handed === null ? started : withHandedPlate(started, handed, context);
}

/**
 * Returns the form with the remembered agencies and range. Choices that the user has already made stay, and so do
 * defaults if the remembered choices are no longer allowed.
 */
function withRemembered(form: SearchForm, context: Context & { userId: string }): SearchForm {
  const { userId, groups, now, limitDays } = context;
  const { agencies, range } = stored(userId);
  const selected = form.selected.size > 0 ? form.selected : selectionOf(groups, { agencies });
  const preset = RANGE_PRESETS.find(({ key, span }) => key === range && span <= limitDays * DAY)?.key;
  const filled = { ...form, selected };
  return preset && form.preset === DEFAULT_RANGE ? withPreset(filled, preset, now) : filled;
}

function stored(userId: string): { agencies: string[]; range: string } {
  const empty = { agencies: [], range: "" };
  try {
    const value = parseJson(localStorage.getItem(keyOf(userId)) ?? "");
    if (typeof value !== "object" || value === null) return empty;
    const { agencies, range }: { agencies?: unknown; range?: unknown } = value;
    return {
      agencies: Array.isArray(agencies) ? agencies.filter((agency) => typeof agency === "string") : [],
      range: typeof range === "string" ? range : "",
    };
  } catch {
    return empty;
  }
}

/** Range for checking a plate before it is added to a hotlist. */
const HANDED_SPAN = 30 * DAY;

/** Returns the form with a plate filled in: also all Axis cameras, over 30 days or the longest range the policy allows. */
function withHandedPlate(form: SearchForm, plate: string, { groups, now, limitDays }: Context): SearchForm {
  const preset = RANGE_PRESETS.findLast(({ span }) => span <= Math.min(HANDED_SPAN, limitDays * DAY))?.key;
  const held = groups.find(({ program }) => program === "Axis")?.options ?? [];
  const filled = { ...form, plate, selected: withAgencies(form.selected, held, true) };
  return preset ? withPreset(filled, preset, now) : filled;
}

// Input of a search form that was left without a search, for Back and reload. It is in the session storage of this tab,
// because plates and reasons are sensitive. It is kept only while the form is not on the screen, for the same user and
// the same entry of the history, and is deleted when the session ends or is locked.

/** Each search for a prohibited purpose must be confirmed. */
const NEVER_KEPT = ["confirmation", "supervisor"];

type Place = {
  userId: string;
  /** The key of the history entry; "default" for the one that the page was loaded with. */
  entry: string;
};
type LeftForm = Place & { fields: SearchFields; page: string };

/** Identifies this load of the page: a reload, or another page in the same tab, has another value. */
let page: string | undefined;

const thisPage = () => {
  page ??= crypto.randomUUID();
  return page;
};

/** Keeps the fields of a form that is being left, unless the session has ended. Replaces those of any other form. */
export function keepForm(place: Place, fields: SearchFields): void {
  if (!leftForms.areKept) return;
  const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => !NEVER_KEPT.includes(name)));
  try {
    sessionStorage.setItem(
      LEFT_FORM,
      JSON.stringify({ ...place, fields: kept, page: thisPage() } satisfies LeftForm),
    );
  } catch {
    // A browser without storage keeps nothing.
  }
}

/** Returns the fields that were left in this place, only once; undefined if there are none. Deletes any others. */
function takeLeftForm({ userId, entry }: Place): SearchFields | undefined {
  const left = takeAny();
  if (left?.userId !== userId || left.entry !== entry) return undefined;
  // Every load of a page begins with an entry of this name.
  return entry !== "default" || left.page === thisPage() || isReturn() ? left.fields : undefined;
}

function takeAny(): LeftForm | undefined {
  try {
    const text = sessionStorage.getItem(LEFT_FORM);
    sessionStorage.removeItem(LEFT_FORM);
    // Only `keepForm` writes it, so its shape is known.
    return text === null ? undefined : (parseJson(text) as LeftForm);
  } catch {
    return undefined;
  }
}

/** Returns whether the page was loaded by a reload, Back or Forward. */
function isReturn(): boolean {
  const [load] = performance.getEntriesByType("navigation");
  return load instanceof PerformanceNavigationTiming && load.type !== "navigate";
}
