import { Mark } from "#app/components/shell/mark.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { UseNotification } from "./use-notification.tsx";

/** The sign-in sheet: what this is and how it may be used at the left, the form at the right. */
export function SignIn({ failed }: { failed: boolean }) {
  return (
    <div className="m-auto grid w-full max-w-4xl overflow-hidden md:grid-cols-[1.1fr_1fr] md:rounded-md md:border md:border-line md:bg-raised md:shadow-lg">
      <div className="flex flex-col gap-6 p-6 md:border-e md:border-line md:bg-sunken md:p-10">
        <div>
          <Mark className="h-12 md:h-16" />
          <h1 className="mt-5 text-2xl font-semibold tracking-tight">Odin</h1>
          <p className="mt-1 text-lg text-muted">
            One search over the plate reads of Rekor, Axon and Axis, for authorized law enforcement.
          </p>
        </div>
        <div className="mt-auto">
          <UseNotification />
        </div>
      </div>
      <div className="p-6 max-md:pt-0 md:p-10">
        <h2 className="mb-4 text-xl font-semibold">Sign in</h2>
        <SignInForm failed={failed} />
      </div>
    </div>
  );
}
