import { useMatches, useRouteError } from "@remix-run/react";

/** What a screen's `handle` says so that it is a page for everybody: no script, no navigation, no theme of a reader's. */
export type PlainPage = { plainPage: true };

/** Whether one of the handles of a page's routes says so. */
export function isPlainPage(handles: readonly unknown[]): boolean {
  return handles.some((handle) => (handle as Partial<PlainPage> | undefined)?.plainPage === true);
}

/** Whether this is such a page. What goes wrong on one is shown as anywhere else. */
export function usePlainPage(): boolean {
  const matches = useMatches();
  const error = useRouteError();
  return !error && isPlainPage(matches.map(({ handle }) => handle));
}
