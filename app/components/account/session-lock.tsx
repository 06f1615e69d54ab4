import { lazy, Suspense, useRef } from "react";
import { LogoutButton } from "#app/components/shell/logout-button.tsx";
import { Mark } from "#app/components/shell/mark.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { UseNotification } from "./use-notification.tsx";

/** Fetched when it is needed: passkeys are a good part of what stands behind every screen. */
const SessionLockFactor = lazy(() => import("./session-lock-factor.tsx"));

/** What the user has to give next. */
export type LockStep = "password" | "second-factor";

/** Covers the page when its session is over; the same user signs in again and finds everything as it was. */
export function SessionLock({
  username,
  step,
  onFactorDue,
  onSignedIn,
}: {
  username: string;
  step: LockStep;
  onFactorDue: () => void;
  onSignedIn: () => void;
}) {
  const password = useRef<HTMLInputElement>(null);
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
          <p className="mt-1 text-base text-muted">
            {step === "password"
              ? `Sign in again as ${username} and go on where you were.`
              : `The password of ${username} was right. Give your second factor and go on where you were.`}
          </p>
        </div>
        {step === "password" ? (
          <>
            <UseNotification />
            <SignInForm
              failed={undefined}
              username={username}
              passwordField={password}
              onFactorDue={onFactorDue}
              onSignedIn={onSignedIn}
            />
          </>
        ) : (
          <Suspense fallback={<Skeleton className="h-32 w-full" />}>
            <SessionLockFactor onGiven={onSignedIn} />
          </Suspense>
        )}
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
