import { FIELD_ORDER, type FieldName, type Problems } from "./form-state.ts";

export function fieldId(field: FieldName): string {
  return `search-${field}`;
}

/** Puts the focus on the first field that something is wrong with; what concerns no field leaves it on the button. */
export function focusFirstProblem(problems: Problems): void {
  const first = FIELD_ORDER.find((field) => problems[field]);
  if (!first || first === "form") return;
  const element = document.getElementById(fieldId(first));
  const control = element?.matches("input, textarea")
    ? element
    : element?.querySelector("input:not(:disabled)");
  const target = control ?? element;
  if (target instanceof HTMLElement) target.focus();
}
