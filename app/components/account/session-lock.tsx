import { useRef } from "react";
import { Mark } from "#app/components/shell/mark.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { UseNotification } from "./use-notification.tsx";

/** Covers the page when its session is over; the same user signs in again and finds everything as it was. */
export function SessionLock({ username, onSignedIn }: { username: string; onSignedIn: () => void }) {
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
          <p className="mt-1 text-base text-muted">Sign in again as {username} and go on where you were.</p>
        </div>
        <UseNotification />
        <SignInForm failed={undefined} username={username} passwordField={password} onSignedIn={onSignedIn} />
        <a href="/" className="self-start text-base text-muted underline hover:text-text">
          Sign in as somebody else
        </a>
      </div>
    </Dialog>
  );
}
