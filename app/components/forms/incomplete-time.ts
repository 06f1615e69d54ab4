/**
 * Shows the browser's message at the first date or time that is only partly typed or has a year of five digits. Browsers
 * send such a field as empty, or the server cannot read it: the user would get another expiry or range than they typed.
 * Returns whether there is one.
 */
export function hasIncompleteTime(form: HTMLElement | null): boolean {
  const fields =
    form?.querySelectorAll<HTMLInputElement>("input[type=date], input[type=datetime-local]") ?? [];
  const field = [...fields].find(({ validity }) => validity.badInput || validity.rangeOverflow);
  const closed = field?.closest("details:not([open])");
  if (closed instanceof HTMLDetailsElement) closed.open = true;
  return field !== undefined && !field.reportValidity();
}
