import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { SignInForm } from "#app/components/accounts/sign-in-form.tsx";
import { UseNotification } from "#app/components/accounts/use-notification.tsx";
import { LogoutButton } from "#app/components/shell/logout-button.tsx";
import { Mark } from "#app/components/shell/mark.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { HOME_OF } from "#app/entities/accounts/access.ts";

/** Fetched when they are needed: passkeys and password rules are a good part of what stands behind every screen. */
const SessionLockFactor = lazy(() => import("./lock-second-factor.tsx"));
const SessionLockPassword = lazy(() => import("./lock-password.tsx"));

/** What the user has to give next. */
export type LockStep = "password" | "second-factor" | "new-password";

/** Steps that have a screen of their own elsewhere: on the lock they are taken in its place. */
const STEP_AT: Record<string, LockStep> = {
  [HOME_OF["awaiting-second-factor"]]: "second-factor",
  [HOME_OF["must-change-password"]]: "new-password",
};

export type SessionLockProps = {
  /** Whose page waits behind: nobody else may have it. Undefined where nothing waits. */
  username?: string;
  step: LockStep;
  onStep: (step: LockStep) => void;
  onSignedIn: () => void;
};

/** Covers the page when its session is over; the same user signs in again and finds everything as it was. */
export function SessionLock({ username, step, onStep, onSignedIn }: SessionLockProps) {
  const password = useRef<HTMLInputElement>(null);
  const [holder, setHolder] = useState(username);
  const [changed, setChanged] = useState(false);

  function take(path: string): boolean {
    const next = STEP_AT[path];
    if (path === HOME_OF.full) onSignedIn();
    else if (next) onStep(next);
    return path === HOME_OF.full || next !== undefined;
  }

  const parts: Record<LockStep, { words: string; form: ReactNode }> = {
    password: {
      words: `${changed ? "Your password was changed. " : ""}Sign in again${holder ? ` as ${holder}` : ""} and go on where you were.`,
      form: (
        <>
          {!changed && <UseNotification />}
          <SignInForm
            failed={false}
            username={username}
            passwordField={password}
            onTarget={(path, name) => {
              setHolder(name);
              return take(path);
            }}
          />
        </>
      ),
    },
    "second-factor": {
      words: `The password${holder ? ` of ${holder}` : ""} was right. Give your second factor and go on where you were.`,
      form: <SessionLockFactor onTarget={take} />,
    },
    "new-password": {
      words: "Your password has to be changed. Choose another, sign in with it, and go on where you were.",
      form: (
        <SessionLockPassword
          username={holder}
          onChanged={() => {
            setChanged(true);
            onStep("password");
          }}
        />
      ),
    },
  };
  return (
    <Dialog
      open
      bare
      locked
      size="full"
      title="Your session has ended"
      initialFocus={password}
      className="!bg-surface"
      onClose={() => location.assign("/")}
    >
      <div className="mx-auto flex min-h-full w-full max-w-md flex-col justify-center gap-6 px-4 py-8">
        <div>
          <Mark className="h-12" />
          <p className="mt-4 text-2xl font-semibold tracking-tight">Your session has ended</p>
          <p className="mt-1 text-base text-muted" role="status">
            {parts[step].words}
          </p>
        </div>
        <Suspense fallback={<Skeleton className="h-32 w-full" />}>{parts[step].form}</Suspense>
        {step === "password" ? (
          <a href="/" className="self-start text-base text-muted underline hover:text-text">
            Sign in as somebody else
          </a>
        ) : (
          // Half a sign-in is there already, and would lead back to its second half.
          <LogoutButton className="-ms-3 self-start" />
        )}
      </div>
    </Dialog>
  );
}
