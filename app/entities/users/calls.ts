import * as z from "zod/mini";
import { idText } from "#app/lib/json/values.ts";
import { Email, FullName, ID_MAX, RoleName, Username } from "./directory.ts";

/** A row of the bulk upload. Odin generates its password. */
export const UploadedUser = z.object({
  username: Username,
  name: FullName,
  email: Email,
  role: RoleName,
});
export type UploadedUser = z.infer<typeof UploadedUser>;
/** The columns of the file of POST /bulk-upload-users. */
export const UPLOAD_COLUMNS = ["username", "name", "email", "role"] as const;
type UploadColumn = (typeof UPLOAD_COLUMNS)[number];
/** Other headings of these columns. */
export const UPLOAD_ALIASES: ReadonlyMap<string, UploadColumn> = new Map([["full name", "name"]]);
/** Columns of files from other systems. Users are of the uploader's agency, and get a password from Odin. */
export const UPLOAD_IGNORED = ["id", "agency", "agency_id", "department", "password"] as const;
/** Maximum number of users in one file. */
export const MAX_UPLOADED_USERS = 10_000;
/** The largest file of users. */
export const MAX_UPLOADED_BYTES = 10 * 1024 * 1024;

export const RoleChange = z.object({ new_role: RoleName });
export type RoleChange = z.infer<typeof RoleChange>;

/**
 * The body of the two password resets. `new_password` becomes the temporary password if it meets the rules; without
 * one (or with an empty one), a random password is generated.
 */
export const UserReset = z.object({
  user_id: idText("A user ID is required.", ID_MAX).check(z.minLength(1, "A user ID is required.")),
  new_password: z.optional(z.nullable(z.string("The new password must be text."))),
});
export type UserReset = z.infer<typeof UserReset>;

export const DisabledChange = z.object({ disabled: z.boolean() });
export type DisabledChange = z.infer<typeof DisabledChange>;
