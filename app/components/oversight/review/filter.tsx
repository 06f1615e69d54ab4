import { type FormEvent, useRef } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { REVIEW_KINDS } from "#app/entities/oversight/review.ts";
import { REVIEW_STATES, type ReviewCounts, type ReviewFilter } from "#app/entities/oversight/review-calls.ts";
import { countWords } from "./looks.ts";

export type ReviewFilterBarProps = {
  state: ScreenFormState<unknown>;
  filter: ReviewFilter;
  counts: ReviewCounts | undefined;
  onFilter: (filter: ReviewFilter) => void;
};

/** Filters the findings by state, by kind with open counts, and by searcher. */
export function ReviewFilterBar({ state: form, filter, counts, onFilter }: ReviewFilterBarProps) {
  const field = useRef<HTMLInputElement>(null);
  // With scripts, only the findings are fetched and the page stays.
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onFilter({ ...filter, user: field.current?.value.trim() ?? "" });
  }
  function clear() {
    if (field.current) field.current.value = "";
    onFilter({ ...filter, user: "" });
    field.current?.focus();
  }
  const isOpenKind = (kind: ReviewFilter["kind"]) => filter.kind === kind && filter.state === "open";
  return (
    <ScreenForm state={{ ...form, onSubmit: submit }} className="flex flex-col gap-3">
      <input type="hidden" name="kind" value={filter.kind} />
      <ul aria-label="Open findings by kind" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-7">
        {REVIEW_KINDS.map(({ value, label }) => (
          <li key={value}>
            <CountButton
              label={label}
              choice={isOpenKind(value) ? "open" : `open ${value}`}
              count={counts?.kinds[value]}
              pressed={isOpenKind(value)}
              onPress={() => onFilter({ ...filter, state: "open", kind: isOpenKind(value) ? "" : value })}
            />
          </li>
        ))}
        <li>
          <CountButton
            label="Open over 7 days"
            choice={filter.state === "overdue" ? "open" : "overdue"}
            count={counts?.overdue}
            alarming
            pressed={filter.state === "overdue"}
            onPress={() =>
              onFilter({ ...filter, state: filter.state === "overdue" ? "open" : "overdue", kind: "" })
            }
          />
        </li>
      </ul>
      <div className="flex flex-wrap items-end gap-x-3 gap-y-2">
        <Segmented
          label="Which findings"
          name="state"
          tellsEarlyChoice
          options={REVIEW_STATES}
          value={filter.state}
          onSelect={(state) => onFilter({ ...filter, state })}
        />
        <div className="flex items-end gap-2">
          <Field label="Searcher" hideLabel className="w-44">
            {(control) => (
              <Input
                {...control}
                ref={field}
                name="user"
                placeholder="Username"
                autoComplete="off"
                autoCapitalize="none"
                maxLength={200}
                defaultValue={filter.user}
              />
            )}
          </Field>
          <Button type="submit">Filter</Button>
          {filter.user && (
            <Button className="noscript:hidden" onClick={clear}>
              Clear
            </Button>
          )}
        </div>
      </div>
    </ScreenForm>
  );
}

function CountButton({
  label,
  choice,
  count,
  pressed,
  alarming = false,
  onPress,
}: {
  label: string;
  /** The value sent without scripts: a state, optionally followed by a kind. */
  choice: string;
  count: number | undefined;
  pressed: boolean;
  alarming?: boolean;
  onPress: () => void;
}) {
  return (
    <button
      type="submit"
      name="choice"
      value={choice}
      aria-pressed={pressed}
      onClick={(event) => {
        event.preventDefault();
        onPress();
      }}
      className={cx(
        "flex h-full w-full flex-col rounded-md border bg-raised px-3 py-2 text-start transition-colors hover:bg-hover",
        pressed ? "border-accent ring-1 ring-accent" : "border-line",
      )}
    >
      <span className={cx("text-xl font-semibold tabular-nums", alarming && (count ?? 0) > 0 && "text-warn")}>
        {count === undefined ? "–" : countWords(count)}
      </span>
      <span className="text-sm text-muted">{label}</span>
    </button>
  );
}
