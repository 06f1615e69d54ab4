import { CircleAlert, Search, TriangleAlert } from "lucide-react";
import { type MouseEvent, useEffect, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import type { AgencyGroup } from "#app/entities/search/agencies.ts";
import type { SearchForm } from "#app/entities/search/form.ts";
import { describeSearch } from "./describe.ts";

export type SearchBarProps = {
  form: SearchForm;
  groups: readonly AgencyGroup[];
  problem: string | undefined;
  onClear: (event: MouseEvent) => void;
};

const CLEAR_FORM = "search-clear";

/** Without scripts, Clear opens an empty form. It is another form, so that nothing typed gets into the address. */
export function ClearForm() {
  return <form id={CLEAR_FORM} action="/search" hidden />;
}

/** What will be searched, what will be left out, and the button. Sticks to the bottom where the window is tall enough. */
export function SearchBar({ form, groups, problem, onClear }: SearchBarProps) {
  const [left, setLeft] = useState("");
  useEffect(() => {
    // Lazy-loaded, to keep the first load small.
    import("./passed-over.ts").then(
      ({ describePassedOver }) => setLeft(describePassedOver(form, groups)),
      () => {},
    );
  }, [form, groups]);
  return (
    <div className="border-t border-line bg-raised [@media(min-height:36rem)]:sticky [@media(min-height:36rem)]:bottom-0 [@media(min-height:36rem)]:z-10">
      <div className="mx-auto flex w-full max-w-7xl flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6">
        <div className="min-w-48 flex-1 basis-64">
          <p className="text-base [overflow-wrap:anywhere]">
            <span className="text-muted">Searches </span>
            <span className="font-semibold">{describeSearch(form, groups)}</span>
          </p>
          <div aria-live="polite">
            {left && (
              <p className="mt-0.5 flex items-start gap-1.5 text-sm text-warn">
                <TriangleAlert aria-hidden="true" className="mt-px size-4 shrink-0" />
                {left}
              </p>
            )}
          </div>
          <div role="alert">
            {problem && (
              <p className="mt-0.5 flex items-start gap-1.5 text-sm font-medium text-hit">
                <CircleAlert aria-hidden="true" className="mt-px size-4 shrink-0" />
                {problem}
              </p>
            )}
          </div>
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
