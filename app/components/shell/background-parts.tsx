import { lazy, Suspense, useEffect, useState } from "react";

const StepUp = lazy(async () => {
  const { StepUpDialog } = await import("#app/components/account/step-up-dialog.tsx");
  return { default: StepUpDialog };
});

const Exports = lazy(async () => {
  const { ExportWatch } = await import("#app/components/exports/export-watch.tsx");
  return { default: ExportWatch };
});

const Session = lazy(async () => {
  const { SessionWatch } = await import("#app/components/account/session-watch.tsx");
  return { default: SessionWatch };
});

const Focus = lazy(async () => {
  const { FocusKeeper } = await import("./focus-keeper.tsx");
  return { default: FocusKeeper };
});

/** What waits unseen behind every screen: fetched when the screen itself stands, so that no first load pays for it. */
export function BackgroundParts() {
  const [stands, setStands] = useState(false);
  useEffect(() => setStands(true), []);
  if (!stands) return null;
  return (
    <Suspense>
      <StepUp />
      <Session />
      <Exports />
      <Focus />
    </Suspense>
  );
}
