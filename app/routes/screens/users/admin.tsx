import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailure } from "#app/components/shell/load-failure.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { AgencyUserActions } from "#app/components/users/actions.tsx";
import { AddUserForm } from "#app/components/users/add-form.tsx";
import { AGENCY_COLUMNS } from "#app/components/users/columns.tsx";
import { UserTable } from "#app/components/users/table.tsx";
import { UserUpload } from "#app/components/users/upload.tsx";
import { addUser, managedUsers } from "#app/domain/users/directory.ts";
import { uploadUsers } from "#app/domain/users/upload.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { MOST_UPLOADED_BYTES } from "#app/entities/users/calls.ts";
import { NewUser, temporaryOf } from "#app/entities/users/directory.ts";
import { orNothing, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm } from "#app/http/screen-form.ts";
import { csvOf, formWithFile } from "#app/http/uploads.ts";

export const meta: MetaFunction = () => [{ title: "Admin Panel · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  agency: actor.agencyName,
  users: await orNothing(managedUsers(app, actor, "agency")),
}));

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
      ({ app, actor, form }) => uploadUsers(app, actor, { bytes: csvOf(form, MOST_UPLOADED_BYTES) }),
      { stepUp: true },
    ),
  },
  { formLimit: formWithFile(MOST_UPLOADED_BYTES) },
);

export const clientAction = screenClientAction;

export default function AdminScreen() {
  const { agency, users } = useLoaderData<typeof loader>();
  if (!users) return <LoadFailure message={MESSAGES.adminFetchFailed} />;
  return (
    <Page width="full">
      <div>
        <h1 className="text-xl font-semibold tracking-tight">Admin Panel</h1>
        <p className="mt-0.5 text-sm text-muted">
          {users.length} {users.length === 1 ? "user" : "users"} of {agency}
        </p>
      </div>
      <div className="grid items-start gap-3 lg:grid-cols-[1.6fr_1fr]">
        <Collapsible title="Add User" defaultOpen>
          <AddUserForm />
        </Collapsible>
        <Collapsible title="Bulk upload from CSV" defaultOpen>
          <UserUpload />
        </Collapsible>
      </div>
      <UserTable
        users={users}
        label="Users"
        columns={AGENCY_COLUMNS}
        resetPath="/admin/reset-user-password"
        actionsTitle="Actions"
        Actions={AgencyUserActions}
      />
    </Page>
  );
}
