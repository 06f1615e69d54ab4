import { useActionData } from "@remix-run/react";
import { useState } from "react";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import type { AgencyGroup } from "#app/entities/search/agencies.ts";
import { readSearchFields } from "#app/entities/search/fields.ts";
import {
  clearForm,
  type FieldName,
  fieldsWithProblems,
  inZone,
  type Problems,
  refillForm,
  type SearchForm,
} from "#app/entities/search/form.ts";
import type { PlateOnly, SearchRequest } from "#app/entities/search/request.ts";

/**
 * Returns what the form is filled with at first: the fields of a refused search that was sent without scripts, of the
 * request to refine, or none but the plate that another screen hands over.
 */
export function useInitialFields(input: {
  groups: readonly AgencyGroup[];
  previous: SearchRequest | null;
  keepsRange: boolean;
  timeZone: string;
}) {
  const { groups, previous, keepsRange, timeZone } = input;
  const { posted, handed } = usePosted();
  const [initial] = useState((): SearchForm => {
    const now = Date.now();
    if (posted) return readSearchFields(posted.values, { groups, zone: timeZone, now });
    const filled = previous
      ? refillForm(previous, groups, keepsRange)
      : { ...clearForm(), plate: handed?.plate ?? "" };
    return inZone(filled, timeZone);
  });
  // Without scripts, the browser focuses the first field that was refused.
  const [focused] = useState<FieldName>(
    () =>
      fieldsWithProblems(posted?.problems ?? {})[0] ??
      (previous?.justification === "" ? "justification" : "plate"),
  );
  return { initial, focused, posted, handed };
}

/**
 * Returns what was posted to the screen: the values and problems of a refused search that was sent without scripts, or
 * the plate that another screen hands over.
 */
function usePosted(): {
  posted?: { values: FormAnswer["values"]; problems: Problems };
  handed?: PlateOnly;
} {
  const answer = useActionData<FormAnswer<PlateOnly>>();
  if (!answer) return {};
  if (answer.ok) return { handed: answer.result };
  const { values, message, problems } = answer;
  return { posted: { values, problems: message ? { form: message } : problems } };
}
