import { Search } from "lucide-react";
import { type ComponentType, useDeferredValue, useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { FindForm, type ListQuery } from "#app/components/forms/find-form.tsx";
import { typeInto } from "#app/components/forms/use-form-values.ts";
import { useTypedBefore, useWantedText } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { ManagedUser, UserSessions } from "#app/entities/users/directory.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import type { UserColumn } from "./columns.tsx";
import { TemporaryPasswordDialog } from "./temporary-password.tsx";
import { type UserActionName, useUserActions } from "./use-actions.ts";

/** Rows shown at first; an agency may have ten thousand users. */
const FIRST_ROWS = 200;
/** Rows that "Show more" adds. */
const MORE_ROWS = 1000;

/** Sessions that the dialog lists; a program that signs in for each call leaves thousands. */
const SHOWN_SESSIONS = 50;

/** Props of the last cell of a row. */
export type UserActionsProps = {
  user: ManagedUser;
  /** Asks for confirmation of an action on the user, and runs it. */
  ask: (action: UserActionName) => void;
  showSessions: () => void;
};

export type UserTableProps = {
  users: readonly ManagedUser[];
  label: string;
  columns: readonly UserColumn[];
  resetPath: Parameters<typeof useUserActions>[0];
  actionsTitle: string;
  Actions: ComponentType<UserActionsProps>;
};

/** Users by name, with their actions. Every action asks for confirmation. */
export function UserTable({ users, label, columns, resetPath, actionsTitle, Actions }: UserTableProps) {
  const { question, shown, hide } = useUserActions(resetPath);
  const { ask, dialog } = useConfirm();
  const [sessionsOf, setSessionsOf] = useState<ManagedUser>();
  const [query, setQuery] = useState("");
  const filter = useTypedBefore<HTMLInputElement>(setQuery, useWantedText());
  const [most, setMost] = useState(FIRST_ROWS);
  const found = matching(users, useDeferredValue(query));
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
              onChange={(event) => setQuery(event.target.value)}
              placeholder="Name, username or email"
            />
          )}
        </Field>
        <p role="status" className="pb-1.5 text-sm text-muted">
          {query && `${found.length} of ${users.length} users`}
        </p>
      </div>
      {found.length === 0 ? (
        <EmptyState
          icon={<Search />}
          title={query ? "No matching users" : "No users yet"}
          actions={query && <Button onClick={() => typeInto(filter.current, "")}>Show all</Button>}
        >
          {query ? "Try a part of the name, the username or the email address." : "Add one above."}
        </EmptyState>
      ) : (
        <DataTable
          label={label}
          caption={`${label}, sorted by name`}
          density="compact"
          cardsBelow="narrow"
          className="row:whitespace-nowrap"
          columns={[
            ...columns.map(({ title, numeric, wide }) => ({
              title,
              numeric,
              className: wide ? WIDE : undefined,
            })),
            { title: actionsTitle, className: STICKY },
          ]}
        >
          {found.slice(0, most).map((user) => (
            <tr key={user.id} className="card:grid-cols-2">
              {columns.map((column) => (
                <Cell key={column.title} column={column} user={user} />
              ))}
              <td className={cx(STICKY, "bg-raised")}>
                {user.is_self ? (
                  <span className="inline-flex h-control-sm items-center text-muted">You</span>
                ) : (
                  <Actions
                    user={user}
                    ask={(action) => ask(question(action, user))}
                    showSessions={() => setSessionsOf(user)}
                  />
                )}
              </td>
            </tr>
          ))}
        </DataTable>
      )}
      {found.length > most && (
        <Button className="self-start" onClick={() => setMost(most + MORE_ROWS)}>
          Show more ({numberText(found.length - most)} left)
        </Button>
      )}
      {dialog}
      <TemporaryPasswordDialog shown={shown} onClose={hide} />
      <UserSessionsDialog user={sessionsOf} onClose={() => setSessionsOf(undefined)} />
    </div>
  );
}

const WIDE = "card:hidden";
/** A long word, such as an email address, breaks only if it is wider than its column may be. */
const LONG = "wrap-anywhere row:max-w-56 row:min-w-36 row:whitespace-normal row:wrap-break-word";
/** Its border shows that other columns scroll below it. */
const STICKY = "card:col-span-2 row:sticky row:right-0 row:border-s row:border-line noscript:hidden";

function Cell({ column, user }: { column: UserColumn; user: ManagedUser }) {
  const { cell, numeric, long, names, wide } = column;
  if (names) {
    return (
      <th scope="row" className={cx("font-medium", LONG)}>
        {cell(user)}
      </th>
    );
  }
  return (
    <td
      data-label={column.title}
      className={cx(numeric ? "num" : long && cx("card:col-span-2", LONG), wide && WIDE)}
    >
      {cell(user)}
    </td>
  );
}

function matching(users: readonly ManagedUser[], query: string): readonly ManagedUser[] {
  const text = query.trim().toLowerCase();
  if (!text) return users;
  return users.filter(({ name, username, email }) =>
    [name, username, email].some((field) => field.toLowerCase().includes(text)),
  );
}

type FindUsersProps = {
  label: string;
  find: string;
  /** The users on the screen, the number found, and the total. */
  page: { users: readonly ManagedUser[]; found: number; total: number };
  kept?: ListQuery;
};

/** Finds users among all of them when the screen has only the first ones. */
export function FindUsers({ label, find, page, kept = {} }: FindUsersProps) {
  const { users, found, total } = page;
  const isPart = find !== "" || total > users.length;
  // Without scripts, the table has no more rows than these.
  if (!isPart && total <= FIRST_ROWS) return null;
  return (
    <div className={isPart ? "" : "hidden noscript:block"}>
      <FindForm
        label={label}
        placeholder="Name, username or email"
        find={find}
        kept={kept}
        result={
          users.length < found
            ? `The first ${numberText(users.length)} of ${counted(found, "user")}, by name.`
            : `${counted(found, "user")} found.`
        }
      />
    </div>
  );
}

function UserSessionsDialog({ user, onClose }: { user: ManagedUser | undefined; onClose: () => void }) {
  return (
    <Dialog open={user !== undefined} onClose={onClose} title={`Sessions of ${user?.username}`}>
      {user && <Sessions userId={user.id} />}
    </Dialog>
  );
}

function Sessions({ userId }: { userId: string }) {
  const [found, setFound] = useState<UserSessions>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    callApi<UserSessions>(`/admin/sessions/${encodeURIComponent(userId)}?limit=${SHOWN_SESSIONS}`, {
      failed: "The sessions could not be loaded.",
    }).then((answer) => {
      if (answer.ok) setFound(answer.value);
      else setProblem(answer.message);
    });
  }, [userId]);
  if (problem) return <ErrorBox message={problem} />;
  if (!found) return <Skeleton className="h-16 w-full" />;
  const { sessions, total } = found;
  if (sessions.length === 0) return <p className="text-muted">Not signed in anywhere.</p>;
  return (
    <>
      <ul className="-my-2 flex flex-col divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="py-2.5">
            <span className="block font-medium">{session.client}</span>
            <span className="block text-xs text-muted">
              {session.ip} · since <LocalTime at={session.created_at} /> · last used{" "}
              <LocalTime at={session.last_seen_at} />
            </span>
          </li>
        ))}
      </ul>
      {total > sessions.length && (
        <p className="mt-4 text-sm text-muted">
          {counted(total - sessions.length, "more session")}, used less recently. End sessions ends all of
          them.
        </p>
      )}
    </>
  );
}
