import {
  EllipsisVertical,
  KeyRound,
  ListX,
  LockOpen,
  MonitorSmartphone,
  ShieldOff,
  Trash2,
  UserCheck,
  UserCog,
  UserX,
} from "lucide-react";
import { useState } from "react";
import { LocalTime } from "#app/components/account/local-time.tsx";
import { ConfirmDialog } from "#app/components/ui/confirm-dialog.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { ManagedUser } from "#app/entities/user.ts";
import { TemporaryPasswordDialog } from "./temporary-password.tsx";
import { useUserActs } from "./user-acts.ts";
import { UserSessionsDialog } from "./user-sessions.tsx";
import { SecondFactorState, UserState } from "./user-state.tsx";

/** The users of an agency with everything that an administrator does to them. */
export function UserTable({ users }: { users: readonly ManagedUser[] }) {
  const { acts, asked, ask, run, shown, hide } = useUserActs("/admin/reset-user-password");
  const [sessionsOf, setSessionsOf] = useState<ManagedUser>();
  return (
    <>
      <TableBox label="Users">
        <Table caption="Users, sorted by name" density="compact" className="whitespace-nowrap">
          <thead>
            <tr>
              <ColumnHeader>Username</ColumnHeader>
              <ColumnHeader>Name</ColumnHeader>
              <ColumnHeader>Email</ColumnHeader>
              <ColumnHeader>Role</ColumnHeader>
              <ColumnHeader>Department</ColumnHeader>
              <ColumnHeader>State</ColumnHeader>
              <ColumnHeader>Second factor</ColumnHeader>
              <ColumnHeader>Last sign-in</ColumnHeader>
              <ColumnHeader numeric>Sessions</ColumnHeader>
              <ColumnHeader className="sticky right-0">Actions</ColumnHeader>
            </tr>
          </thead>
          <tbody>
            {users.map((user) => (
              <tr key={user.id}>
                <th scope="row" className="font-medium">
                  {user.username}
                </th>
                <td>{user.name}</td>
                <td>{user.email}</td>
                <td>{user.role === "admin" ? "Admin" : "User"}</td>
                <td className="max-w-40 truncate" title={user.department}>
                  {user.department}
                </td>
                <td>
                  <UserState user={user} />
                </td>
                <td>
                  <SecondFactorState on={user.second_factor} />
                </td>
                <td>
                  {user.last_sign_in_at === null ? (
                    <span className="text-muted">Never</span>
                  ) : (
                    <LocalTime at={user.last_sign_in_at} short />
                  )}
                </td>
                <td className="num">{user.sessions}</td>
                <td className="sticky right-0 bg-raised">
                  <Actions user={user} acts={acts} ask={ask} showSessions={() => setSessionsOf(user)} />
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
      <UserSessionsDialog user={sessionsOf} onClose={() => setSessionsOf(undefined)} />
    </>
  );
}

type Acts = ReturnType<typeof useUserActs>;

function Actions({
  user,
  acts,
  ask,
  showSessions,
}: {
  user: ManagedUser;
  acts: Acts["acts"];
  ask: Acts["ask"];
  showSessions: () => void;
}) {
  if (user.is_self) return <span className="inline-flex h-control-sm items-center text-muted">You</span>;
  return (
    <span className="flex items-center">
      {!user.is_owner && (
        <>
          <IconButton
            size="sm"
            label={`Reset Password of ${user.username}`}
            icon={<KeyRound />}
            onClick={() => ask(acts.reset(user))}
          />
          <IconButton
            size="sm"
            label={`Edit Role of ${user.username}`}
            icon={<UserCog />}
            onClick={() => ask(acts.role(user))}
          />
          <IconButton
            size="sm"
            label={`Delete User ${user.username}`}
            icon={<Trash2 />}
            onClick={() => ask(acts.remove(user))}
          />
        </>
      )}
      <Menu
        label={`More for ${user.username}`}
        align="end"
        trigger={<IconButton size="sm" label={`More for ${user.username}`} icon={<EllipsisVertical />} />}
      >
        {user.locked && (
          <MenuItem icon={<LockOpen />} onSelect={() => ask(acts.unlock(user))}>
            Unlock
          </MenuItem>
        )}
        {user.disabled ? (
          <MenuItem icon={<UserCheck />} onSelect={() => ask(acts.disable(user))}>
            Enable
          </MenuItem>
        ) : (
          !user.is_owner && (
            <MenuItem icon={<UserX />} danger onSelect={() => ask(acts.disable(user))}>
              Disable
            </MenuItem>
          )
        )}
        <MenuItem icon={<MonitorSmartphone />} onSelect={showSessions}>
          Show sessions
        </MenuItem>
        {user.sessions > 0 && !user.is_owner && (
          <MenuItem icon={<ListX />} danger onSelect={() => ask(acts.sessions(user))}>
            End sessions
          </MenuItem>
        )}
        {user.second_factor && !user.is_owner && (
          <MenuItem icon={<ShieldOff />} danger onSelect={() => ask(acts.factor(user))}>
            Remove second factor
          </MenuItem>
        )}
      </Menu>
    </span>
  );
}
