import { Circle, CircleCheck } from "lucide-react";
import { cx } from "#app/components/ui/cx.ts";
import { PASSWORD_REQUIREMENTS } from "#app/entities/accounts/password-rules.ts";

/** The requirements of a password, each ticked off while it is typed. */
export function PasswordRequirements({ id, password }: { id: string; password: string }) {
  return (
    <div id={id} className="text-sm">
      <p className="font-medium">Requirements</p>
      <ul className="mt-1 flex flex-col gap-0.5">
        {PASSWORD_REQUIREMENTS.map(({ key, label, holds }) => {
          const met = holds(password);
          const Mark = met ? CircleCheck : Circle;
          return (
            <li key={key} className={cx("flex items-center gap-1.5", met ? "text-ok" : "text-muted")}>
              <Mark aria-hidden="true" className="size-4 shrink-0" />
              {label}
              <span className="sr-only">{met ? "(met)" : "(not met)"}</span>
            </li>
          );
        })}
      </ul>
      <p className="mt-1.5 text-xs text-muted">
        Common passwords, your last ten, and ones made of your name, your agency's or the product's are
        refused. Long phrases and password managers are welcome.
      </p>
    </div>
  );
}
