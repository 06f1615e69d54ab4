import type { FieldName, Problems } from "#app/entities/search/form.ts";
import { fieldId } from "./field-id.ts";

/** The fields in the order in which they stand, for the focus. */
const FIELD_ORDER: readonly FieldName[] = [
  "plate",
  "justification",
  "case_number",
  "purpose",
  "start",
  "end",
  "agencies",
  "form",
];

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
