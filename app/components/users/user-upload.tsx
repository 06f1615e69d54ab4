import { useRevalidator } from "@remix-run/react";
import { Download, FileUp } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { ApiError, callApi, wasDeclined } from "#app/components/account/call-api.ts";
import { saveText } from "#app/components/account/save-text.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { RowProblem, TemporaryPassword } from "#app/entities/user.ts";
import { writeCsv } from "#app/lib/csv.ts";

/** So many rows are named on the screen; the rest is counted. */
const SHOWN = 200;

/** Adds users from a CSV file, all of them or none. */
export function UserUpload() {
  const { revalidate } = useRevalidator();
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState("");
  const [rows, setRows] = useState<RowProblem[]>([]);
  const [added, setAdded] = useState<TemporaryPassword[]>();
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
      const { users } = await callApi<{ users: TemporaryPassword[] }>("/bulk-upload-users", {
        method: "POST",
        body,
      });
      setAdded(users);
      form.current?.reset();
      revalidate();
    } catch (error) {
      if (wasDeclined(error)) return;
      const wrong = error instanceof ApiError ? (error.body.problems as RowProblem[] | undefined) : undefined;
      setRows(wrong ?? []);
      if (wrong)
        setProblem(
          `Nothing was written: ${wrong.length} ${wrong.length === 1 ? "row is" : "rows are"} wrong.`,
        );
      else setProblem((error instanceof ApiError && error.message) || MESSAGES.usersUploadFailed);
    } finally {
      setPending(false);
    }
  }

  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      <p className="text-sm text-muted">
        Columns username, name, email, role. Everybody gets a temporary password, shown once after the upload.
        Nothing is written unless every row is right.
      </p>
      <Field label="CSV file" error={problem} hint="At most 10 MB and 10,000 rows.">
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
          Upload users
        </Button>
        <a href="/download-template" download className={buttonClass("secondary")}>
          <Download aria-hidden="true" />
          Download template
        </a>
      </div>
      <UploadedDialog added={added} onClose={() => setAdded(undefined)} />
    </form>
  );
}

function UploadedDialog({ added, onClose }: { added: TemporaryPassword[] | undefined; onClose: () => void }) {
  const users = added ?? [];
  function save() {
    const head = ["username", "temporary password", "valid until"];
    const rows = users.map((user) => [
      user.username,
      user.temporary_password,
      new Date(user.valid_until).toISOString(),
    ]);
    saveText({ name: "odin-temporary-passwords.csv", type: "text/csv", text: writeCsv([head, ...rows]) });
  }
  return (
    <Dialog
      open={added !== undefined}
      onClose={onClose}
      title={`${users.length.toLocaleString("en-US")} ${users.length === 1 ? "user" : "users"} added`}
      description="Their temporary passwords are shown only now and work for 24 hours."
      footer={
        <>
          <Button icon={<Download />} onClick={save}>
            Save as CSV
          </Button>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        {users.slice(0, SHOWN).map((user) => (
          <div key={user.username} className="contents">
            <dt className="font-medium">{user.username}</dt>
            <dd className="font-mono select-all">{user.temporary_password}</dd>
          </div>
        ))}
      </dl>
      {users.length > SHOWN && <p className="mt-2 text-muted">The file has all of them.</p>}
    </Dialog>
  );
}
