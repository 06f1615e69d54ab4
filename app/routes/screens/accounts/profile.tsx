import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { ProfileView } from "#app/components/accounts/profile-view.tsx";
import { Sheet } from "#app/components/accounts/sheet.tsx";
import { ExportList } from "#app/components/exports/list.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailure } from "#app/components/shell/load-failure.tsx";
import { changeOwnPassword } from "#app/domain/accounts/passwords.ts";
import { profileOf } from "#app/domain/accounts/profile.ts";
import { NewPasswordFields } from "#app/entities/accounts/calls.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { orNothing, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "User Profile · Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor }) => orNothing(profileOf(app, actor)));

export const action = screenAction("signed-in", {
  "new-password": screenForm(
    NewPasswordFields,
    ({ app, actor, body }) => changeOwnPassword(app, actor, { new_password: body.new_password }),
    { stepUp: true },
  ),
});

export const clientAction = screenClientAction;

export default function ProfileScreen() {
  const profile = useLoaderData<typeof loader>();
  if (!profile) return <LoadFailure message={MESSAGES.profileFailed} />;
  return (
    <>
      <ProfileView profile={profile} />
      <div className="mx-auto w-full max-w-5xl px-4 pb-8 sm:px-6">
        <Sheet title="Exports" lead="Kept for seven days, for you alone.">
          <ExportList />
        </Sheet>
      </div>
    </>
  );
}
