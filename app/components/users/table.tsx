import { Search } from "lucide-react";
import { type ComponentType, useDeferredValue, useState } from "react";
import { typeInto } from "#app/components/forms/use-form-values.ts";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { type Question, useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { ManagedUser } from "#app/entities/users/directory.ts";
import { useUserActs } from "./acts.ts";
import type { UserColumn } from "./columns.tsx";
import { UserSessionsDialog } from "./sessions.tsx";
import { TemporaryPasswordDialog } from "./temporary-password.tsx";

/** An agency may have ten thousand users: so many rows stand in the page until more are asked for. */
const ROWS = 200;

type Acts = ReturnType<typeof useUserActs>;

/** What the last cell of a row is given. */
export type UserActionsProps = {
  user: ManagedUser;
  acts: Acts["acts"];
  ask: (question: Question) => void;
  showSessions: () => void;
};

export type UserTableProps = {
  users: readonly ManagedUser[];
  label: string;
  columns: readonly UserColumn[];
  resetPath: Parameters<typeof useUserActs>[0];
  actionsTitle: string;
  Actions: ComponentType<UserActionsProps>;
};

/** Users, by name, with what may be done to each; every act is asked about before it is carried out. */
export function UserTable({ users, label, columns, resetPath, actionsTitle, Actions }: UserTableProps) {
  const { acts, shown, hide } = useUserActs(resetPath);
  const { ask, dialog } = useConfirm();
  const [sessionsOf, setSessionsOf] = useState<ManagedUser>();
  const [wanted, setWanted] = useState("");
  const filter = useTypedBefore<HTMLInputElement>(setWanted);
  const [most, setMost] = useState(ROWS);
  const found = matching(users, useDeferredValue(wanted));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2 noscript:hidden">
        <Field label="Find a user" className="w-72 max-w-full">
          {(control) => (
            <Input
              {...control}
              ref={filter}
              type="search"
              autoComplete="off"
              onChange={(event) => setWanted(event.target.value)}
              placeholder="Name, username or email"
            />
          )}
        </Field>
        <p role="status" className="pb-1.5 text-sm text-muted">
          {wanted && `${found.length} of ${users.length} users`}
        </p>
      </div>
      {found.length === 0 ? (
        <EmptyState
          icon={<Search />}
          title={wanted ? "No user fits" : "No users yet"}
          actions={wanted && <Button onClick={() => typeInto(filter.current, "")}>Show all</Button>}
        >
          {wanted ? "Try a part of the name, the username or the email address." : "Add one above."}
        </EmptyState>
      ) : (
        <TableBox label={label}>
          <Table caption={`${label}, sorted by name`} density="compact" className="whitespace-nowrap">
            <thead>
              <tr>
                {columns.map(({ title, numeric, wide }) => (
                  <ColumnHeader key={title} numeric={numeric} className={wide ? WIDE : undefined}>
                    {title}
                  </ColumnHeader>
                ))}
                <ColumnHeader className={STAYS}>{actionsTitle}</ColumnHeader>
              </tr>
            </thead>
            <tbody>
              {found.slice(0, most).map((user) => (
                <tr key={user.id}>
                  {columns.map((column) => (
                    <Cell key={column.title} column={column} user={user} />
                  ))}
                  <td className={cx(STAYS, "bg-raised")}>
                    {user.is_self ? (
                      <span className="inline-flex h-control-sm items-center text-muted">You</span>
                    ) : (
                      <Actions user={user} acts={acts} ask={ask} showSessions={() => setSessionsOf(user)} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </TableBox>
      )}
      {found.length > most && (
        <Button className="self-start" onClick={() => setMost(most + 1000)}>
          Show more ({(found.length - most).toLocaleString("en-US")} left)
        </Button>
      )}
      {dialog}
      <TemporaryPasswordDialog shown={shown} onClose={hide} />
      <UserSessionsDialog user={sessionsOf} onClose={() => setSessionsOf(undefined)} />
    </div>
  );
}

const WIDE = "max-sm:hidden";
/** Its edge tells that other columns go on beneath it. */
const STAYS = "sticky right-0 border-s border-line noscript:hidden";

function Cell({ column, user }: { column: UserColumn; user: ManagedUser }) {
  const { cell, numeric, long, names, wide } = column;
  const title = long?.(user);
  if (names) {
    return (
      <th scope="row" className="max-w-56 truncate font-medium" title={title}>
        {cell(user)}
      </th>
    );
  }
  return (
    <td className={cx(numeric ? "num" : long && "max-w-56 truncate", wide && WIDE)} title={title}>
      {cell(user)}
    </td>
  );
}

function matching(users: readonly ManagedUser[], wanted: string): readonly ManagedUser[] {
  const text = wanted.trim().toLowerCase();
  if (!text) return users;
  return users.filter(({ name, username, email }) =>
    [name, username, email].some((field) => field.toLowerCase().includes(text)),
  );
}
