import type { ReactNode } from "react";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { ManagedUser } from "#app/entities/users/directory.ts";
import { SecondFactorState, UserState } from "./state.tsx";

/** A column of the table of users; the one that names the row is its head. */
export type UserColumn = {
  title: string;
  cell: (user: ManagedUser) => ReactNode;
  numeric?: boolean;
  /** Cut off at a width, whole in the tooltip. */
  long?: (user: ManagedUser) => string;
  names?: boolean;
  /** Left out where there is little room. */
  wide?: boolean;
};

const id: UserColumn = {
  title: "ID",
  cell: (user) => <span className="font-mono text-xs">{user.id}</span>,
  long: (user) => user.id,
  wide: true,
};
const username: UserColumn = {
  title: "Username",
  cell: (user) => user.username,
  long: (user) => user.username,
  names: true,
};
const name: UserColumn = { title: "Name", cell: (user) => user.name, long: (user) => user.name };
const email: UserColumn = { title: "Email", cell: (user) => user.email, long: (user) => user.email };
const role: UserColumn = { title: "Role", cell: (user) => (user.role === "admin" ? "Admin" : "User") };
const department: UserColumn = {
  title: "Department",
  cell: (user) => user.department,
  long: (user) => user.department,
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
      <LocalTime at={user.last_sign_in_at} short />
    ),
};
const sessions: UserColumn = { title: "Sessions", cell: (user) => user.sessions, numeric: true };

/** What an administrator sees of the users of the agency. */
export const AGENCY_COLUMNS: readonly UserColumn[] = [
  username,
  name,
  email,
  role,
  department,
  state,
  factor,
  lastSignIn,
  sessions,
];

/** What the owner sees of the users of all agencies. */
export const OWNER_COLUMNS: readonly UserColumn[] = [
  id,
  username,
  name,
  email,
  role,
  department,
  state,
  factor,
  lastSignIn,
];
