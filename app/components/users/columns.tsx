import { Lock, ShieldCheck, UserX } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { ROLE_NAMES } from "#app/entities/accounts/access.ts";
import type { ManagedUser } from "#app/entities/users/directory.ts";

/** A column of the user table. */
export type UserColumn = {
  title: string;
  cell: (user: ManagedUser) => ReactNode;
  numeric?: boolean;
  /** Whether its text can be longer than the column is wide. */
  long?: true;
  /** The column that names the row: its cells are row headers. */
  names?: boolean;
  /** Hidden on narrow screens. */
  wide?: boolean;
};

const id: UserColumn = {
  title: "ID",
  cell: (user) => <span className="font-mono text-xs">{user.id}</span>,
  long: true,
  wide: true,
};
const username: UserColumn = {
  title: "Username",
  cell: (user) => user.username,
  long: true,
  names: true,
};
const name: UserColumn = { title: "Name", cell: (user) => user.name, long: true };
const email: UserColumn = { title: "Email", cell: (user) => user.email, long: true };
const role: UserColumn = { title: "Role", cell: (user) => ROLE_NAMES[user.role] };
const department: UserColumn = {
  title: "Department",
  cell: (user) => user.department,
  long: true,
};
const state: UserColumn = { title: "State", cell: (user) => <UserState user={user} /> };
const factor: UserColumn = {
  title: "Second factor",
  cell: (user) => <SecondFactorState on={user.second_factor} />,
};
const lastSignIn: UserColumn = {
  title: "Last sign-in",
  cell: (user) =>
    user.last_sign_in_at === null ? (
      <span className="text-muted">Never</span>
    ) : (
      <LocalTime at={user.last_sign_in_at} day />
    ),
};
const sessions: UserColumn = { title: "Sessions", cell: (user) => user.sessions, numeric: true };

const COLUMNS = [username, name, email, role, department, state, factor, lastSignIn];
/** The columns of the administrator's table of the agency's users. */
export const AGENCY_COLUMNS: readonly UserColumn[] = [...COLUMNS, sessions];
/** The columns of the owner's table of the users of all agencies. */
export const OWNER_COLUMNS: readonly UserColumn[] = [id, ...COLUMNS];

const DISABLED: Record<NonNullable<ManagedUser["disabled"]>, string> = {
  administrator: "Disabled",
  disuse: "Disabled, unused",
  "identity provider": "Disabled by provider",
};

/** The state of an account as badges, with the cause of a lock. */
function UserState({ user }: { user: ManagedUser }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      {user.locked && (
        <Badge tone="hit" icon={<Lock />}>
          Locked
        </Badge>
      )}
      {user.disabled && (
        <Badge tone="warn" icon={<UserX />}>
          {DISABLED[user.disabled]}
        </Badge>
      )}
      {user.temporary_password && <Badge>Temporary password</Badge>}
      {!user.locked && !user.disabled && !user.temporary_password && <Badge tone="ok">Active</Badge>}
      {user.lock && <LockCause lock={user.lock} />}
    </span>
  );
}

/** Why an account is locked, to help the administrator decide whether to unlock it. */
function LockCause({ lock: { at, applies_to, addresses } }: { lock: NonNullable<ManagedUser["lock"]> }) {
  const isEveryone = applies_to === "everyone";
  return (
    <span className="w-72 text-xs whitespace-normal text-muted">
      {isEveryone
        ? "Wrong passwords or codes on a known device or in a session, "
        : "Failed sign-ins on unknown devices, "}
      <LocalTime at={at} short />
      {addresses.length > 0 && `, from ${addresses.join(", ")}`}
      {isEveryone ? "." : ". The user's known devices still work."}
    </span>
  );
}

function SecondFactorState({ on }: { on: boolean }) {
  return on ? (
    <Badge tone="ok" icon={<ShieldCheck />}>
      On
    </Badge>
  ) : (
    <span className="text-muted">Off</span>
  );
}
