import { ListFilter, Search } from "lucide-react";
import { type FormEvent, useEffect, useId, useState } from "react";
import { instantsAt, wallClock } from "#app/components/search/wall-clock.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { Select } from "#app/components/ui/select.tsx";
import { DISPOSITIONS, FILTER_FIELDS } from "#app/entities/alert.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search.ts";
import { isoTime } from "#app/lib/dates.ts";

export type AlertFilterProps = {
  query: URLSearchParams;
  /** Beside the query, since the address holds that. */
  plate: string;
  cameras: { id: string; name: string }[];
  busy: boolean;
  onFilter: (query: URLSearchParams, plate: string) => void;
};

/** Narrows a history. The address holds the filter, so that it can be sent to a colleague, but never the plate. */
export function AlertFilter({ query, plate, cameras, busy, onFilter }: AlertFilterProps) {
  const [times, setTimes] = useState({ from: "", until: "" });
  const [problem, setProblem] = useState("");
  const [unfolded, setUnfolded] = useState(false);
  const id = useId();
  const [from, until] = [query.get("from") ?? "", query.get("until") ?? ""];
  // Only the browser knows the viewer's zone.
  useEffect(() => setTimes({ from: localInput(from), until: localInput(until) }), [from, until]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const next = new URLSearchParams();
    let wanted = "";
    for (const [name, value] of new FormData(event.currentTarget)) {
      const text = String(value).trim();
      if (text === "") continue;
      if (name === "plate") {
        wanted = text;
        continue;
      }
      const isTime = name === "from" || name === "until";
      const at = isTime ? instantsAt(text)?.[0] : undefined;
      if (isTime && at === undefined) return setProblem("That time does not exist.");
      next.set(name, at === undefined ? text : isoTime(at));
    }
    if ((next.get("from") ?? "") > (next.get("until") ?? "9"))
      return setProblem("The start lies after the end.");
    setProblem("");
    onFilter(next, wanted);
  }

  const count = [plate, ...FILTER_FIELDS.map((name) => query.get(name))].filter(Boolean).length;

  return (
    <>
      {/* On a phone the hits come first. */}
      <Button
        icon={<ListFilter />}
        className="self-start sm:hidden"
        aria-expanded={unfolded}
        aria-controls={id}
        onClick={() => setUnfolded(!unfolded)}
      >
        {count > 0 ? `Filter, ${count} set` : "Filter"}
      </Button>
      <form
        key={[plate, ...FILTER_FIELDS.map((name) => query.get(name))].join("|")}
        id={id}
        aria-label="Filter"
        className={cx(
          "grid-cols-2 items-end gap-2 sm:flex sm:flex-wrap",
          unfolded ? "grid" : "max-sm:hidden",
        )}
        onSubmit={submit}
      >
        <Field label="Plate" className="sm:w-32">
          {(control) => <Input {...control} name="plate" plate maxLength={20} defaultValue={plate} />}
        </Field>
        <Field label="Source" className="sm:w-28">
          {(control) => (
            <Select {...control} name="program" defaultValue={query.get("program") ?? ""}>
              <option value="">Any</option>
              {SOURCE_PROGRAMS.map((program) => (
                <option key={program}>{program}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Camera" className="max-sm:col-span-2 sm:w-52">
          {(control) => (
            <Select {...control} name="camera" defaultValue={query.get("camera") ?? ""}>
              <option value="">Any</option>
              {cameras.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="From" className="max-sm:col-span-2 sm:w-52">
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              name="from"
              step={1}
              value={times.from}
              onChange={(event) => setTimes({ ...times, from: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Until" className="max-sm:col-span-2 sm:w-52" error={problem}>
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              name="until"
              step={1}
              value={times.until}
              onChange={(event) => setTimes({ ...times, until: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Disposition" className="sm:w-36">
          {(control) => (
            <Select {...control} name="disposition" defaultValue={query.get("disposition") ?? ""}>
              <option value="">Any</option>
              <option value="none">None yet</option>
              {DISPOSITIONS.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button type="submit" variant="primary" icon={<Search />} pending={busy}>
          Filter
        </Button>
        {count > 0 && <Button onClick={() => onFilter(new URLSearchParams(), "")}>Clear</Button>}
      </form>
    </>
  );
}

function localInput(iso: string): string {
  const at = Date.parse(iso);
  return Number.isFinite(at) ? wallClock(at) : "";
}
