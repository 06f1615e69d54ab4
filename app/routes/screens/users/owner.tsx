import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { Cctv, DatabaseBackup, MailX } from "lucide-react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailure } from "#app/components/shell/load-failure.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { OwnerUserActions } from "#app/components/users/actions.tsx";
import { AddUserForm } from "#app/components/users/add-form.tsx";
import { AgencyList } from "#app/components/users/agency-list.tsx";
import { OWNER_COLUMNS } from "#app/components/users/columns.tsx";
import { UserTable } from "#app/components/users/table.tsx";
import { addAgency, allAgencies } from "#app/domain/users/agencies.ts";
import { addUser, managedUsers } from "#app/domain/users/directory.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { NewUserOfAgency, temporaryOf } from "#app/entities/users/directory.ts";
import { NewAgency } from "#app/entities/users/policy.ts";
import { orNothing, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Owner Panel · Odin" }];

export const loader = screenLoader("owner", async ({ app, actor }) => ({
  users: await orNothing(managedUsers(app, actor, "all")),
  agencies: await orNothing(allAgencies(app)),
}));

export const action = screenAction("owner", {
  "add-user": screenForm(
    NewUserOfAgency,
    ({ app, actor, body }) => addUser(app, actor, { user: body, reach: "all" }),
    { stepUp: true, shows: temporaryOf },
  ),
  "add-agency": screenForm(NewAgency, ({ app, actor, body }) => addAgency(app, actor, body), {
    stepUp: true,
    done: (_, { name }) => `${name} was added`,
    shows: () => undefined,
  }),
});

export const clientAction = screenClientAction;

export default function OwnerScreen() {
  const { users, agencies } = useLoaderData<typeof loader>();
  if (!users || !agencies) return <LoadFailure message={MESSAGES.adminFetchFailed} />;
  return (
    <Page width="full">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h1 className="text-xl font-semibold tracking-tight">Owner Panel</h1>
          <p className="mt-0.5 text-sm text-muted">
            {users.length} {users.length === 1 ? "user" : "users"} in {agencies.length}{" "}
            {agencies.length === 1 ? "agency" : "agencies"}
          </p>
        </div>
        <Link to="/backups" className={buttonClass()}>
          <DatabaseBackup aria-hidden="true" />
          Backups
        </Link>
        <Link to="/dead-jobs" className={buttonClass()}>
          <MailX aria-hidden="true" />
          Dead letters
        </Link>
        <Link to="/rekor-camera-management" className={buttonClass()}>
          <Cctv aria-hidden="true" />
          Rekor camera management
        </Link>
      </div>
      <Collapsible title="Add User" defaultOpen>
        <AddUserForm agencies={agencies} />
      </Collapsible>
      <Collapsible title="Agencies and their policies">
        <AgencyList agencies={agencies} />
      </Collapsible>
      <UserTable
        users={users}
        label="Users of all agencies"
        columns={OWNER_COLUMNS}
        resetPath="/owner/reset-user-password"
        actionsTitle="Reset Password"
        Actions={OwnerUserActions}
      />
    </Page>
  );
}
