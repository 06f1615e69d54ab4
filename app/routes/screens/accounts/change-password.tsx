import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { NewPasswordForm } from "#app/components/accounts/new-password-form.tsx";
import { SingleSheet } from "#app/components/accounts/sheet.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { replacePassword } from "#app/domain/accounts/passwords.ts";
import { NewPasswordFields } from "#app/entities/accounts/calls.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Change your password · Odin" }];

export const loader = screenLoader("signed-in", ({ actor }) => ({ username: actor.username }), {
  during: ["must-change-password"],
});

export const action = screenAction(
  "signed-in",
  {
    "new-password": screenForm(
      NewPasswordFields,
      ({ app, actor, body }) => replacePassword(app, actor, { new_password: body.new_password }),
      { next: "/", endsSession: true },
    ),
  },
  { during: ["must-change-password"] },
);

export const clientAction = screenClientAction;

/** The session ends with the password change: revalidating would redirect before the user sees the message. */
export const shouldRevalidate = () => false;

export default function ChangePasswordScreen() {
  const { username } = useLoaderData<typeof loader>();
  const [done, setDone] = useState("");
  return (
    <SingleSheet title="Change your password" lead={done ? "" : MESSAGES.passwordForced}>
      {/* In the page before its message, so that screen readers announce it. */}
      <p role="status" className="mb-4 text-lg font-medium empty:sr-only">
        {done}
      </p>
      {done ? (
        <a href="/" className={buttonClass("primary", "lg")}>
          Log in
        </a>
      ) : (
        <NewPasswordForm username={username} label="Change password" onChanged={setDone} />
      )}
    </SingleSheet>
  );
}
