import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { Cctv } from "lucide-react";
import { AgencyList } from "#app/components/agencies/agency-list.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { AddUserForm } from "#app/components/users/add-user-form.tsx";
import { OwnerUserTable } from "#app/components/users/owner-user-table.tsx";
import { allAgencies } from "#app/domain/agencies.ts";
import { managedUsers } from "#app/domain/users.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Owner Panel · Odin" }];

export const loader = screenLoader("owner", async ({ app, actor }) => ({
  users: await managedUsers(app, actor, "all"),
  agencies: await allAgencies(app),
}));

export default function OwnerScreen() {
  const { users, agencies } = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto flex w-full max-w-[110rem] flex-col gap-4 px-4 py-5 sm:px-6">
      <div className="flex flex-wrap items-center gap-3">
        <div className="flex-1">
          <h1 className="text-xl font-semibold tracking-tight">Owner Panel</h1>
          <p className="mt-0.5 text-sm text-muted">
            {users.length} {users.length === 1 ? "user" : "users"} in {agencies.length}{" "}
            {agencies.length === 1 ? "agency" : "agencies"}
          </p>
        </div>
        <Link to="/rekor-camera-management" className={buttonClass()}>
          <Cctv aria-hidden="true" />
          Rekor camera management
        </Link>
      </div>
      <Collapsible title="Add User" defaultOpen>
        <AddUserForm path="/owner/add-user" agencies={agencies} />
      </Collapsible>
      <Collapsible title="Agencies and their policies">
        <AgencyList agencies={agencies} />
      </Collapsible>
      <OwnerUserTable users={users} />
    </div>
  );
}
