import { RemixBrowser } from "@remix-run/react";
import { type ReactNode, StrictMode, startTransition, useEffect } from "react";
import { hydrateRoot } from "react-dom/client";
import { keepPageStanding } from "#app/components/account/screen-data.ts";
import { retellTyped } from "#app/components/shell/typed-before.ts";

/** One child, as on the server, or the ids in the page would differ. */
function Taken({ children }: { children: ReactNode }) {
  useEffect(() => void retellTyped(), []);
  return children;
}

keepPageStanding();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <Taken>
        <RemixBrowser />
      </Taken>
    </StrictMode>,
  );
});
