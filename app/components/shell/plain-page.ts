import { useMatches, useRouteError } from "@remix-run/react";

/** The `handle` of a public page without scripts, navigation or a user's theme. */
export type PlainPage = { plainPage: true };

/** Returns whether one of the handles of a page's routes declares a plain page. */
export function isPlainPage(handles: readonly unknown[]): boolean {
  return handles.some(
    (handle) => handle instanceof Object && "plainPage" in handle && handle.plainPage === true,
  );
}

/** Returns whether the current page is a plain page. Its errors are shown on the normal error screen. */
export function usePlainPage(): boolean {
  const matches = useMatches();
  const error = useRouteError();
  return !error && isPlainPage(matches.map(({ handle }) => handle));
}
