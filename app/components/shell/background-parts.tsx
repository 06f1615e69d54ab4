import { lazy } from "react";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { FocusKeeper } from "./focus-keeper.tsx";
import { useStanding } from "./use-standing.ts";

const StepUp = lazy(async () => {
  const { StepUpDialog } = await import("#app/components/accounts/step-up-dialog.tsx");
  return { default: StepUpDialog };
});

const Exports = lazy(async () => {
  const { ExportWatch } = await import("#app/components/exports/watch.tsx");
  return { default: ExportWatch };
});

const Session = lazy(async () => {
  const { SessionWatch } = await import("#app/components/accounts/session/watch.tsx");
  return { default: SessionWatch };
});

const Strip = lazy(async () => ({ default: (await import("./late-strip.tsx")).LateStrip }));

/** The parts behind every screen that the user does not see at first. FocusKeeper has to see every move of the focus. */
export function BackgroundParts() {
  return (
    <>
      <FocusKeeper />
      <LazySlot>
        <StepUp />
        <Session />
        <Exports />
      </LazySlot>
    </>
  );
}

/** The strip of late jobs, for administrators. */
export function LateJobs() {
  if (!mayUse("admin", useStanding())) return null;
  return (
    <LazySlot>
      <Strip />
    </LazySlot>
  );
}
