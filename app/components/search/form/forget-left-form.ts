// The part of prefill.ts that every page loads: deleting what was left.

export const LEFT_FORM = "odin.left-search";
export const leftForms = { areKept: true };

/** Deletes what was left, and keeps nothing until `keepLeftForms`: the session has ended or is locked. */
export function forgetLeftForm(): void {
  leftForms.areKept = false;
  try {
    sessionStorage.removeItem(LEFT_FORM);
  } catch {
    // A browser without storage has kept nothing.
  }
}

/** The session of this page's user continues. */
export function keepLeftForms(): void {
  leftForms.areKept = true;
}
