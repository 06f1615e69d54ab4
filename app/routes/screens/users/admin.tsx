import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { Download, LogIn } from "lucide-react";
import { useState } from "react";
import { findOf } from "#app/components/forms/find-form.tsx";
import { saveText } from "#app/components/forms/save-file.ts";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailure } from "#app/components/shell/load-failures.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { AgencyUserActions } from "#app/components/users/actions.tsx";
import { AddUserForm } from "#app/components/users/add-form.tsx";
import { AGENCY_COLUMNS } from "#app/components/users/columns.tsx";
import { CsvUpload, SHOWN_ROWS } from "#app/components/users/csv-upload.tsx";
import { FindUsers, UserTable } from "#app/components/users/table.tsx";
import { addUser, shownUsers } from "#app/domain/users/directory.ts";
import { uploadUsers } from "#app/domain/users/upload.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { MAX_UPLOADED_BYTES } from "#app/entities/users/calls.ts";
import { NewUser, type TemporaryPassword, temporaryOf } from "#app/entities/users/directory.ts";
import { orNull, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm } from "#app/http/screen-form.ts";
import { csvOf, formWithFile } from "#app/http/uploads.ts";
import { writeCsv } from "#app/lib/files/csv.ts";
import { counted } from "#app/lib/number-text.ts";

export const meta: MetaFunction = () => [{ title: "Admin Panel · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor, query }) => {
  const find = findOf(query);
  const page = await orNull(shownUsers(app, actor, { reach: "agency", find }));
  return { agency: actor.agencyName, find, page };
});

export const action = screenAction(
  "admin",
  {
    "add-user": screenForm(
      NewUser,
      ({ app, actor, body }) => addUser(app, actor, { user: body, reach: "agency" }),
      { stepUp: true, shows: temporaryOf },
    ),
    "upload-users": screenForm(
      noFields,
      ({ app, actor, form }) => uploadUsers(app, actor, { bytes: csvOf(form, MAX_UPLOADED_BYTES) }),
      { stepUp: true },
    ),
  },
  { formLimit: formWithFile(MAX_UPLOADED_BYTES) },
);

export const clientAction = screenClientAction;

export default function AdminScreen() {
  const { agency, find, page } = useLoaderData<typeof loader>();
  if (!page) return <LoadFailure message={MESSAGES.adminFetchFailed} />;
  return (
    <Page width="full">
      <PageHead
        title="Admin Panel"
        lead={
          <>
            {counted(page.total, "user")} of {agency}
          </>
        }
      >
        <Link to="/single-sign-on" className={buttonClass()}>
          <LogIn aria-hidden="true" />
          Single Sign-On
        </Link>
      </PageHead>
      <div className="grid items-start gap-3 lg:grid-cols-[1.6fr_1fr]">
        <Collapsible title="Add User" defaultOpen>
          <AddUserForm />
        </Collapsible>
        <Collapsible title="Bulk upload from CSV" defaultOpen>
          <UserUpload />
        </Collapsible>
      </div>
      <FindUsers label="Find in all of the agency" find={find} page={page} />
      <UserTable
        users={page.users}
        label="Users"
        columns={AGENCY_COLUMNS}
        resetPath="/admin/reset-user-password"
        actionsTitle="Actions"
        Actions={AgencyUserActions}
      />
    </Page>
  );
}

/** Adds users from a CSV file, all of them or none. */
function UserUpload() {
  const [added, setAdded] = useState<TemporaryPassword[]>();
  return (
    <CsvUpload<{ users: TemporaryPassword[] }>
      intent="upload-users"
      template="/download-template"
      label="Upload users"
      intro="Columns: username, name, email, role. Passwords in the file are not used: each user receives a temporary password, shown once after the upload; if you did not see them, upload the same file again. If any row is invalid, no users are added."
      limits="At most 10 MB and 10,000 rows."
      failed={MESSAGES.usersUploadFailed}
      onAdded={({ users }) => setAdded(users)}
      addedOnPage={({ users }) => (
        <div role="status" className="flex flex-col gap-2 rounded-md border border-ok bg-ok-soft p-3">
          <p className="font-medium text-ok">{counted(users.length, "user")} added</p>
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
      title={`${counted(users.length, "user")} added`}
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
      {users.length > SHOWN_ROWS && <p className="mt-2 text-muted">Save the file to see all of them.</p>}
    </Dialog>
  );
}
