import { lazy, Suspense } from "react";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { settleStepUp, useStepUpIsOpen } from "./step-up.ts";

/** Fetched when it is first needed: the screens that everybody opens first must not carry it. */
const StepUpForm = lazy(() => import("./step-up-form.tsx"));

/** Asks for the password or a second factor again before a privileged function (CJIS IA-11). One stands in every layout. */
export function StepUpDialog() {
  const open = useStepUpIsOpen();
  return (
    <Dialog
      open={open}
      onClose={() => settleStepUp(false)}
      size="sm"
      title="Confirm that it is you"
      description="This needs a sign-in that is not older than ten minutes."
    >
      <Suspense fallback={<Skeleton className="h-24 w-full" />}>
        <StepUpForm />
      </Suspense>
    </Dialog>
  );
}
