import { matchRoutes, useNavigation } from "@remix-run/react";
import { useEffect } from "react";
import { BUILD_HEADER } from "#app/entities/operations/build-header.ts";
import { SECOND } from "#app/lib/time/dates.ts";

// If the code of the next screen is gone, for example after a deployment, Remix reloads the current page, and the user
// would have to repeat the action that led to the next screen, such as a search. So the next screen is noted until it
// is open. If its route is gone, its data is missing, and the screen is loaded as a page.

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

/** Remix's status of an answer that names another address. */
const REDIRECT = 202;
let isOutdated = false;

/**
 * Opens a screen as a page if its data came from another build, in which its routes have other names or are gone.
 * Returns whether it opened it. Other loads, such as those after a form was sent, keep the page that is shown.
 */
export async function opensAsPage({ pathname, searchParams }: URL, answer: Response): Promise<boolean> {
  const { routes: tree, state } = window.__remixRouter;
  const target = state.navigation.location;
  if (!noteBuild(answer) || answer.status === REDIRECT || target === undefined) return false;
  if (pathname !== `${target.pathname === "/" ? "/_root" : target.pathname.replace(/\/$/, "")}.data`)
    return false;
  const { routes } = window.__remixManifest;
  const matches = matchRoutes(tree, target) ?? [];
  const ids = searchParams.get("_routes")?.split(",") ?? matches.map(({ route }) => route.id ?? "");
  const text = await answer.clone().text();
  if (ids.every((id) => !routes[id]?.hasLoader || text.includes(JSON.stringify(id)))) return false;
  location.assign(location.origin + target.pathname + target.search + target.hash);
  return true;
}

/** Returns whether data came from another build than this page. */
export function noteBuild({ headers }: Response): boolean {
  const build = headers.get(BUILD_HEADER);
  const isOther = build !== null && build !== window.__remixManifest.version;
  isOutdated ||= isOther;
  return isOther;
}

/**
 * Loads a screen that failed as a page if data came from another build. Returns whether it loads it. The form is not
 * sent again: the page is requested with GET.
 */
export function useFreshPage(hasFailed: boolean): boolean {
  const isFresh = hasFailed && isOutdated;
  useEffect(() => {
    // With the fragment, the browser would not load the page.
    if (isFresh) location.replace(location.pathname + location.search);
  }, [isFresh]);
  return isFresh;
}

/** Opens the screen that was being opened when the page was reloaded, if there is one. */
export function openNotedScreen(): void {
  try {
    const note: { target: string; at: number } | null = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    sessionStorage.removeItem(KEY);
    // A user who opened another page meanwhile wants to stay there.
    const [visit] = performance.getEntriesByType("navigation");
    if (note === null || !(visit instanceof PerformanceNavigationTiming) || visit.type !== "reload") return;
    const isShown = note.target === `${location.pathname}${location.search}${location.hash}`;
    if (!isShown && Date.now() - note.at < KEPT_MS) location.replace(location.origin + note.target);
  } catch {
    // Storage may be blocked; then there is no note.
  }
}
