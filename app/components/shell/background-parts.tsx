import { lazy, Suspense, useEffect, useState } from "react";
import { FocusKeeper } from "./focus-keeper.tsx";

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

/**
 * What waits unseen behind every screen: fetched when the screen itself stands, so that no first load pays for it, but
 * for what has to have seen each move of the focus.
 */
export function BackgroundParts() {
  const [stands, setStands] = useState(false);
  useEffect(() => setStands(true), []);
  return (
    <>
      <FocusKeeper />
      {stands && (
        <Suspense>
          <StepUp />
          <Session />
          <Exports />
        </Suspense>
      )}
    </>
  );
}
