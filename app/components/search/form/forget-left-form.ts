// The part of prefill.ts that every page loads: it deletes the input of a form that was left.

export const LEFT_FORM = "odin.left-search";
export const leftForms = { areKept: true };

/** Deletes kept input, and keeps nothing until `keepLeftForms`: the session has ended or is locked. */
export function forgetLeftForm(): void {
  leftForms.areKept = false;
  try {
    sessionStorage.removeItem(LEFT_FORM);
  } catch {
    // A browser without storage has kept nothing.
  }
}

/** Allows keeping input again: the session of this page's user continues. */
export function keepLeftForms(): void {
  leftForms.areKept = true;
}
