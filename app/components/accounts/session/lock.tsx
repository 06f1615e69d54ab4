import { useRouteLoaderData } from "@remix-run/react";
import { type ReactNode, Suspense, useRef, useState } from "react";
import { SignInForm } from "#app/components/accounts/sign-in-form.tsx";
import { UseNotification } from "#app/components/accounts/use-notification.tsx";
import { LogoutButton } from "#app/components/shell/logout-button.tsx";
import { Mark } from "#app/components/shell/mark.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { HOME_OF } from "#app/entities/accounts/access.ts";

/** Lazy-loaded: passkeys and password rules are large, and most sessions never lock. */
const SessionLockFactor = lazyPart(async () => (await import("./lock-second-factor.tsx")).default);
const SessionLockPassword = lazyPart(async () => (await import("./lock-password.tsx")).default);

/** What the user has to enter next. */
export type LockStep = "password" | "second-factor" | "new-password";

/** Steps that have their own screen at sign-in. The lock shows them itself. */
const STEP_AT: Record<string, LockStep> = {
  [HOME_OF["awaiting-second-factor"]]: "second-factor",
  [HOME_OF["must-change-password"]]: "new-password",
};

const LINK = "self-start text-base text-muted underline hover:text-text";

export type SessionLockProps = {
  /** The user whose page is locked; only that user may unlock it. Undefined if no page is behind the lock. */
  username?: string;
  step: LockStep;
  onStep: (step: LockStep) => void;
  onSignedIn: () => void;
};

/** Covers the page when the session has ended. The same user signs in again and finds the page unchanged. */
export function SessionLock({ username, step, onStep, onSignedIn }: SessionLockProps) {
  const root = useRouteLoaderData<{ signedOn: boolean }>("root");
  const password = useRef<HTMLInputElement>(null);
  const [holder, setHolder] = useState(username);
  const [changed, setChanged] = useState(false);

  function handleTarget(path: string): boolean {
    if (path === HOME_OF["must-enrol-second-factor"]) return false;
    const next = STEP_AT[path];
    if (next) onStep(next);
    else onSignedIn();
    return true;
  }

  const parts: Record<LockStep, { message: string; form: ReactNode }> = {
    password: {
      message: `${changed ? "Your password was changed. " : ""}Sign in again${holder ? ` as ${holder}` : ""} to continue where you left off.`,
      form: (
        <>
          {!changed && <UseNotification />}
          <SignInForm
            username={username}
            passwordField={password}
            onTarget={(path, name) => {
              setHolder(name);
              return handleTarget(path);
            }}
          />
        </>
      ),
    },
    "second-factor": {
      message: `The password${holder ? ` of ${holder}` : ""} is correct. Enter your second factor to continue where you left off.`,
      form: <SessionLockFactor onTarget={handleTarget} />,
    },
    "new-password": {
      message:
        "Your password must be changed. Choose a new one, then sign in with it to continue where you left off.",
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
      hidesPage
      size="full"
      title="Your session has ended"
      initialFocus={password}
      className="!bg-surface"
    >
      <div className="mx-auto flex min-h-full w-full max-w-md flex-col justify-center gap-6 px-4 py-8">
        <div>
          <Mark className="h-12" />
          <p className="mt-4 text-2xl font-semibold tracking-tight">Your session has ended</p>
          <p className="mt-1 text-base text-muted" role="status">
            {parts[step].message}
          </p>
        </div>
        <Suspense fallback={<Skeleton className="h-32 w-full" />}>{parts[step].form}</Suspense>
        {step === "password" ? (
          <>
            {root?.signedOn && (
              // The page unlocks when the user comes back to this window.
              <a href="/?again=1" target="_blank" rel="noopener" className={LINK}>
                Sign in with single sign-on in another window
              </a>
            )}
            <a href="/" className={LINK}>
              Sign in as someone else
            </a>
          </>
        ) : (
          // The first step of the sign-in is done, and a link to the start would lead back to the second step.
          <LogoutButton className="-ms-3 self-start" />
        )}
      </div>
    </Dialog>
  );
}
