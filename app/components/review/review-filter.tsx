import { type FormEvent, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { Segmented } from "#app/components/ui/segmented.tsx";
import { REVIEW_KINDS } from "#app/entities/review.ts";
import { REVIEW_STATES, type ReviewCounts, type ReviewFilter } from "#app/entities/review-calls.ts";
import { countWords } from "./review-looks.ts";

export type ReviewFilterBarProps = {
  filter: ReviewFilter;
  counts: ReviewCounts | undefined;
  onFilter: (filter: ReviewFilter) => void;
};

/** Which findings are listed: by state, by kind with how many are open of each, by searcher. */
export function ReviewFilterBar({ filter, counts, onFilter }: ReviewFilterBarProps) {
  const [user, setUser] = useState(filter.user);
  const field = useRef<HTMLInputElement>(null);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    onFilter({ ...filter, user: user.trim() });
  }
  function clear() {
    setUser("");
    onFilter({ ...filter, user: "" });
    field.current?.focus();
  }
  return (
    <div className="flex flex-col gap-3">
      <ul aria-label="Open findings by kind" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-6">
        {REVIEW_KINDS.map(({ value, label }) => (
          <li key={value}>
            <Figure
              label={label}
              count={counts?.kinds[value]}
              pressed={filter.kind === value && filter.state === "open"}
              onPress={() =>
                onFilter({
                  ...filter,
                  state: "open",
                  kind: filter.kind === value && filter.state === "open" ? "" : value,
                })
              }
            />
          </li>
        ))}
        <li>
          <Figure
            label="Open over 7 days"
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
          options={REVIEW_STATES}
          value={filter.state}
          onSelect={(state) => onFilter({ ...filter, state })}
        />
        <form className="flex items-end gap-2" onSubmit={submit}>
          <Field label="Searcher" hideLabel className="w-44">
            {(control) => (
              <Input
                {...control}
                ref={field}
                placeholder="Username"
                autoComplete="off"
                autoCapitalize="none"
                maxLength={200}
                value={user}
                onChange={(event) => setUser(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button type="submit">Filter</Button>
          {filter.user && <Button onClick={clear}>Clear</Button>}
        </form>
      </div>
    </div>
  );
}

function Figure({
  label,
  count,
  pressed,
  alarming = false,
  onPress,
}: {
  label: string;
  count: number | undefined;
  pressed: boolean;
  alarming?: boolean;
  onPress: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
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
