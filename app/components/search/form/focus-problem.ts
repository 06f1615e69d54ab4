import type { FieldName, Problems } from "#app/entities/search/form.ts";
import { fieldId } from "./field-id.ts";

/** The fields in their order on the screen. */
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

/** Focuses the first field with a problem. A problem of the whole form leaves the focus on the button. */
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
