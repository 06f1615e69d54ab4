// What was typed into a search form that was left without a search, for Back and reload: in the session storage of this tab,
// because plates and reasons are sensitive. It is kept only while the form is not on the screen, for the same user and the
// same entry of the history, and is deleted when the session ends or is locked.

import type { SearchFields } from "#app/entities/search/fields.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { LEFT_FORM, leftForms } from "./forget-left-form.ts";

/** Each search for a prohibited purpose must be confirmed. */
const NEVER_KEPT = ["confirmation", "supervisor"];

export type Place = {
  userId: string;
  /** The key of the history entry; "default" for the one that the page was loaded with. */
  entry: string;
};
type LeftForm = Place & { fields: SearchFields; page: string };

/** This load of the page: a reload, or another page in the same tab, is another one. */
let page: string | undefined;

const thisPage = () => {
  page ??= crypto.randomUUID();
  return page;
};

/** Keeps the fields of a form that is being left, unless the session has ended. Replaces those of another form. */
export function keepLeftForm(place: Place, fields: SearchFields): void {
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
export function takeLeftForm({ userId, entry }: Place): SearchFields | undefined {
  const left = takeAny();
  if (left?.userId !== userId || left.entry !== entry) return undefined;
  // Every load of a page begins with an entry of this name.
  return entry !== "default" || left.page === thisPage() || isReturn() ? left.fields : undefined;
}

function takeAny(): LeftForm | undefined {
  try {
    const text = sessionStorage.getItem(LEFT_FORM);
    sessionStorage.removeItem(LEFT_FORM);
    // Only `keepLeftForm` writes it, so its shape is known.
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
