import { Download } from "lucide-react";
import { useState } from "react";
import { saveText } from "#app/components/accounts/save-text.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { TemporaryPassword } from "#app/entities/users/directory.ts";
import { writeCsv } from "#app/lib/files/csv.ts";
import { CsvUpload, SHOWN_ROWS } from "./csv-upload.tsx";

/** Adds users from a CSV file, all of them or none. */
export function UserUpload() {
  const [added, setAdded] = useState<TemporaryPassword[]>();
  return (
    <CsvUpload<{ users: TemporaryPassword[] }>
      intent="upload-users"
      template="/download-template"
      label="Upload users"
      intro="Columns: username, name, email, role. Each user receives a temporary password, shown once after the upload. If any row is wrong, no users are added."
      limits="At most 10 MB and 10,000 rows."
      failed={MESSAGES.usersUploadFailed}
      onAdded={({ users }) => setAdded(users)}
      addedOnPage={({ users }) => (
        <div role="status" className="flex flex-col gap-2 rounded-md border border-ok bg-ok-soft p-3">
          <p className="font-medium text-ok">{countOf(users)} added</p>
          <p className="text-sm">{SHOWN_NOW}</p>
          <Passwords users={users} />
        </div>
      )}
    >
      <UploadedDialog added={added} onClose={() => setAdded(undefined)} />
    </CsvUpload>
  );
}

const SHOWN_NOW = "Their temporary passwords are shown only now and work for 24 hours.";

function countOf({ length }: readonly TemporaryPassword[]): string {
  return `${length.toLocaleString("en-US")} ${length === 1 ? "user" : "users"}`;
}

function Passwords({ users }: { users: readonly TemporaryPassword[] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
      {users.map((user) => (
        <div key={user.username} className="contents">
          <dt className="font-medium">{user.username}</dt>
          <dd className="font-mono select-all">{user.temporary_password}</dd>
        </div>
      ))}
    </dl>
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
      title={`${countOf(users)} added`}
      description={SHOWN_NOW}
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
      <Passwords users={users.slice(0, SHOWN_ROWS)} />
      {users.length > SHOWN_ROWS && <p className="mt-2 text-muted">The file has all of them.</p>}
    </Dialog>
  );
}
