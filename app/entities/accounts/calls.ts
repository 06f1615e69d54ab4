import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";

/** The body of POST /reset-password: the forced change, or a change with the current password. */
export const PasswordReset = z.object({
  username: z.nullish(z.string().check(z.trim(), z.maxLength(200))),
  new_password: z.string(MESSAGES.passwordRequired).check(z.minLength(1, MESSAGES.passwordRequired)),
  current_password: z.nullish(z.string().check(z.maxLength(1024))),
});
export type PasswordReset = z.infer<typeof PasswordReset>;

/** The body of POST /user/reset-password. */
export const OwnPasswordChange = z.object({
  new_password: z.string(MESSAGES.passwordRequired).check(z.minLength(1, MESSAGES.passwordRequired)),
});
export type OwnPasswordChange = z.infer<typeof OwnPasswordChange>;

/** The form for choosing a new password (specification section 5). */
export const NewPasswordFields = z
  .object({
    new_password: z._default(z.string().check(z.maxLength(512)), ""),
    confirm_password: z._default(z.string().check(z.maxLength(512)), ""),
  })
  .check(
    z.refine(({ new_password, confirm_password }) => new_password !== "" && confirm_password !== "", {
      error: MESSAGES.passwordRequired,
      path: ["new_password"],
      abort: true,
    }),
    z.refine(({ new_password, confirm_password }) => new_password === confirm_password, {
      error: MESSAGES.passwordsDiffer,
      path: ["confirm_password"],
    }),
  );

/** The body of POST /step-up: one of the two. */
export const StepUp = z.object({
  password: z.optional(z.string().check(z.maxLength(1024))),
  code: z.optional(z.string().check(z.trim(), z.maxLength(40))),
});
export type StepUp = z.infer<typeof StepUp>;
