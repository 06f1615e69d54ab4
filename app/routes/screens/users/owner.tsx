import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { AtSign, Cctv, DatabaseBackup, MailX } from "lucide-react";
import { AGENCY, agencyOf, FindForm, findOf } from "#app/components/forms/find-form.tsx";
import { LineForm } from "#app/components/forms/line-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { LoadFailure } from "#app/components/shell/load-failures.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { OwnerUserActions } from "#app/components/users/actions.tsx";
import { AddUserForm } from "#app/components/users/add-form.tsx";
import { OWNER_COLUMNS } from "#app/components/users/columns.tsx";
import { FindUsers, UserTable } from "#app/components/users/table.tsx";
import { addAgency, type ListedAgency, listedAgencies } from "#app/domain/users/agencies.ts";
import { addUser, shownUsers } from "#app/domain/users/directory.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { NewUserOfAgency, temporaryOf } from "#app/entities/users/directory.ts";
import { NewAgency } from "#app/entities/users/policy.ts";
import { orNull, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { counted } from "#app/lib/number-text.ts";

export const meta: MetaFunction = () => [{ title: "Owner Panel · Odin" }];

export const loader = screenLoader("owner", async ({ app, actor, query }) => {
  const find = findOf(query);
  const [page, agencies] = await Promise.all([
    orNull(shownUsers(app, actor, { reach: "all", find })),
    orNull(listedAgencies(app, agencyOf(query))),
  ]);
  return { find, page, agencies };
});

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
  const { find, page, agencies } = useLoaderData<typeof loader>();
  if (!page || !agencies) return <LoadFailure message={MESSAGES.adminFetchFailed} />;
  return (
    <Page width="full">
      <PageHead
        title="Owner Panel"
        lead={
          <>
            {counted(page.total, "user")} in {counted(agencies.total, "agency", "agencies")}
          </>
        }
      >
        <Link to="/owner/email-domains" className={buttonClass()}>
          <AtSign aria-hidden="true" />
          Email Domains
        </Link>
        <Link to="/backups" className={buttonClass()}>
          <DatabaseBackup aria-hidden="true" />
          Backups
        </Link>
        <Link to="/dead-jobs" className={buttonClass()}>
          <MailX aria-hidden="true" />
          Failed Jobs
        </Link>
        <Link to="/rekor-camera-management" className={buttonClass()}>
          <Cctv aria-hidden="true" />
          Rekor Camera Management
        </Link>
      </PageHead>
      {agencies.isLong && <FindAgencies agencies={agencies} find={find} />}
      <Collapsible title="Add User" defaultOpen>
        <AddUserForm agencies={agencies.listed} find={agencies.find} />
      </Collapsible>
      <Collapsible title="Agencies and their policies" defaultOpen={agencies.find !== ""}>
        <AgencyList agencies={agencies.listed} />
      </Collapsible>
      <FindUsers label="Find in all agencies" find={find} page={page} kept={{ [AGENCY]: agencies.find }} />
      <UserTable
        users={page.users}
        label="Users of all agencies"
        columns={OWNER_COLUMNS}
        resetPath="/owner/reset-user-password"
        actionsTitle="Reset Password"
        Actions={OwnerUserActions}
      />
    </Page>
  );
}

type FindAgenciesProps = { agencies: Awaited<ReturnType<typeof listedAgencies>>; find: string };

/** Finds the agencies that the screen offers, in an installation with many. Keeps the search for users. */
function FindAgencies({ agencies, find }: FindAgenciesProps) {
  const { listed, found } = agencies;
  const count = counted(found, "agency", "agencies");
  const isFound = agencies.find !== "";
  const part =
    listed.length < found
      ? `The first ${listed.length} of ${count}${isFound ? " found" : ""}, by name.`
      : `${count} found.`;
  return (
    <div>
      <FindForm
        label="Find an agency"
        placeholder="Name"
        name={AGENCY}
        find={agencies.find}
        kept={{ find }}
        result={part}
      />
      <p className="hidden text-sm text-muted noscript:block">
        Find loads this page again. Find the agency before you fill in a user.
      </p>
    </div>
  );
}

/** The agencies with links to their name and policy, and a form that adds one. */
function AgencyList({ agencies }: { agencies: readonly ListedAgency[] }) {
  return (
    <div className="flex flex-col gap-3">
      <AddAgency />
      <DataTable
        label="Agencies"
        boxClass="max-h-80"
        caption="Agencies, sorted by name"
        density="compact"
        cardsBelow="narrow"
        columns={[
          "Agency",
          { title: "Users", numeric: true },
          "Second factor",
          "Case number",
          "Name and policy",
        ]}
      >
        {agencies.map(({ id, name, users, second_factor_required, case_number_required }) => (
          <tr key={id} className="card:grid-cols-2">
            <th scope="row" className="font-medium card:col-span-2">
              {name}
            </th>
            <td data-label="Users" className="num">
              {users}
            </td>
            <td data-label="Second factor">{second_factor_required ? "Required" : "Optional"}</td>
            <td data-label="Case number">{case_number_required ? "Required" : "Optional"}</td>
            <td>
              <Link to={`/owner/policy/${encodeURIComponent(id)}`} className={buttonClass("ghost", "sm")}>
                Edit<span className="sr-only"> {name}</span>
              </Link>
            </td>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}

function AddAgency() {
  const form = useScreenForm({ intent: "add-agency", failed: "The agency could not be added." });
  return (
    <LineForm
      state={form}
      name="name"
      label="New agency"
      maxLength={120}
      placeholder="Name of the agency"
      button="Add agency"
      pendingLabel="Adding…"
    />
  );
}
