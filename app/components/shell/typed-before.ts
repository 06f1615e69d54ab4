/**
 * What was typed or chosen before a page's scripts had come. React takes such a field over as it stands without hearing
 * of it, and its next drawing would empty it: so the fields are told once more, as if it happened now.
 */

type Written = HTMLInputElement | HTMLTextAreaElement;

const UNTOLD = new Set(["hidden", "file", "submit", "button", "reset", "image"]);

function isWritten(field: Element): field is Written {
  return (
    field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && !UNTOLD.has(field.type))
  );
}

/** Sets a value past React, which then finds it changed. */
function write(field: Written, value: string): void {
  const kind = field instanceof HTMLInputElement ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set?.call(field, value);
}

function retellText(field: Written): boolean {
  const typed = field.value;
  if (typed === field.defaultValue) return false;
  const { selectionStart, selectionEnd } = field;
  field.value = field.defaultValue;
  write(field, typed);
  if (selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd);
  return field.dispatchEvent(new Event("input", { bubbles: true }));
}

function retellCheck(field: HTMLInputElement): boolean {
  // Of a group of radios the one that was chosen speaks for those that no longer are.
  if (field.checked === field.defaultChecked || (field.type === "radio" && !field.checked)) return false;
  field.checked = !field.checked;
  field.click();
  return true;
}

function retellChoice(field: HTMLSelectElement): boolean {
  const given = Array.from(field.options).findIndex((option) => option.defaultSelected);
  if (field.selectedIndex === Math.max(0, given)) return false;
  return field.dispatchEvent(new Event("change", { bubbles: true }));
}

function retell(field: Element): boolean {
  if (field instanceof HTMLSelectElement) return retellChoice(field);
  if (!isWritten(field)) return false;
  if (field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type))
    return retellCheck(field);
  return retellText(field);
}

/** Tells every such field again, one after the other: each has to be drawn before the next. */
export async function retellTyped(): Promise<void> {
  for (const field of document.querySelectorAll("input, textarea, select"))
    if (retell(field)) await new Promise((resolve) => setTimeout(resolve));
}
