import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { NewPasswordForm } from "#app/components/accounts/new-password-form.tsx";
import { SecondFactorPanel } from "#app/components/accounts/second-factor-panel.tsx";
import { Sheet } from "#app/components/accounts/sheet.tsx";
import { PushDevices } from "#app/components/alerts/push/devices.tsx";
import { callApi } from "#app/components/forms/api.ts";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { type RendererChoice, rendererChoice } from "#app/components/map/renderer.ts";
import { LoadFailure } from "#app/components/shell/load-failures.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { ConfirmDialog, useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { useHydrating } from "#app/components/ui/hydration.ts";
import { SingleKeysChoice } from "#app/components/ui/keys/single-keys-choice.tsx";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PageTitle } from "#app/components/ui/page.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { changeOwnPassword } from "#app/domain/accounts/passwords.ts";
import { profileOf } from "#app/domain/accounts/profile.ts";
import { ROLE_NAMES } from "#app/entities/accounts/access.ts";
import type { ProfileData, SessionSummary } from "#app/entities/accounts/actor.ts";
import { NewPasswordFields } from "#app/entities/accounts/calls.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { orNull, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { counted } from "#app/lib/number-text.ts";

const ExportList = lazyPart(async () => (await import("#app/components/exports/list.tsx")).ExportList);

export const meta: MetaFunction = () => [{ title: "User Profile · Odin" }];

/** A program that signs in for each of its calls has thousands of sessions. */
const SHOWN_SESSIONS = 50;

export const loader = screenLoader("signed-in", ({ app, actor }) =>
  orNull(
    profileOf(app, actor).then(({ sessions, ...profile }) => {
      const currentFirst = sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
      return {
        ...profile,
        sessions: currentFirst.slice(0, SHOWN_SESSIONS),
        moreSessions: Math.max(0, sessions.length - SHOWN_SESSIONS),
      };
    }),
  ),
);

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
        <Sheet title="Exports" lead="Kept for seven days. Only you can see them." needsScripts>
          <LazySlot fallback={<Skeleton className="h-16 w-full" />}>
            <ExportList />
          </LazySlot>
        </Sheet>
      </div>
    </>
  );
}

function ProfileView({ profile }: { profile: ProfileData & { moreSessions: number } }) {
  const [asking, setAsking] = useState<(confirmed: boolean) => void>();
  const answer = (confirmed: boolean) => {
    asking?.(confirmed);
    setAsking(undefined);
  };
  const facts: [string, string][] = [
    ["Username", profile.username],
    ["Name", profile.name],
    ["Email", profile.email],
    ["Role", ROLE_NAMES[profile.role]],
    ["Department", profile.department],
  ];
  return (
    <div className="mx-auto grid w-full max-w-5xl items-start gap-4 px-4 py-5 sm:px-6 lg:grid-cols-2">
      <PageTitle className="lg:col-span-2">User Profile</PageTitle>
      <div className="grid min-w-0 gap-4">
        <Sheet title="Account">
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
            {facts.map(([term, value]) => (
              <div key={term} className="contents">
                <dt className="text-muted">{term}</dt>
                <dd className="min-w-0 font-medium">{value}</dd>
              </div>
            ))}
          </dl>
        </Sheet>
        <SecondFactorPanel factors={profile.second_factor} />
        <SessionList sessions={profile.sessions} more={profile.moreSessions} />
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
                  , expires <LocalTime at={profile.password_expires_at} />
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
        <Sheet title="Keyboard" lead="Saved in this browser." needsScripts>
          <SingleKeysChoice />
        </Sheet>
        <Sheet title="Map" lead="Saved in this browser." needsScripts>
          <RendererSetting />
        </Sheet>
        <Sheet title="API" lead="The calls that programs and phones can make.">
          <Link to="/docs/api" className={`${buttonClass()} self-start`}>
            API documentation
          </Link>
        </Sheet>
      </div>
      <ConfirmDialog
        open={asking !== undefined}
        onClose={() => answer(false)}
        title="Reset your password?"
        confirmLabel="Reset Password"
        onConfirm={() => answer(true)}
      >
        The new password takes effect immediately, and your other sessions end.
      </ConfirmDialog>
    </div>
  );
}

type SessionListProps = {
  sessions: readonly SessionSummary[];
  /** The number of sessions that are not shown. */
  more: number;
};

/** The user's sessions, each with a button that ends it. */
function SessionList({ sessions, more }: SessionListProps) {
  const { mutate } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();

  const end = (id: string) =>
    mutate(
      callApi(`/user/sessions/${encodeURIComponent(id)}`, {
        method: "DELETE",
        failed: "The session could not be ended.",
      }),
      { done: "Session ended" },
    );

  const endAll = () =>
    ask({
      title: "Sign out everywhere?",
      body: "All of your sessions end immediately, including this one.",
      confirm: "Sign out everywhere",
      pending: "Signing out…",
      danger: true,
      run: async () => {
        const answer = await callApi("/user/sign-out-everywhere", {
          method: "POST",
          failed: "The sessions could not be ended.",
        });
        if (answer.ok) location.assign("/");
        else notify.error(answer.message);
        return answer.ok;
      },
    });

  return (
    <Sheet
      title="Sessions"
      lead="Where you are signed in."
      aside={
        <Button icon={<LogOut />} className="noscript:hidden" onClick={endAll}>
          Sign out everywhere
        </Button>
      }
    >
      <ul className="-my-2 flex flex-col divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <span className="min-w-0 flex-1 basis-56">
              <span className="flex items-center gap-2 font-medium">
                {session.client}
                {session.current && <Badge tone="ok">This session</Badge>}
              </span>
              <span className="block text-xs text-muted">
                {session.ip} · since <LocalTime at={session.created_at} /> · last used{" "}
                <LocalTime at={session.last_seen_at} />
              </span>
            </span>
            {!session.current && (
              <Button size="sm" className="noscript:hidden" onClick={() => end(session.id)}>
                End
                <span className="sr-only"> the session of {session.client}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="mt-3 text-sm text-muted">
          {counted(more, "more session")}, used less recently. Sign out everywhere ends all of them.
        </p>
      )}
      {dialog}
    </Sheet>
  );
}

const RENDERERS = [
  { value: "automatic", label: "Automatic" },
  { value: "gpu", label: "Graphics card" },
  { value: "canvas", label: "2D canvas" },
] as const satisfies readonly { value: RendererChoice; label: string }[];

/** Chooses how this browser draws maps. Hidden until the browser's choice is known. */
function RendererSetting() {
  const choice = rendererChoice.use();
  const hydrating = useHydrating();
  return (
    <div className={hydrating ? "invisible" : undefined}>
      <Segmented label="Map renderer" options={RENDERERS} value={choice} onSelect={rendererChoice.set} />
      <p className="mt-2 text-sm text-muted">
        Automatic uses the graphics card if the computer has one. Choose 2D canvas if maps stay blank or
        flicker.
      </p>
    </div>
  );
}
