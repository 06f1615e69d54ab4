import * as z from "zod/mini";

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
export const UsedPasskey = z.object({
  response: credential({
    clientDataJSON: text(8000),
    authenticatorData: text(8000),
    signature: text(8000),
    userHandle: z.optional(z.nullable(text(400))),
  }),
});
export type UsedPasskey = z.infer<typeof UsedPasskey>;
