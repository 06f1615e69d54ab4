import { Plus, Trash2 } from "lucide-react";
import { useId, useRef } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { ACTIONS_COLUMN, Table, TableBox, TableHead } from "#app/components/ui/table.tsx";
import { type HotlistLayout, LAYOUT_FIELDS } from "#app/entities/hotlists/layout.ts";
import { COLUMN_CHOICES, type ColumnChoice, type Span } from "#app/entities/hotlists/mapping.ts";

const ROWS_SHOWN = 6;
const LINES_SHOWN = 12;

function Choices() {
  return COLUMN_CHOICES.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

/** The first rows of a delimited file, with a field selector above each column. */
export function ColumnTable({
  rows,
  choices,
  valueIn,
}: {
  rows: string[][];
  choices: ColumnChoice[];
  /** Returns a field's submitted value, or the initial one. */
  valueIn: (field: string, initial?: string) => string | undefined;
}) {
  return (
    <TableBox label="First rows of the file">
      <Table caption="First rows of the file" density="compact">
        <thead>
          <tr>
            {choices.map((choice, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a column is its number
              <th key={n} scope="col" className="min-w-40 py-2">
                <label htmlFor={`column-${n}`} className="mb-1 block text-xs text-muted">
                  Column {n + 1}
                </label>
                <Select
                  id={`column-${n}`}
                  name={`column-${n}`}
                  controlSize="sm"
                  defaultValue={valueIn(`column-${n}`, choice)}
                >
                  <Choices />
                </Select>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_SHOWN).map((fields, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its number
            <tr key={line}>
              {choices.map((_, n) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its number
                <td key={n} className="max-w-64 font-mono text-xs wrap-anywhere">
                  {fields[n]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}

/** Returns two lines of character positions: tens, then ones. */
function ruler(width: number): string[] {
  const tens = Array.from({ length: Math.ceil(width / 10) }, (_, n) =>
    String((n + 1) * 10).padStart(10),
  ).join("");
  const ones = Array.from({ length: width }, (_, n) => (n + 1) % 10).join("");
  return [tens.slice(0, width), ones];
}

/** Returns a line that marks the field assigned to each position. */
function marks({ parts }: HotlistLayout, width: number): string {
  const line = Array.from({ length: width }, () => " ");
  for (const part of parts) {
    const label = LAYOUT_FIELDS.find(({ value }) => value === part.field)?.label ?? part.field;
    const [from, to] = [part.from ?? 0, Math.min(part.to ?? width, width)];
    for (let at = from; at < to; at++) line[at] = at === from ? "[" : (label[at - from - 1] ?? "·");
    if (to > from + 1) line[to - 1] = "]";
  }
  return line.join("");
}

/** Moves the selection with the arrow keys, or extends it with Shift: read-only text areas have no cursor. */
function moveSelection(
  area: HTMLTextAreaElement,
  { key, shiftKey }: { key: string; shiftKey: boolean },
): boolean {
  const line = area.value.indexOf("\n") + 1;
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: line, ArrowUp: -line };
  const step = steps[key];
  if (step === undefined) return false;
  const { selectionStart: start, selectionEnd: end } = area;
  if (shiftKey) area.setSelectionRange(start, Math.max(start + 1, end + step));
  else {
    const to = Math.min(Math.max(start + step, 0), area.value.length - 1);
    area.setSelectionRange(to, to + 1);
  }
  return true;
}

/** Returns the selected characters as a span, counted within their line. */
function selectedSpan(area: HTMLTextAreaElement): Pick<Span, "from" | "to"> {
  const begin = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
  const newline = area.value.indexOf("\n", area.selectionStart);
  const end = Math.min(area.selectionEnd, newline < 0 ? area.value.length : newline);
  const first = area.selectionStart - begin + 1;
  return { from: first, to: Math.max(first, end - begin) };
}

type Entered = Span & { id: number };

/** The first lines of a fixed-width file under a ruler, and the spans assigned to fields. */
export function SpanList({
  lines,
  spans,
  layout,
  onChange,
}: {
  lines: string[];
  spans: Entered[];
  layout: HotlistLayout;
  onChange: (spans: Entered[]) => void;
}) {
  const id = useId();
  const text = useRef<HTMLTextAreaElement>(null);
  const from = useRef<HTMLTableSectionElement>(null);
  const shown = lines.slice(0, LINES_SHOWN);
  const width = Math.max(10, ...shown.map((line) => line.length));

  function add(span: Pick<Span, "from" | "to">) {
    const next = Math.max(-1, ...spans.map(({ id }) => id)) + 1;
    onChange([...spans, { ...span, choice: "", id: next }]);
    // Move the focus to the field selector of the new span.
    setTimeout(() => from.current?.querySelector<HTMLElement>("tr:last-child select")?.focus());
  }

  const addSelected = () => text.current && add(selectedSpan(text.current));

  return (
    <section aria-label="First lines of the file" className="flex flex-col gap-3">
      <label htmlFor={id} className="text-sm font-medium">
        First lines
      </label>
      <textarea
        ref={text}
        id={id}
        readOnly
        wrap="off"
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        rows={shown.length + 3}
        className="control w-full resize-y overflow-auto px-2.5 py-1.5 font-mono text-sm whitespace-pre coarse:text-lg"
        value={[...ruler(width), marks(layout, width), ...shown].map((line) => line.padEnd(width)).join("\n")}
        onFocus={({ currentTarget: area }) => {
          if (area.selectionEnd > 0) return;
          const first = 3 * (width + 1);
          area.setSelectionRange(first, first + 1);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") addSelected();
          else if (!moveSelection(event.currentTarget, event)) return;
          event.preventDefault();
        }}
      />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="sm" icon={<Plus />} onClick={addSelected}>
          Add selected characters
        </Button>
        <Button size="sm" onClick={() => add({ from: 1, to: null })}>
          Add by numbers
        </Button>
        <p id={`${id}-hint`} className="text-xs text-muted">
          Select characters (Shift and arrow keys) and press Enter, or type positions.
        </p>
      </div>
      <TableBox label="Positions">
        <Table caption="Positions" density="compact">
          <TableHead columns={["From", "To", "Field", ACTIONS_COLUMN]} />
          <tbody ref={from}>
            {spans.map((span, n) => (
              <SpanRow
                key={span.id}
                span={span}
                position={n + 1}
                onRemove={() => onChange(spans.filter(({ id: other }) => other !== span.id))}
              />
            ))}
          </tbody>
        </Table>
      </TableBox>
    </section>
  );
}

function SpanRow(props: { span: Entered; position: number; onRemove: () => void }) {
  const { span, position, onRemove } = props;
  return (
    <tr>
      <td>
        <Input
          aria-label={`From, position ${position}`}
          name={`from-${span.id}`}
          type="number"
          min={1}
          controlSize="sm"
          className="min-w-16 max-w-24"
          defaultValue={span.from}
        />
      </td>
      <td>
        <Input
          aria-label={`To, position ${position}`}
          name={`to-${span.id}`}
          type="number"
          min={1}
          controlSize="sm"
          placeholder="end"
          className="min-w-16 max-w-24"
          defaultValue={span.to ?? ""}
        />
      </td>
      <td>
        <Select
          aria-label={`Field, position ${position}`}
          name={`field-${span.id}`}
          controlSize="sm"
          className="min-w-32"
          defaultValue={span.choice}
        >
          <Choices />
        </Select>
      </td>
      <td>
        <IconButton label={`Remove position ${position}`} size="sm" icon={<Trash2 />} onClick={onRemove} />
      </td>
    </tr>
  );
}
