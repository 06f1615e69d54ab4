import { forwardRef } from "react";
import { Input, type InputProps } from "#app/components/ui/fields/input.tsx";

/** Input for a six-digit authenticator code or a recovery code. Phones can autofill it. */
export const CodeInput = forwardRef<HTMLInputElement, InputProps>(function CodeInput(props, ref) {
  return (
    <Input
      ref={ref}
      required
      maxLength={40}
      autoComplete="one-time-code"
      autoCapitalize="characters"
      autoCorrect="off"
      spellCheck={false}
      className="font-mono tracking-widest"
      placeholder="123456"
      {...props}
    />
  );
});
