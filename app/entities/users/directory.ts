import * as z from "zod/mini";
import type { Role } from "#app/entities/accounts/access.ts";
import { loggedUsername, SCIM_USERNAME } from "#app/entities/oversight/audit.ts";
import { named } from "#app/lib/json/named-schema.ts";
import { idText } from "#app/lib/json/values.ts";
import type * as answers from "./answers.ts";

/** Maximum number of characters of a user or agency id in a request. */
export const ID_MAX = 100;

const ROLES = ["admin", "user"] as const satisfies Role[];

const required = (what: string) => `${what} is required.`;

export const Username = z.string(required("Username")).check(
  z.trim(),
  z.toLowerCase(),
  z.minLength(1, required("Username")),
  z.maxLength(64, "A username can have at most 64 characters."),
  z.regex(
    /^[a-z0-9](?: ?[a-z0-9._@'+-])*$/,
    "A username can contain letters, digits, single spaces and . _ @ ' + - and starts with a letter or digit.",
  ),
  z.refine((value) => loggedUsername(value) !== SCIM_USERNAME, "This username is reserved."),
);
/** A user's full name: 1 to 120 visible characters. */
export const FullName = z
  .string(required("Full name"))
  .check(
    z.trim(),
    z.minLength(1, required("Full name")),
    z.maxLength(120, "A full name can have at most 120 characters."),
    z.regex(/^[^\p{C}]*$/u, "A full name cannot contain invisible characters."),
  );
export const Email = z
  .string(required("Email"))
  .check(
    z.trim(),
    z.minLength(1, required("Email")),
    z.maxLength(254, "An email address can have at most 254 characters."),
    z.regex(/^[^\s@,;"<>()]+@[^\s@,;"<>()]+\.[^\s@,;"<>().]{2,}$/, "Email must look like name@example.org."),
  );
/** A role; clients also send it as screens show it, capitalized. */
export const RoleName = z.pipe(
  z.transform((value: unknown) => (typeof value === "string" ? value.trim().toLowerCase() : value)),
  z.enum(ROLES, "Role must be user or admin."),
);

/** The body of POST /admin/add-user and POST /owner/add-user. The password is always temporary. */
export const NewUser = named(
  "NewUser",
  z.object({
    username: Username,
    name: FullName,
    email: Email,
    password: z
      .string(required("Password"))
      .check(
        z.minLength(1, required("Password")),
        z.maxLength(512, "A password can have at most 512 characters."),
      ),
    role: RoleName,
    agency_id: z.optional(z.nullable(idText("Choose the agency.", ID_MAX))),
  }),
);
export type NewUser = z.infer<typeof NewUser>;

/** The owner's form for the same request. It must name an agency. */
export const NewUserOfAgency = z.extend(NewUser, {
  agency_id: z.string(required("Agency")).check(z.minLength(1, required("Agency")), z.maxLength(100)),
});

/** A user as shown to administrators and the owner. */
export type ManagedUser = z.infer<typeof answers.ManagedUser>;

export type UserSessions = z.infer<typeof answers.UserSessions>;

/**
 * A temporary password. Only the response that creates it contains it, and the response to a repeated upload of the
 * same file.
 */
export type TemporaryPassword = { username: string; temporary_password: string; valid_until: number };

/** Returns what the screen shows once after a user is added. */
export function temporaryOf(
  { valid_until }: { valid_until: number },
  { username, password }: Pick<NewUser, "username" | "password">,
): TemporaryPassword {
  return { username, temporary_password: password, valid_until };
}

/** A problem of a row in an uploaded file. `line` is where the row starts. */
export type RowProblem = { line: number; reason: string };
