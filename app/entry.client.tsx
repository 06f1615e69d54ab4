import { RemixBrowser } from "@remix-run/react";
import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { keepPageStanding } from "#app/components/accounts/screen-data.ts";

keepPageStanding();

// Remix suspends the whole page until the page's data is decoded. A key pressed in that time makes React give up the page
// (error 345), so hydration starts once the data is there, and then runs in one step, not as a transition.
dataDecoded().then(() =>
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  ),
);

/** Before it uses any hook, RemixBrowser throws the promise of the decoding. */
async function dataDecoded(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (thrown) {
    if (thrown instanceof Promise) await thrown;
  }
}
