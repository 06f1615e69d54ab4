import { matchRoutes } from "@remix-run/react";

// Remix reloads the page if it cannot load the code of another screen, also of one that it only prefetches. Without a
// network the browser then shows an error page, and unsaved input is lost. So Odin fetches the files first, which puts them
// into the browser's cache, and asks Remix once they have arrived. Code that is gone after a deployment is left to Remix.

/** Fetches the code of a route, unless it is loaded. Rejects if the server does not answer. */
export async function fetchCode(route: string): Promise<void> {
  const { module, imports = [] } = window.__remixManifest.routes[route] ?? {};
  if (!module || route in window.__remixRouteModules) return;
  await Promise.all([module, ...imports].map(async (file) => (await fetch(file)).arrayBuffer()));
}

/** Fetches the code of the screen at a path as above. */
export async function fetchScreenCode(path: string): Promise<void> {
  const matches = matchRoutes(window.__remixRouter.routes, path) ?? [];
  await Promise.all(matches.map(({ route }) => fetchCode(route.id ?? "")));
}
