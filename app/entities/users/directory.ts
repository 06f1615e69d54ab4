import * as z from "zod/mini";
import type { Role } from "#app/entities/accounts/access.ts";
import type { LockScope } from "#app/entities/accounts/actor.ts";

const ROLES = ["admin", "user"] as const satisfies Role[];

const required = (what: string) => `${what} is required.`;

export const Username = z
  .string(required("Username"))
  .check(
    z.trim(),
    z.toLowerCase(),
    z.minLength(1, required("Username")),
    z.maxLength(64, "A username has at most 64 characters."),
    z.regex(
      /^[a-z0-9][a-z0-9._@-]*$/,
      "A username has letters, digits and . _ @ - and starts with a letter or digit.",
    ),
  );
export const FullName = z
  .string(required("Full name"))
  .check(
    z.trim(),
    z.minLength(1, required("Full name")),
    z.maxLength(120, "A full name has at most 120 characters."),
    z.regex(/^[^\p{C}]*$/u, "A full name has no invisible characters."),
  );
export const Email = z
  .string(required("Email"))
  .check(
    z.trim(),
    z.minLength(1, required("Email")),
    z.maxLength(254, "An email address has at most 254 characters."),
    z.regex(/^[^\s@,;"<>()]+@[^\s@,;"<>()]+\.[^\s@,;"<>().]{2,}$/, "Email must look like name@example.org."),
  );
/** An id as the calls name it: text, or a number where a client keeps its ids as numbers. */
export const anyId = (error: string) =>
  z.pipe(
    z.pipe(z.union([z.string(error), z.int(error)], error), z.transform(String)),
    z.string().check(z.trim(), z.maxLength(100, error)),
  );

export const RoleName = z.enum(ROLES, "Role must be user or admin.");

/** The call of POST /admin/add-user and POST /owner/add-user. The password is temporary, whoever chose it. */
export const NewUser = z.object({
  username: Username,
  name: FullName,
  email: Email,
  password: z
    .string(required("Password"))
    .check(z.minLength(1, required("Password")), z.maxLength(512, "A password has at most 512 characters.")),
  role: RoleName,
  agency_id: z.optional(z.nullable(anyId("Choose the agency."))),
});
export type NewUser = z.infer<typeof NewUser>;

/** The owner's form for the same call, which has to name an agency. */
export const NewUserOfAgency = z.extend(NewUser, {
  agency_id: z.string(required("Agency")).check(z.minLength(1, required("Agency")), z.maxLength(100)),
});

/** A user as administrators and the owner see it. */
export type ManagedUser = {
  id: string;
  username: string;
  name: string;
  email: string;
  role: Role;
  /** The agency's name, as the specification's table calls it. */
  department: string;
  agency_id: string;
  created_at: number;
  last_sign_in_at: number | null;
  locked: boolean;
  /** Why the account is locked: since when, for whom, and from which addresses the wrong attempts came. */
  lock: { at: number; applies_to: LockScope; addresses: string[] } | null;
  disabled: "administrator" | "disuse" | null;
  temporary_password: boolean;
  second_factor: boolean;
  sessions: number;
  /** The viewer, who does not act on themselves. */
  is_self: boolean;
  /** The product's owner, whom only the owner manages. */
  is_owner: boolean;
};

/** A temporary password, in the answer that makes it and nowhere else. */
export type TemporaryPassword = { username: string; temporary_password: string; valid_until: number };

/** What the screen shows once of a user who was added. */
export function temporaryOf(
  { valid_until }: { valid_until: number },
  { username, password }: Pick<NewUser, "username" | "password">,
): TemporaryPassword {
  return { username, temporary_password: password, valid_until };
}

/** A row of an uploaded file that is wrong, by the line where it starts. */
export type RowProblem = { line: number; reason: string };
