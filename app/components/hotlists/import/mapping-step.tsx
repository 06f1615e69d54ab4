import { Link } from "@remix-run/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { JURISDICTION_OPTIONS } from "#app/components/forms/jurisdiction-options.tsx";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField } from "#app/components/ui/fields/labeled.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import {
  DATE_ORDERS,
  DELIMITERS,
  type HotlistLayout,
  LAYOUT_HEADER_MAX,
  MAPPING_NAME_MAX,
} from "#app/entities/hotlists/layout.ts";
import { isSkipped, readRow } from "#app/entities/hotlists/layout-read.ts";
import {
  guessMapping,
  layoutOfForm,
  type MappingGuess,
  type MappingStepData,
  type Span,
} from "#app/entities/hotlists/mapping.ts";
import { type FileStart, startOfLines } from "#app/entities/hotlists/sample.ts";
import { localTime } from "#app/lib/time/dates.ts";
import { ColumnTable, SpanList } from "./mapping-columns.tsx";

export type MappingStepProps = { step: MappingStepData };

const KINDS = [
  { value: "delimited", label: "Separated columns" },
  { value: "fixed", label: "Fixed width" },
] as const;

/**
 * Returns the form's initial values: those sent without scripts and refused, or else those suggested by the first
 * lines.
 */
function entriesOf(
  { kind, delimiter, header, columns, spans }: MappingGuess,
  sent: Sent,
): [string, string][] {
  const entries = new Map([
    ["kind", kind],
    ["delimiter", delimiter],
    ["header", String(header)],
    ...columns.map((choice, n): [string, string] => [`column-${n}`, choice]),
    ...spans.flatMap(({ from, to, choice }, n): [string, string][] => [
      [`from-${n}`, String(from)],
      [`to-${n}`, String(to ?? "")],
      [`field-${n}`, choice],
    ]),
  ]);
  for (const [name, values] of Object.entries(sent)) entries.set(name, values.at(-1) ?? "");
  return [...entries];
}

/** Assigns the columns of a file to fields, with a live preview of the resulting entries. */
export function MappingStepView({ step }: MappingStepProps) {
  const { group, lines, suggestions } = step;
  const { state, valueIn, start, guess, spans, setSpans, kind, delimiter, columns, known, layout, refresh } =
    useMapping(step);
  const canceling = useScreenForm({ intent: "cancel", failed: "The import could not be canceled." });
  const editPath = `/groups/${encodeURIComponent(group.id)}/edit`;

  return (
    <Page width="full" loose>
      <PageHead
        title="Choose Columns"
        lead={
          <>
            {step.import.file_name}, for{" "}
            <Link to={editPath} className="underline">
              {group.name}
            </Link>
            . You'll preview the changes before any plate is added.
          </>
        }
      />
      <ScreenForm state={state} ownProblem onChange={refresh} className="flex flex-col gap-5">
        <input type="hidden" name="import" value={step.import.id} />

        {suggestions.length > 0 && (
          <SelectField label="Layout" className="max-w-md" name="layout" defaultValue={valueIn("layout", "")}>
            <option value="">Choose the columns</option>
            {suggestions.map(({ label }) => (
              <option key={label} value={label}>
                {label}
              </option>
            ))}
          </SelectField>
        )}

        {!known && (
          <>
            <FileFields guess={guess} kind={kind} valueIn={valueIn} />
            {kind === "delimited" ? (
              <ColumnTable
                key={delimiter}
                rows={start.sample(delimiter)}
                choices={columns}
                valueIn={valueIn("delimiter", delimiter) === delimiter ? valueIn : initialValue}
              />
            ) : (
              <SpanList lines={lines} spans={spans} layout={layout} onChange={setSpans} />
            )}

            <DefaultFields valueIn={valueIn} />
          </>
        )}

        <MappingPreview layout={layout} start={start} zone={step.zone} now={step.now} />

        <ErrorBox message={state.message || canceling.message} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={state.pending} pendingLabel="Saving…">
            Check the file
          </Button>
          <Button type="submit" form="cancel-import" pending={canceling.pending}>
            Cancel import
          </Button>
          <Link to={editPath} className={buttonClass("ghost")}>
            Back to the group
          </Link>
        </div>
      </ScreenForm>
      <ScreenForm state={canceling} ownProblem id="cancel-import">
        <input type="hidden" name="import" value={step.import.id} />
      </ScreenForm>
    </Page>
  );
}

/** The form, the choices made in it, and the resulting layout. It begins with what the first lines suggest. */
function useMapping({ import: { id }, lines, suggestions }: MappingStepProps["step"]) {
  const state = useScreenForm({ intent: "map", keep: true, failed: "The columns could not be saved." });
  const { form } = state;
  // Values sent for an import that another user has replaced do not fit the lines of this one.
  const isOwn = state.value("import", id) === id;
  const start = useMemo(() => startOfLines(lines), [lines]);
  const guess = useMemo(() => guessMapping(start.sample), [start]);
  const [spans, setSpans] = useState<(Span & { id: number })[]>(() =>
    guess.spans.map((span, id) => ({ ...span, id })),
  );
  const [entries, setEntries] = useState(() => entriesOf(guess, isOwn ? (state.posted?.values ?? {}) : {}));
  const values = useMemo(() => new Map(entries), [entries]);
  const kind = values.get("kind") ?? guess.kind;
  const delimiter =
    DELIMITERS.find(({ value }) => value === values.get("delimiter"))?.value ?? guess.delimiter;
  const known = suggestions.find(({ label }) => label === values.get("layout"));

  const refresh = useCallback(() => {
    if (form.current)
      setEntries([...new FormData(form.current)].map(([name, value]) => [name, String(value)]));
  }, [form]);
  // The fields are uncontrolled: read choices made before the scripts loaded, and fields that appear later.
  // biome-ignore lint/correctness/useExhaustiveDependencies: these determine which fields exist
  useEffect(refresh, [refresh, kind, delimiter, spans, known]);

  const columns = useMemo(
    () => (delimiter === guess.delimiter ? guess : guessMapping(start.sample, { delimiter })).columns,
    [start, guess, delimiter],
  );
  const layout = known?.layout ?? layoutOfForm(entries, start.sample);
  const valueIn = isOwn ? state.value : initialValue;
  return { state, valueIn, start, guess, spans, setSpans, kind, delimiter, columns, known, layout, refresh };
}

type ValueIn = ScreenFormState["value"];
type Sent = NonNullable<ScreenFormState["posted"]>["values"];

const initialValue: ValueIn = (_field, initial) => initial;

/** How the lines of the file are read. */
function FileFields({ guess, kind, valueIn }: { guess: MappingGuess; kind: string; valueIn: ValueIn }) {
  return (
    <section aria-label="File" className="flex flex-wrap items-end gap-x-5 gap-y-3">
      <SelectField
        label="Column layout"
        className="w-56"
        name="kind"
        defaultValue={valueIn("kind", guess.kind)}
        options={KINDS}
      />
      {kind === "delimited" && (
        <SelectField
          label="Separated by"
          className="w-40"
          name="delimiter"
          defaultValue={valueIn("delimiter", guess.delimiter)}
          options={DELIMITERS}
        />
      )}
      <InputField
        label="Header lines"
        className="w-28"
        name="header"
        type="number"
        inputMode="numeric"
        min={0}
        max={LAYOUT_HEADER_MAX}
        defaultValue={valueIn("header", String(guess.header))}
      />
      <SelectField
        label="Date format"
        className="w-44"
        name="dates"
        defaultValue={valueIn("dates", "mdy")}
        options={DATE_ORDERS}
      />
      <Checkbox
        name="ncic"
        label="NCIC file"
        hint="Writes zero for the letter O"
        defaultChecked={valueIn("ncic") !== undefined}
      />
    </section>
  );
}

/** Values for lines without their own, and the name under which the columns are saved. */
function DefaultFields({ valueIn }: { valueIn: ValueIn }) {
  return (
    <section aria-label="For every plate" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      <SelectField
        label="State"
        hint="For lines without a state"
        name="state"
        defaultValue={valueIn("state", "")}
      >
        <option value="">None</option>
        {JURISDICTION_OPTIONS}
      </SelectField>
      <InputField
        label="Reason"
        hint="For lines without a reason"
        name="reason"
        defaultValue={valueIn("reason")}
        maxLength={300}
        autoComplete="off"
      />
      <InputField
        label="Save as"
        hint="Optional: saves these columns for your agency"
        name="name"
        defaultValue={valueIn("name")}
        maxLength={MAPPING_NAME_MAX}
        autoComplete="off"
      />
    </section>
  );
}

const SHOWN = 8;

/** The entries read from the first lines, or why a line cannot be read. */
function MappingPreview({
  layout,
  start,
  zone,
  now,
}: {
  layout: HotlistLayout;
  start: FileStart;
  zone: string;
  now: number;
}) {
  const rows = useMemo(
    () =>
      start
        .sample(layout.delimiter)
        .slice(layout.header)
        .filter((fields) => !isSkipped(layout, fields))
        .map((fields) => readRow(layout, fields, { now, zone })),
    [layout, start, zone, now],
  );
  const good = rows.filter(({ row }) => row).length;
  return (
    <section aria-label="Preview" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-lg font-semibold">Preview</h2>
        <p aria-live="polite" className="text-sm text-muted">
          {good} of the first {rows.length} {rows.length === 1 ? "line" : "lines"} can be read.
        </p>
      </div>
      <DataTable
        label="Preview of entries"
        caption="Preview of entries"
        density="compact"
        cardsBelow="medium"
        columns={["Plate", "State", "Reason", "Vehicle", "Case Number", "Expires", "Notes"]}
      >
        {rows.slice(0, SHOWN).map((read, n) =>
          read.row ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its line
            <tr key={n} className="card:grid-cols-2">
              <td className="plate-text row:whitespace-nowrap">{read.row.entry.plate}</td>
              <td data-label="State">{read.row.entry.state}</td>
              <td data-label="Reason" className="card:col-span-2 row:max-w-64 row:min-w-32 row:wrap-anywhere">
                {read.row.entry.reason}
              </td>
              <td data-label="Vehicle" className="row:whitespace-nowrap">
                {[read.row.entry.color, read.row.entry.make, read.row.entry.bodyType]
                  .filter(Boolean)
                  .join(" ")}
              </td>
              <td data-label="Case" className="row:whitespace-nowrap">
                {read.row.entry.caseNumber}
              </td>
              <td data-label="Expires" className="card:col-span-2 row:whitespace-nowrap">
                {read.row.expires && localTime(Date.parse(read.row.expires), zone)}
              </td>
              <td data-label="Notes" className="card:col-span-2 row:max-w-80 row:min-w-40 row:wrap-anywhere">
                {read.row.entry.notes}
              </td>
            </tr>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its line
            <tr key={n}>
              <td className="plate-text row:whitespace-nowrap">{read.plate}</td>
              <td colSpan={6} className="font-medium text-hit">
                {read.problem}
              </td>
            </tr>
          ),
        )}
      </DataTable>
    </section>
  );
}
