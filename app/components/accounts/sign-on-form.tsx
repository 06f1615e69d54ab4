import { LogIn } from "lucide-react";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import type { SignOnButton } from "#app/entities/accounts/single-sign-on.ts";

/** Single sign-on: a button for each agency that shows one, and a work email for all others. Needs no script. */
export function SignOnForm({
  buttons,
  byEmail,
  again,
}: {
  buttons: readonly SignOnButton[];
  byEmail: boolean;
  /** The provider must ask the person again: they signed out, or their session has ended. */
  again: boolean;
}) {
  return (
    <section aria-label="Single sign-on" className="mt-6 flex flex-col gap-4 border-t border-line pt-6">
      {buttons.map(({ agency_id, name, agency }) => (
        <div key={agency_id} className="flex flex-col gap-1">
          <a
            href={`/sso/${encodeURIComponent(agency_id)}?notice=${USE_NOTIFICATION.version}${again ? "&again=1" : ""}`}
            className={buttonClass("secondary", "lg")}
          >
            <LogIn aria-hidden="true" />
            Sign in with {name}
          </a>
          {/* Agencies choose the button's name freely, but not their own. */}
          <p className="text-center text-sm text-muted">{agency}</p>
        </div>
      ))}
      {byEmail && (
        <form method="post" action="/sso/find" className="flex flex-col gap-4">
          <input type="hidden" name="notice" value={USE_NOTIFICATION.version} />
          {again && <input type="hidden" name="again" value="1" />}
          <Field label="Work email" hint="For agencies that use single sign-on.">
            {(control) => (
              <Input
                {...control}
                name="email"
                type="email"
                controlSize="lg"
                required
                maxLength={254}
                autoComplete="email"
              />
            )}
          </Field>
          <Button type="submit" size="lg">
            Continue
          </Button>
        </form>
      )}
      <p className="text-sm text-muted">
        By signing in you acknowledge the use notification and consent to its terms.
      </p>
    </section>
  );
}
