import * as z from "zod/mini";
import { Email, FullName, RoleName, Username } from "./user.ts";

/** A row of the bulk upload; its password is made by Odin. */
export const UploadedUser = z.object({
  username: Username,
  name: FullName,
  email: Email,
  role: z.pipe(z.string().check(z.trim(), z.toLowerCase()), RoleName),
});
export type UploadedUser = z.infer<typeof UploadedUser>;
export const UPLOAD_COLUMNS = ["username", "name", "email", "role"] as const;
export const MOST_UPLOADED_USERS = 10_000;
export const MOST_UPLOADED_BYTES = 10 * 1024 * 1024;

export const RoleChange = z.object({ new_role: RoleName });
export type RoleChange = z.infer<typeof RoleChange>;

/** The calls that name a user in the body; `new_password` is accepted and ignored: a random one is made. */
export const UserReset = z.object({
  user_id: z.string("Which user?").check(z.minLength(1, "Which user?"), z.maxLength(100)),
  new_password: z.optional(z.unknown()),
});
export type UserReset = z.infer<typeof UserReset>;

export const DisabledChange = z.object({ disabled: z.boolean() });
export type DisabledChange = z.infer<typeof DisabledChange>;
