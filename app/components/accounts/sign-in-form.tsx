import { type FormEvent, type RefObject, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { USE_NOTIFICATION, USERNAME_MAX } from "#app/entities/accounts/actor.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { PasswordInput } from "./password-input.tsx";

type SignedIn = { redirect_url?: unknown };

/** Returns the redirect URL if it is on this site, otherwise undefined: a response must not redirect elsewhere. */
function targetOf(answer: SignedIn): string | undefined {
  if (typeof answer.redirect_url !== "string") return undefined;
  const url = new URL(answer.redirect_url, location.href);
  return url.origin === location.origin ? url.href : undefined;
}

const NO_COOKIE = "This browser did not keep Odin's cookie. Allow cookies for this site, and sign in again.";
const NO_LOCAL_COOKIE =
  "In this browser, as in Safari, Odin's cookie needs https. Open Odin with https, or use Chrome, Edge or Firefox.";

/** Returns why the browser did not keep the cookie of a session that was just opened; nothing if it did. */
async function cookieProblem(): Promise<string | undefined> {
  if (!navigator.cookieEnabled) return NO_COOKIE;
  // With https, a browser that allows cookies keeps it, so no check is needed.
  if (location.protocol === "https:") return undefined;
  const answer = await callApi("/session-time", { background: true, handles401: true });
  return !answer.ok && answer.status === 401 ? NO_LOCAL_COOKIE : undefined;
}

/** Username and password. Without scripts it is a plain form that the server answers with a redirect. */
export function SignInForm({
  failed = "",
  typed,
  username,
  passwordField,
  onTarget,
}: {
  /** Why a sign-in without scripts failed. */
  failed?: string;
  /** The username that was typed in that sign-in. */
  typed?: string;
  /** The user whose page is locked; only that user may sign in. */
  username?: string;
  /** A ref to the password field, so that the caller can focus it. */
  passwordField?: RefObject<HTMLInputElement>;
  /** Handles the path that the sign-in leads to; if it returns false, the browser navigates there. */
  onTarget?: (path: string, username: string) => boolean;
}) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState(failed);
  const ownField = useRef<HTMLInputElement>(null);
  const password = passwordField ?? ownField;

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (pending) return;
    const form = new FormData(event.currentTarget);
    setPending(true);
    setProblem("");
    const answer = await callApi<SignedIn>("/login", {
      json: Object.fromEntries(form),
      failed: MESSAGES.loginFailed,
      handles401: true,
    });
    if (!answer.ok) return fail(answer.status === 0 ? MESSAGES.loginNetwork : answer.message);
    const target = targetOf(answer.value);
    if (!target) return fail(MESSAGES.loginFailed);
    const refusal = await cookieProblem();
    if (refusal) return fail(refusal);
    const isHandled = onTarget?.(new URL(target).pathname, String(form.get("username")));
    if (!isHandled) location.assign(target);
  }

  function fail(message: string) {
    setPending(false);
    setProblem(message);
    password.current?.focus();
    password.current?.select();
  }

  return (
    <form method="post" action="/login" onSubmit={submit} className="flex flex-col gap-4">
      <ErrorBox message={problem} className="empty:-mb-4" />
      <input type="hidden" name="notice" value={USE_NOTIFICATION.version} />
      <Field label="Username">
        {(control) => (
          <Input
            {...control}
            name="username"
            defaultValue={username ?? typed}
            readOnly={username !== undefined}
            controlSize="lg"
            required
            maxLength={USERNAME_MAX}
            autoComplete="username"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
        )}
      </Field>
      <Field label="Password">
        {(control) => (
          <PasswordInput
            {...control}
            ref={password}
            name="password"
            controlSize="lg"
            required
            maxLength={1024}
            autoComplete="current-password"
          />
        )}
      </Field>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        pending={pending}
        pendingLabel="Signing in…"
        aria-describedby="acknowledgement"
      >
        Login
      </Button>
      <p id="acknowledgement" className="text-sm text-muted">
        By choosing Login you acknowledge the use notification and consent to its terms.
      </p>
    </form>
  );
}
