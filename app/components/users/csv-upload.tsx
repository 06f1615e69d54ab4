import { useRevalidator } from "@remix-run/react";
import { Download, FileUp } from "lucide-react";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { ApiError, callApi, wasDeclined } from "#app/components/account/call-api.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import type { RowProblem } from "#app/entities/user.ts";

/** So many rows are named on the screen; the rest is counted. */
export const SHOWN_ROWS = 200;

export type CsvUploadProps<Answer> = {
  /** Where the file goes, as `file` of a form. */
  path: string;
  template: string;
  label: string;
  intro?: ReactNode;
  limits: string;
  /** What is said where the server says nothing. */
  failed: string;
  /** What stands before the count of wrong rows. */
  rowsWrong?: string;
  onAdded: (answer: Answer) => void;
  children?: ReactNode;
};

/** Adds what a CSV file has, all of it or nothing; every row that is wrong is named by its line. */
export function CsvUpload<Answer>(props: CsvUploadProps<Answer>) {
  const { path, template, label, intro, limits, failed, rowsWrong = "", onAdded, children } = props;
  const { revalidate } = useRevalidator();
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState("");
  const [rows, setRows] = useState<RowProblem[]>([]);
  const [pending, setPending] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const body = new FormData(event.currentTarget);
    const file = body.get("file");
    setRows([]);
    if (!(file instanceof File) || file.size === 0) return setProblem("Choose a CSV file.");
    if (!/\.csv$/i.test(file.name)) return setProblem("The file must be CSV.");
    setProblem("");
    setPending(true);
    try {
      onAdded(await callApi<Answer & Record<string, unknown>>(path, { method: "POST", body }));
      form.current?.reset();
      revalidate();
    } catch (error) {
      if (wasDeclined(error)) return;
      const wrong = error instanceof ApiError ? (error.body.problems as RowProblem[] | undefined) : undefined;
      setRows(wrong ?? []);
      if (wrong) {
        const which = `${wrong.length} ${wrong.length === 1 ? "row is" : "rows are"} wrong.`;
        setProblem(`${rowsWrong} Nothing was written: ${which}`.trim());
      } else setProblem((error instanceof ApiError && error.message) || failed);
    } finally {
      setPending(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      {intro && <p className="text-sm text-muted">{intro}</p>}
      <Field label="CSV file" error={problem} hint={limits}>
        {(control) => (
          <Input
            {...control}
            type="file"
            name="file"
            accept=".csv,text/csv"
            className="!p-1.5 text-sm file:me-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium file:text-text"
          />
        )}
      </Field>
      {rows.length > 0 && (
        <ul
          aria-label="Rows that are wrong"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-56 overflow-auto rounded-md bg-hit-soft px-3 py-2 text-sm"
        >
          {rows.slice(0, SHOWN_ROWS).map(({ line, reason }) => (
            <li key={`${line} ${reason}`} className="py-0.5">
              <span className="font-medium text-hit">Line {line}</span> {reason}
            </li>
          ))}
          {rows.length > SHOWN_ROWS && (
            <li className="py-0.5 text-muted">and {rows.length - SHOWN_ROWS} more</li>
          )}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" icon={<FileUp />} pending={pending} pendingLabel="Uploading…">
          {label}
        </Button>
        <a href={template} download className={buttonClass("secondary")}>
          <Download aria-hidden="true" />
          Download template
        </a>
      </div>
      {children}
    </form>
  );
}
