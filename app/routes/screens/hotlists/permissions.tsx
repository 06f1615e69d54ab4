import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { CircleCheck, UserX } from "lucide-react";
import { useEffect, useState } from "react";
import { FindFormApart, FindInPages, findOf, pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useLeaveGuard } from "#app/components/forms/use-leave-guard.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { PageTitle, pageClass } from "#app/components/ui/page.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { changePermissions, permissionPage } from "#app/domain/hotlists/permissions.ts";
import { PERMISSIONS_LIMIT, PermissionChanges } from "#app/entities/hotlists/calls.ts";
import type { AgencyUser } from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { permissionChanges } from "#app/http/forms.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { type NumberedPage, pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction = () => [{ title: "Edit Alerts Permissions · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor, query }) => {
  const find = findOf(query);
  return { find, users: await permissionPage(app, actor, { find, page: pageOf(query) }) };
});

export const action = screenAction(
  "hotlist-admin",
  {
    save: screenForm(PermissionChanges, ({ app, actor, body }) => changePermissions(app, actor, body), {
      shape: permissionChanges,
      stepUp: true,
    }),
  },
  { formLimit: PERMISSIONS_LIMIT },
);

export const clientAction = screenClientAction;

export default function AlertsPermissionsScreen() {
  return <Permissions {...useLoaderData<typeof loader>()} />;
}

const SHOWN_MS = 3000;

const FIND_FORM = "find-users";

const FLAGS = ["hotlist_admin", "hotlist_viewer"] as const;
type Flag = (typeof FLAGS)[number];

const canChange = (user: AgencyUser) => !user.is_self && user.role !== "admin";

function nameOf(user: AgencyUser, flag: Flag): string {
  return `${flag}_${user.id}`;
}

type PermissionsProps = { find: string; users: NumberedPage<AgencyUser> };

function Permissions({ find, users }: PermissionsProps) {
  const [saved, setSaved] = useState(false);
  const form = useScreenForm({
    intent: "save",
    keep: true,
    failed: "The permissions could not be saved.",
    onDone: () => setSaved(true),
  });
  const values = useFormValues(form.form);
  // Another page has other boxes, so the form's values must be read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when other users are shown
  useEffect(() => {
    form.form.current?.dispatchEvent(new Event("change", { bubbles: true }));
  }, [users, form.form]);
  useEffect(() => {
    if (!saved) return;
    const timer = setTimeout(() => setSaved(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [saved]);

  const changes = users.rows.flatMap((user) =>
    FLAGS.filter((flag) => canChange(user) && values && nameOf(user, flag) in values !== user[flag]),
  );
  const count = changes.length;
  const guard = useLeaveGuard(count > 0, { pages: true });
  function box(user: AgencyUser, flag: Flag, label: string) {
    const name = nameOf(user, flag);
    // An administrator has both, whatever is stored.
    if (user.role === "admin")
      return <Checkbox checked disabled aria-label={`${label}: ${user.name}, as administrator`} />;
    return (
      <>
        <Checkbox
          name={name}
          value="true"
          defaultChecked={user[flag]}
          disabled={user.is_self}
          aria-label={`${label}: ${user.name}`}
        />
        {!user.is_self && <input type="hidden" name={user[flag] ? "was_on" : "was_off"} value={name} />}
      </>
    );
  }
  return (
    <>
      <FindFormApart id={FIND_FORM} />
      <ScreenForm state={form} className={pageClass("5xl")}>
        {guard.dialog}
        <PageTitle>Edit Alerts Permissions</PageTitle>
        <p className="text-sm text-muted">
          A hotlist viewer sees the agency's groups and alerts; a hotlist admin changes groups, plates and
          permissions. Administrators have both as long as they are administrators. You cannot change your own
          permissions.
        </p>
        <div aria-live="polite" className="empty:sr-only">
          {saved && (
            <p className="flex items-center gap-2 rounded-md bg-ok-soft px-3 py-2 font-medium text-ok">
              <CircleCheck aria-hidden="true" className="size-4" />
              {MESSAGES.permissionsUpdated}
            </p>
          )}
        </div>
        <FindInPages
          label="Find a user"
          placeholder="Name or email"
          noun="user"
          find={find}
          list={users}
          form={FIND_FORM}
        />
        {users.found === 0 && find === "" && (
          <EmptyState icon={<UserX />} title={MESSAGES.noUsersInAgency}>
            An administrator adds users in the Admin panel.
          </EmptyState>
        )}
        {users.found > 0 && (
          <DataTable
            // Changes on the page that was left are not saved, and not shown again.
            key={`${users.page} ${find}`}
            label="Users of your agency"
            caption="Users of your agency and their hotlist permissions"
            cardsBelow="narrow"
            columns={[
              "Name",
              { title: "Email", className: "card:hidden" },
              "Hotlist Admin",
              "Hotlist Viewer",
            ]}
          >
            {users.rows.map((user) => (
              <tr key={user.id} className="card:grid-cols-2">
                <td className="min-w-32 font-medium wrap-anywhere card:col-span-2">
                  <span className="flex flex-wrap items-center gap-2">
                    {user.name}
                    {user.is_self && <Badge>You</Badge>}
                    {user.role === "admin" && <Badge tone="accent">Administrator</Badge>}
                  </span>
                  <span className="block text-xs font-normal wrap-anywhere text-muted row:hidden">
                    {user.email}
                  </span>
                </td>
                <td className="card:hidden">{user.email}</td>
                <td data-label="Hotlist Admin">{box(user, "hotlist_admin", "Hotlist Admin")}</td>
                <td data-label="Hotlist Viewer">{box(user, "hotlist_viewer", "Hotlist Viewer")}</td>
              </tr>
            ))}
          </DataTable>
        )}
        <PageLinks page={users.page} pages={users.pages} to={(to) => pageAddress(to, { find })} />
        <div className="flex items-center gap-3">
          <Button
            type="submit"
            variant="primary"
            pending={form.pending}
            pendingLabel="Saving..."
            disabled={values !== undefined && count === 0}
          >
            Save Changes
          </Button>
          <span className="text-sm text-muted" aria-live="polite">
            {count > 0 && !form.pending && `${count} ${count === 1 ? "change" : "changes"} not saved yet`}
          </span>
        </div>
      </ScreenForm>
    </>
  );
}
