import { CircleAlert, Search, TriangleAlert } from "lucide-react";
import { type MouseEvent, useEffect, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import type { AgencyGroup } from "#app/entities/search/agencies.ts";
import {
  type FieldName,
  fieldsWithProblems,
  type Problems,
  problemsMessage,
  type SearchForm,
} from "#app/entities/search/form.ts";
import { describeSearch } from "./describe.ts";
import { fieldId } from "./field-id.ts";

export type SearchBarProps = {
  form: SearchForm;
  groups: readonly AgencyGroup[];
  problems: Problems;
  onClear: (event: MouseEvent) => void;
};

const CLEAR_FORM = "search-clear";

/** Without scripts, Clear submits this separate empty form, so that no typed value ends up in the URL. */
export function ClearForm() {
  return <form id={CLEAR_FORM} action="/search" hidden />;
}

/** A summary of the search, its problems, the skipped programs, and the buttons. Sticky at the bottom of tall windows. */
export function SearchBar({ form, groups, problems, onClear }: SearchBarProps) {
  const [skipped, setSkipped] = useState("");
  useEffect(() => {
    // Lazy-loaded, to keep the first load small.
    import("./skipped-programs.ts").then(
      ({ describeSkipped }) => setSkipped(describeSkipped(form, groups)),
      () => {},
    );
  }, [form, groups]);
  return (
    <div data-bar="bottom" className="border-t border-line bg-raised tall:sticky tall:bottom-0 tall:z-10">
      <div className="mx-auto flex w-full max-w-7xl flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6">
        <div className="min-w-48 flex-1 basis-64">
          <p className="text-base [overflow-wrap:anywhere]">
            <span className="text-muted">Searches </span>
            <span className="font-semibold">{describeSearch(form, groups)}</span>
          </p>
          <div aria-live="polite">
            {skipped && (
              <p className="mt-0.5 flex items-start gap-1.5 text-sm wrap-anywhere text-warn">
                <TriangleAlert aria-hidden="true" className="mt-px size-4 shrink-0" />
                {skipped}
              </p>
            )}
          </div>
          <ProblemSummary problems={problems} />
        </div>
        <div className="flex gap-2 max-sm:w-full">
          <Button type="submit" form={CLEAR_FORM} size="lg" className="max-sm:flex-1" onClick={onClear}>
            Clear
          </Button>
          <Button
            type="submit"
            size="lg"
            variant="primary"
            icon={<Search />}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            className="max-sm:flex-2 sm:min-w-36"
          >
            Search
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Why the search was not started, with a link to each field that is missing or wrong. */
function ProblemSummary({ problems }: { problems: Problems }) {
  const message = problemsMessage(problems);
  return (
    <div role="alert">
      {message && (
        <div className="mt-0.5 flex items-start gap-1.5 text-sm font-medium text-hit">
          <CircleAlert aria-hidden="true" className="mt-px size-4 shrink-0" />
          <div>
            {message}
            <ul className="flex flex-wrap gap-x-4">
              {fieldsWithProblems(problems).map(
                (field) =>
                  problems[field] !== message && (
                    <li key={field}>
                      <a
                        href={`#${fieldId(field)}`}
                        className="inline-flex min-h-target items-center underline"
                        onClick={(event) => {
                          event.preventDefault();
                          focusField(field);
                        }}
                      >
                        {problems[field]}
                      </a>
                    </li>
                  ),
              )}
            </ul>
          </div>
        </div>
      )}
    </div>
  );
}

/** Focuses a field of the form, or the first control of a group of fields. */
export function focusField(field: FieldName): void {
  const element = document.getElementById(fieldId(field));
  const isControl = element?.matches("input, select, textarea");
  const target = isControl ? element : (element?.querySelector("input:not(:disabled)") ?? element);
  if (target instanceof HTMLElement) target.focus();
}
