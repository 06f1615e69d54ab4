import { type MutableRefObject, useEffect, useRef, useState } from "react";
import { fieldsWithProblems, type Problems } from "#app/entities/search/form.ts";
import { focusField } from "./bar.tsx";

export type ProblemsState = ReturnType<typeof useProblems>;

/** The problems of the search form, by field. */
export function useProblems(initial: Problems) {
  const [problems, setProblems] = useState<Problems>(initial);
  const [wasAsked, setWasAsked] = useState(asksToConfirm(problems));
  const isReported = useRef(false);
  useFocusReportedProblem(problems, isReported);

  return {
    problems,
    asksToConfirm: asksToConfirm(problems),
    /** The user has been asked to confirm the search. Stays after its problems are corrected. */
    wasAsked,
    /** Shows the problems of a submitted form, and focuses the first. */
    report(found: Problems) {
      setProblems(found);
      if (asksToConfirm(found)) setWasAsked(true);
      isReported.current = true;
    },
    /** Shows a problem of one field, next to those of others. */
    add(field: string, problem: string) {
      setProblems((last) => ({ ...last, [field]: problem }));
    },
    /** Removes the problems of corrected fields, and that of the form as a whole. */
    clear(...fields: string[]) {
      setProblems((last) => {
        const entries = Object.entries(last);
        const rest = entries.filter(([field]) => field !== "form" && !fields.includes(field));
        return rest.length === entries.length ? last : Object.fromEntries(rest);
      });
    },
    clearAll: () => setProblems({}),
    /** The form is empty again. */
    reset() {
      setProblems({});
      setWasAsked(false);
    },
  };
}

/** Runs after the render, so that screen readers announce the problem with its field, which may be new. */
function useFocusReportedProblem(problems: Problems, isReported: MutableRefObject<boolean>) {
  useEffect(() => {
    const [first] = fieldsWithProblems(problems);
    if (isReported.current && first) focusField(first);
    isReported.current = false;
  }, [problems, isReported]);
}

const asksToConfirm = (problems: Problems) => Boolean(problems.confirmation || problems.supervisor);
