import { Download, FileUp } from "lucide-react";
import type { ReactNode } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import type { RowProblem } from "#app/entities/users/directory.ts";

/** Maximum number of listed rows; the others are counted. */
export const SHOWN_ROWS = 200;

export type CsvUploadProps<Answer> = {
  /** The intent of the form in the screen's action. The file is the field `file`. */
  intent: string;
  template: string;
  label: string;
  intro?: ReactNode;
  limits: string;
  /** The error message if the server sends none. */
  failed: string;
  /** Text before the number of invalid rows. */
  rowsWrong?: string;
  /** See `useScreenForm`. */
  keyed?: boolean;
  onAdded: (answer: Answer) => void;
  /** Shown without scripts, on the page that answers the form. */
  addedOnPage?: (answer: Answer) => ReactNode;
  children?: ReactNode;
};

/** Uploads a CSV file, which is added as a whole or not at all. Invalid rows are listed with their line numbers. */
export function CsvUpload<Answer extends object>(props: CsvUploadProps<Answer>) {
  const { intent, template, label, intro, limits, failed, rowsWrong = "", keyed, onAdded, children } = props;
  const form = useScreenForm<Answer & { problems: RowProblem[] }>({
    intent,
    keyed,
    failed,
    keep: true,
    onDone: ({ result }) => {
      if (!result || result.problems.length > 0) return;
      form.form.current?.reset();
      onAdded(result);
    },
  });
  const { result } = form.answer ?? {};
  const rows = result?.problems ?? [];
  const which = `${rows.length} ${rows.length === 1 ? "row is" : "rows are"} wrong.`;
  const problem =
    rows.length > 0 ? `${rowsWrong} Nothing was written: ${which}`.trim() : form.problem("file");
  const posted = form.posted?.result;

  return (
    <ScreenForm state={form} files className="flex flex-col gap-3">
      {posted && rows.length === 0 && props.addedOnPage?.(posted)}
      {intro && <p className="text-sm text-muted">{intro}</p>}
      <InputField
        label="CSV file"
        error={problem}
        hint={limits}
        type="file"
        name="file"
        accept=".csv,text/csv"
        controlClass="!p-1.5 text-sm file:me-3 file:rounded-sm file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium file:text-text"
      />
      {rows.length > 0 && (
        <ul
          aria-label="Invalid rows"
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
        <Button
          type="submit"
          variant="primary"
          icon={<FileUp />}
          pending={form.pending}
          pendingLabel="Uploading…"
        >
          {label}
        </Button>
        <a href={template} download className={buttonClass("secondary")}>
          <Download aria-hidden="true" />
          Download template
        </a>
      </div>
      {children}
    </ScreenForm>
  );
}
