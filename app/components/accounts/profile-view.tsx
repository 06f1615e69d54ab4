import { useState } from "react";
import { PushDevices } from "#app/components/alerts/push/devices.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { SingleKeysChoice } from "#app/components/ui/keys/single-keys-choice.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { ProfileData } from "#app/entities/accounts/actor.ts";
import { NewPasswordForm } from "./new-password-form.tsx";
import { SecondFactorPanel } from "./second-factor-panel.tsx";
import { SessionList } from "./session-list.tsx";
import { Sheet } from "./sheet.tsx";

export function ProfileView({ profile }: { profile: ProfileData }) {
  const [asking, setAsking] = useState<(confirmed: boolean) => void>();
  const answer = (confirmed: boolean) => {
    asking?.(confirmed);
    setAsking(undefined);
  };
  const facts: [string, string][] = [
    ["Username", profile.username],
    ["Name", profile.name],
    ["Email", profile.email],
    ["Role", profile.role],
    ["Department", profile.department],
  ];
  return (
    <div className="mx-auto grid w-full max-w-5xl items-start gap-4 px-4 py-5 sm:px-6 lg:grid-cols-2">
      <h1 className="text-xl font-semibold tracking-tight lg:col-span-2">User Profile</h1>
      <div className="grid min-w-0 gap-4">
        <Sheet title="Account">
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
            {facts.map(([term, value]) => (
              <div key={term} className="contents">
                <dt className="text-muted">{term}</dt>
                <dd className="min-w-0 font-medium break-words">{value}</dd>
              </div>
            ))}
          </dl>
        </Sheet>
        <SecondFactorPanel factors={profile.second_factor} />
        <SessionList sessions={profile.sessions} />
        <PushDevices />
      </div>
      <div className="grid min-w-0 gap-4">
        <Sheet
          title="Reset Password"
          lead={
            <>
              Last changed{" "}
              {profile.password_changed_at === null ? (
                "never"
              ) : (
                <LocalTime at={profile.password_changed_at} />
              )}
              {profile.password_expires_at !== null && (
                <>
                  , to be changed by <LocalTime at={profile.password_expires_at} />
                </>
              )}
              .
            </>
          }
        >
          <NewPasswordForm
            username={profile.username}
            label="Reset Password"
            confirm={() => new Promise((resolve) => setAsking(() => resolve))}
            onChanged={(message) => notify.success(message)}
          />
        </Sheet>
        <Sheet title="Keyboard" lead="Kept in this browser.">
          <SingleKeysChoice />
        </Sheet>
      </div>
      <ConfirmDialog
        open={asking !== undefined}
        onClose={() => answer(false)}
        title="Reset your password?"
        confirmLabel="Reset Password"
        onConfirm={() => answer(true)}
      >
        The new password counts at once, and your other sessions end.
      </ConfirmDialog>
    </div>
  );
}
