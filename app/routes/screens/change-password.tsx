import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { NewPasswordForm } from "#app/components/account/new-password-form.tsx";
import { LonelySheet } from "#app/components/account/sheet.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Change your password · Odin" }];

export const loader = screenLoader("signed-in", ({ actor }) => ({ username: actor.username }), {
  during: ["must-change-password"],
});

export default function ChangePasswordScreen() {
  const { username } = useLoaderData<typeof loader>();
  const [done, setDone] = useState("");
  return (
    <LonelySheet title="Change your password" lead={done ? "" : MESSAGES.passwordForced}>
      {done ? (
        <div role="status" className="flex flex-col items-start gap-4">
          <p className="text-lg font-medium">{done}</p>
          <a href="/" className={buttonClass("primary", "lg")}>
            Log in
          </a>
        </div>
      ) : (
        <NewPasswordForm
          username={username}
          path="/reset-password"
          label="Change password"
          onChanged={setDone}
        />
      )}
    </LonelySheet>
  );
}
