import { forwardRef } from "react";
import { Input, type InputProps } from "#app/components/ui/fields/input.tsx";

/** A field for six digits of an authenticator app or for a recovery code; telephones offer the digits themselves. */
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
