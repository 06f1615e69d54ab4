import { KeyRound } from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/confirm-dialog.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { ManagedUser } from "#app/entities/user.ts";
import { TemporaryPasswordDialog } from "./temporary-password.tsx";
import { useUserActs } from "./user-acts.ts";
import { UserState } from "./user-state.tsx";

/** The users of all agencies, as the owner sees them. */
export function OwnerUserTable({ users }: { users: readonly ManagedUser[] }) {
  const { acts, asked, ask, run, shown, hide } = useUserActs("/owner/reset-user-password");
  return (
    <>
      <TableBox label="Users of all agencies">
        <Table
          caption="Users of all agencies, sorted by name"
          density="compact"
          className="whitespace-nowrap"
        >
          <thead>
            <tr>
              <ColumnHeader>ID</ColumnHeader>
              <ColumnHeader>Username</ColumnHeader>
              <ColumnHeader>Name</ColumnHeader>
              <ColumnHeader>Email</ColumnHeader>
              <ColumnHeader>Role</ColumnHeader>
              <ColumnHeader>Department</ColumnHeader>
              <ColumnHeader>State</ColumnHeader>
              <ColumnHeader>Reset Password</ColumnHeader>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.id}>
                <td className="max-w-40 truncate font-mono text-xs" title={user.id}>
                  {user.id}
                </td>
                <th scope="row" className="font-medium">
                  {user.username}
                </th>
                <td>{user.name}</td>
                <td>{user.email}</td>
                <td>{user.role === "admin" ? "Admin" : "User"}</td>
                <td>{user.department}</td>
                <td>
                  <UserState user={user} />
                </td>
                <td>
                  {user.is_self ? (
                    <span className="text-sm text-muted">You</span>
                  ) : (
                    <Button size="sm" icon={<KeyRound />} onClick={() => ask(acts.reset(user))}>
                      Reset Password<span className="sr-only"> of {user.username}</span>
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </TableBox>
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => ask(undefined)}
        title={asked?.title}
        confirmLabel={asked?.confirm ?? ""}
        danger={asked?.danger}
        onConfirm={() => asked && run(asked)}
      >
        {asked?.body}
      </ConfirmDialog>
      <TemporaryPasswordDialog shown={shown} onClose={hide} />
    </>
  );
}
