import { useNavigation } from "@remix-run/react";
import { useEffect } from "react";
import { SECOND } from "#app/lib/time/dates.ts";

// If the code of the next screen is gone, as after a deployment, Remix reloads the page that is shown, and what led to the
// next screen, such as a search, would have to be done again. So the next screen is noted until it is open.

const KEY = "odin-opening";

/** A note that is older belongs to an earlier visit. */
const KEPT_MS = 30 * SECOND;

/** Notes which screen is being opened. */
export function useOpeningNote(): void {
  const { state, location } = useNavigation();
  const target = state === "loading" ? `${location.pathname}${location.search}${location.hash}` : "";
  useEffect(() => {
    try {
      if (target === "") sessionStorage.removeItem(KEY);
      else sessionStorage.setItem(KEY, JSON.stringify({ target, at: Date.now() }));
    } catch {
      // Storage may be blocked; then the page that is shown stays.
    }
  }, [target]);
}

/** Opens the screen that was being opened when the page was reloaded, if there is one. */
export function openNotedScreen(): void {
  try {
    const note: { target: string; at: number } | null = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    sessionStorage.removeItem(KEY);
    // A user who opened another page meanwhile wants that page.
    const [visit] = performance.getEntriesByType("navigation");
    if (note === null || !(visit instanceof PerformanceNavigationTiming) || visit.type !== "reload") return;
    const isShown = note.target === `${location.pathname}${location.search}${location.hash}`;
    if (!isShown && Date.now() - note.at < KEPT_MS) location.replace(location.origin + note.target);
  } catch {
    // Storage may be blocked; then there is no note.
  }
}
