import * as z from "zod/mini";
import { MESSAGES } from "#app/entities/messages.ts";
import { named } from "#app/lib/json/named-schema.ts";

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

/** A code of an authenticator app, or a recovery code. */
export const FactorCode = z.object({
  code: z
    .string("Enter the code.")
    .check(z.trim(), z.minLength(1, "Enter the code."), z.maxLength(40, "This code is wrong.")),
});
export type FactorCode = z.infer<typeof FactorCode>;

const text = (most: number) => z.string().check(z.maxLength(most));
const credential = <Shape extends z.core.$ZodShape>(response: Shape) =>
  z.object({
    id: text(2000),
    rawId: text(2000),
    type: z.literal("public-key"),
    authenticatorAttachment: z.optional(z.nullable(text(40))),
    clientExtensionResults: z.optional(z.record(text(100), z.unknown())),
    response: z.object(response),
  });

/** A browser's response after creating a passkey (WebAuthn, RegistrationResponseJSON). */
export const NewPasskey = z.object({
  name: z.string().check(z.trim(), z.minLength(1, "Enter a name for the passkey."), z.maxLength(60)),
  response: credential({
    clientDataJSON: text(8000),
    attestationObject: text(60_000),
    transports: z.optional(z.array(text(40)).check(z.maxLength(10))),
  }),
});
export type NewPasskey = z.infer<typeof NewPasskey>;

/** A browser's response after using a passkey (WebAuthn, AuthenticationResponseJSON). */
export const UsedPasskey = named(
  "UsedPasskey",
  z.object({
    response: credential({
      clientDataJSON: text(8000),
      authenticatorData: text(8000),
      signature: text(8000),
      userHandle: z.optional(z.nullable(text(400))),
    }),
  }),
);
export type UsedPasskey = z.infer<typeof UsedPasskey>;
