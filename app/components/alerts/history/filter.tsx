import { Link } from "@remix-run/react";
import { ListFilter, Search } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { InputField, SelectField, TimeField } from "#app/components/ui/fields/labeled.tsx";
import { type AlertCameras, DISPOSITIONS, FILTER_FIELDS } from "#app/entities/alerts/hit.ts";
import { FORM_FIELDS, type FormAnswer } from "#app/entities/form-answer.ts";
import { SOURCE_PROGRAMS } from "#app/entities/search/query.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { fieldTime, instantAt, type RangeEdge, timeOf } from "#app/lib/time/wall-clock.ts";

export type AlertFilterProps = {
  query: URLSearchParams;
  /** Not in the query: the query is in the URL, where plates must not appear. */
  plate: string;
  cameras: AlertCameras;
  /** The agency's time zone, used until scripts know the viewer's. */
  zone: string;
  busy: boolean;
  /** The errors of a filter that was submitted without scripts. */
  refused: FormAnswer | undefined;
  onFilter: (query: URLSearchParams, plate: string) => void;
  onClear: () => void;
};

/** Filters an alert history. The filter is in the URL, so that it can be shared, but the plate never is. */
export function AlertFilter({
  query,
  plate,
  cameras,
  zone,
  busy,
  refused,
  onFilter,
  onClear,
}: AlertFilterProps) {
  const [problem, setProblem] = useState<FilterProblem | undefined>(() => {
    const message = refused?.message || Object.values(refused?.problems ?? {})[0];
    return message ? { field: "until", message } : undefined;
  });
  const form = useRef<HTMLFormElement>(null);
  const [expanded, setExpanded] = useState(false);
  const id = useId();
  const set = [plate, ...FILTER_FIELDS.map((name) => query.get(name))];
  const count = set.filter(Boolean).length;
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const sent = readFilter(new FormData(event.currentTarget));
    if ("field" in sent) return setProblem(sent);
    setProblem(undefined);
    onFilter(sent.query, sent.plate);
  }

  function clear() {
    setProblem(undefined);
    onClear();
  }

  return (
    <>
      {/* Collapsed on phones, so that the hits come first. */}
      <Button
        icon={<ListFilter />}
        className="self-start sm:hidden noscript:hidden"
        aria-expanded={expanded}
        aria-controls={id}
        onClick={() => setExpanded(!expanded)}
      >
        {count > 0 ? `Filter, ${count} set` : "Filter"}
      </Button>
      <form
        key={set.join("|")}
        ref={form}
        id={id}
        // Posted, because a plate must not appear in a URL.
        method="post"
        aria-label="Filter"
        className={cx(
          "grid-cols-2 items-start gap-2 sm:flex sm:flex-wrap",
          expanded ? "grid" : "max-sm:hidden max-sm:noscript:grid",
        )}
        onSubmit={submit}
      >
        <input type="hidden" name={FORM_FIELDS.intent} value="filter" />
        <FilterFields
          form={form}
          query={query}
          plate={plate}
          cameras={cameras}
          zone={zone}
          refused={refused}
          problem={problem}
        />
        {/* In line with the fields, which are below their labels. */}
        <Button
          type="submit"
          variant="primary"
          icon={<Search />}
          pending={busy}
          className="mt-[calc(var(--text-sm--line-height)+var(--spacing))]"
        >
          Filter
        </Button>
        {count > 0 && (
          <Link
            to="?"
            className={cx(buttonClass(), "mt-[calc(var(--text-sm--line-height)+var(--spacing))]")}
            onClick={clear}
          >
            Clear
          </Link>
        )}
      </form>
    </>
  );
}

type FilterFieldsProps = Pick<AlertFilterProps, "query" | "plate" | "cameras" | "zone" | "refused"> & {
  form: RefObject<HTMLFormElement>;
  problem: FilterProblem | undefined;
};

function FilterFields({ form, query, plate, cameras, zone, refused, problem }: FilterFieldsProps) {
  const typed = (name: string) => refused?.values[name]?.[0];
  const initial = (name: string) => typed(name) ?? query.get(name) ?? "";
  return (
    <>
      <InputField
        label="Plate"
        className="sm:w-32"
        name="plate"
        plate
        maxLength={20}
        defaultValue={typed("plate") ?? plate}
      />
      <SelectField label="Source" className="sm:w-28" name="program" defaultValue={initial("program")}>
        <option value="">Any</option>
        {SOURCE_PROGRAMS.map((program) => (
          <option key={program}>{program}</option>
        ))}
      </SelectField>
      <CameraFields cameras={cameras} query={query} initial={initial} />
      <TimeFields form={form} query={query} zone={zone} refused={refused} problem={problem} />
      <SelectField
        label="Disposition"
        className="sm:w-36"
        name="disposition"
        defaultValue={initial("disposition")}
        options={DISPOSITIONS}
      >
        <option value="">Any</option>
        <option value="none">None yet</option>
      </SelectField>
    </>
  );
}

/** The camera; if there are too many to list, also the words by which the listed ones are found. */
function CameraFields({
  cameras,
  query,
  initial,
}: Pick<AlertFilterProps, "cameras" | "query"> & { initial: (name: string) => string }) {
  return (
    <>
      {(cameras.others > 0 || (query.get("cameras") ?? "") !== "") && (
        <InputField
          label="Camera Name"
          className="max-sm:col-span-2 sm:w-52"
          name="cameras"
          maxLength={200}
          defaultValue={initial("cameras")}
          hint="Then filter, and choose the camera."
        />
      )}
      <SelectField
        label="Camera"
        className="max-sm:col-span-2 sm:w-52"
        name="camera"
        hint={
          cameras.others > 0 &&
          `${numberText(cameras.listed.length)} of ${counted(cameras.listed.length + cameras.others, "camera")}`
        }
        defaultValue={initial("camera")}
      >
        <option value="">Any</option>
        {cameras.listed.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </>
  );
}

const EDGES = [
  { name: "from", label: "From", edge: "start" },
  { name: "until", label: "Until", edge: "end" },
] as const;

type TimeFieldsProps = Pick<FilterFieldsProps, "form" | "query" | "zone" | "refused" | "problem">;

function TimeFields({ form, query, zone, refused, problem }: TimeFieldsProps) {
  const [from, until] = [query.get("from") ?? "", query.get("until") ?? ""];
  const isRefused = refused !== undefined;
  // Only the browser knows the viewer's zone. Input from before that is kept.
  useEffect(() => {
    if (isRefused) return;
    for (const { name, edge } of EDGES) {
      const field = form.current?.elements.namedItem(name);
      if (field instanceof HTMLInputElement && field.value === field.defaultValue)
        field.value = inputTime(name === "from" ? from : until, { zone, edge });
    }
  }, [form, from, until, zone, isRefused]);
  // As wide as Firefox needs for times with seconds.
  return EDGES.map(({ name, label, edge }) => (
    <TimeField
      key={name}
      label={label}
      className="max-sm:col-span-2 sm:w-68"
      error={problem?.field === name ? problem.message : undefined}
      edge={edge}
      name={name}
      step={1}
      defaultValue={
        refused?.values[name]?.[0] ?? inputTime(query.get(name) ?? "", { zone, edge, shown: zone })
      }
    />
  ));
}

/** The problem, and the field that shows it. */
type FilterProblem = { field: "from" | "until"; message: string };

/** Returns the filter as a query and the plate, which is never in it; or what is wrong. Times are in the viewer's zone. */
export function readFilter(
  fields: Iterable<[string, FormDataEntryValue]>,
): { query: URLSearchParams; plate: string } | FilterProblem {
  const query = new URLSearchParams();
  let plate = "";
  for (const [name, value] of fields) {
    const text = String(value).trim();
    if (text === "" || name === FORM_FIELDS.intent) continue;
    if (name === "plate") plate = text;
    else if (name === "from" || name === "until") {
      const at = instantAt(text, name === "from" ? "start" : "end");
      if (at === undefined) return { field: name, message: "That time does not exist." };
      query.set(name, isoTime(at));
    } else query.set(name, text);
  }
  if ((query.get("from") ?? "") > (query.get("until") ?? "9"))
    return { field: "until", message: "The start is after the end." };
  return { query, plate };
}

/**
 * Returns a time of the URL as the value of its field, in the zone `shown` (by default the viewer's). A time without a
 * zone is in the agency's `zone`.
 */
function inputTime(
  text: string,
  { zone, edge, shown }: { zone: string; edge: RangeEdge; shown?: string },
): string {
  const at = timeOf(text, { zone, edge });
  return at === undefined ? "" : fieldTime(at, shown);
}
