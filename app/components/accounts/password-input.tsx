import { ArrowBigUpDash, Eye, EyeOff } from "lucide-react";
import { forwardRef, useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { Input, type InputProps } from "#app/components/ui/fields/input.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";

export type PasswordInputProps = Omit<InputProps, "type" | "plate">;

/** A password field with a show button and a Caps Lock warning. Pasting works. */
export const PasswordInput = forwardRef<HTMLInputElement, PasswordInputProps>(function PasswordInput(
  { className, ...rest },
  ref,
) {
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  return (
    <div>
      <div className="relative">
        <Input
          ref={ref}
          {...rest}
          type={shown ? "text" : "password"}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          className={cx("!pe-12", className)}
          onKeyDown={(event) => setCapsLock(event.getModifierState("CapsLock"))}
          onKeyUp={(event) => setCapsLock(event.getModifierState("CapsLock"))}
          onBlur={() => setCapsLock(false)}
        />
        <span className="absolute inset-y-0 end-1 flex items-center noscript:hidden">
          <IconButton
            size="sm"
            label={shown ? "Hide password" : "Show password"}
            aria-pressed={shown}
            icon={shown ? <EyeOff /> : <Eye />}
            onClick={() => setShown(!shown)}
          />
        </span>
      </div>
      <p role="status" className="flex items-center gap-1 text-xs text-warn [&:not(:empty)]:mt-1">
        {capsLock && (
          <>
            <ArrowBigUpDash aria-hidden="true" className="size-4" />
            Caps Lock is on.
          </>
        )}
      </p>
    </div>
  );
});
