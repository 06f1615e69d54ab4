import { Suspense } from "react";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import { settleStepUp, useStepUpIsOpen } from "./step-up.ts";

/** Lazy-loaded, to keep the first load small. */
const StepUpForm = lazyPart(async () => (await import("./step-up-form.tsx")).default);

/** Asks for the password or a second factor again before a privileged action (CJIS IA-11). The layout renders one. */
export function StepUpDialog() {
  const open = useStepUpIsOpen();
  return (
    <Dialog
      open={open}
      onClose={() => settleStepUp(false)}
      size="sm"
      title="Confirm your identity"
      description="This action requires a sign-in within the last ten minutes."
    >
      <Suspense fallback={<Skeleton className="h-24 w-full" />}>
        <StepUpForm />
      </Suspense>
    </Dialog>
  );
}
