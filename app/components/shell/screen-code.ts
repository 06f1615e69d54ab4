import { matchRoutes } from "@remix-run/react";

// Remix reloads the page if it cannot load the code of another screen, even one that it only prefetches. Without a
// network the browser then shows an error page, and unsaved input is lost. So Odin fetches the files first, which puts
// them into the browser's cache, and asks Remix once they have arrived. Code that is gone after a deployment is left to
// Remix.

/** After a deployment: only a page that is loaded again knows the new files. */
const GONE = 404;

/** Fetches the code of a route, unless it is loaded. Rejects if Odin does not answer. */
export async function fetchCode(route: string): Promise<void> {
  const { module, imports = [] } = window.__remixManifest.routes[route] ?? {};
  if (!module || route in window.__remixRouteModules) return;
  await Promise.all([module, ...imports].map(fetchFile));
}

async function fetchFile(file: string): Promise<void> {
  const answer = await fetch(file);
  const isCode = answer.ok && answer.headers.get("content-type")?.includes("javascript");
  // A gateway that cannot reach Odin, or a network that asks to sign in first.
  if (!isCode && answer.status !== GONE) throw new TypeError();
  await answer.arrayBuffer();
}

/** Fetches the code of the screen at a path as above. */
export async function fetchScreenCode(path: string): Promise<void> {
  const matches = matchRoutes(window.__remixRouter.routes, path) ?? [];
  await Promise.all(matches.map(({ route }) => fetchCode(route.id ?? "")));
}
