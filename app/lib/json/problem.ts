/** What is wrong with a value that a schema refused. */

import type * as z from "zod/mini";

/** zod's message if a schema has none. */
const UNNAMED = "Invalid input";

/** Returns the first problem: the schema's message, or the name of the field; `whole` if the value itself is wrong. */
export function schemaProblem({ issues }: z.core.$ZodError, whole: string): string {
  const [issue] = issues;
  if (issue?.message && issue.message !== UNNAMED) return issue.message;
  const field = issue?.path.join(".").slice(0, 200).toWellFormed();
  return field ? `The field "${field}" is missing or invalid.` : whole;
}
