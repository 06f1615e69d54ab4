let wasKey = true;

if (typeof document !== "undefined") {
  document.addEventListener(
    "keydown",
    () => {
      wasKey = true;
    },
    { capture: true },
  );
  document.addEventListener(
    "pointerdown",
    () => {
      wasKey = false;
    },
    { capture: true },
  );
}

/**
 * Returns whether the user last pressed a key, not a button of the mouse. Safari matches `:focus-visible` also where a
 * script moves the focus after a click, for example into a dialog.
 */
export function lastPressWasKey(): boolean {
  return wasKey;
}
