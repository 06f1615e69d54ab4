import { useRevalidator } from "@remix-run/react";
import { Download, FileUp } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { ApiError, callApi, wasDeclined } from "#app/components/account/call-api.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { RowProblem } from "#app/entities/user.ts";

/** So many rows are named on the screen; the rest is counted. */
const SHOWN = 200;

/** Adds keys from a CSV file, all of them or none. */
export function RekorKeyUpload() {
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
      const { added } = await callApi<{ added: number }>("/bulk-upload-api-keys", { method: "POST", body });
      notify.success(`${added} ${added === 1 ? "key was" : "keys were"} added`, {
        description: "Delete the file: whoever has it has the keys.",
      });
      form.current?.reset();
      revalidate();
    } catch (error) {
      if (wasDeclined(error)) return;
      const wrong = error instanceof ApiError ? (error.body.problems as RowProblem[] | undefined) : undefined;
      setRows(wrong ?? []);
      if (!wrong) setProblem((error instanceof ApiError && error.message) || MESSAGES.apiKeysUploadFailed);
      else {
        const which = `${wrong.length} ${wrong.length === 1 ? "row is" : "rows are"}`;
        setProblem(`${MESSAGES.apiKeysUploadFailed} Nothing was written: ${which} wrong.`);
      }
    } finally {
      setPending(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      <Field label="CSV file" error={problem} hint="At most 1 MB and 1,000 rows.">
        {(control) => <Input {...control} type="file" name="file" accept=".csv,text/csv" className="py-1" />}
      </Field>
      {rows.length > 0 && (
        <ul
          aria-label="Rows that are wrong"
          className="max-h-56 overflow-auto rounded-md bg-hit-soft px-3 py-2 text-sm"
        >
          {rows.slice(0, SHOWN).map(({ line, reason }) => (
            <li key={`${line} ${reason}`} className="py-0.5">
              <span className="font-medium text-hit">Line {line}</span> {reason}
            </li>
          ))}
          {rows.length > SHOWN && <li className="py-0.5 text-muted">and {rows.length - SHOWN} more</li>}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" icon={<FileUp />} pending={pending} pendingLabel="Uploading…">
          Upload keys
        </Button>
        <a href="/download-api-keys-template" download className={buttonClass("secondary")}>
          <Download aria-hidden="true" />
          Download template
        </a>
      </div>
    </form>
  );
}
