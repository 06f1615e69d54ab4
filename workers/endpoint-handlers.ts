// Remix compares each request with all routes, twice, and ranks them again each time: several milliseconds of CPU with
// 270 routes, more than a camera's post takes otherwise. So a request whose route is an endpoint is answered by a handler
// that has this route only. Screens need all routes, because their pages describe them.

import { createRequestHandler, type ServerBuild } from "@remix-run/cloudflare";
import { fullPath } from "./route-patterns.ts";

type Handle = ReturnType<typeof createRequestHandler>;

/**
 * Returns a function that returns the handler of a pattern, or undefined unless exactly one endpoint has the pattern.
 */
export function endpointHandlers(build: ServerBuild): (pattern: string) => Handle | undefined {
  const { routes } = build;
  const byPattern = idsByPattern(routes);
  const parents = new Set(Object.values(routes).map((route) => route?.parentId));
  const handlers = new Map<string, Handle>();
  return (pattern) => {
    const known = handlers.get(pattern);
    if (known) return known;
    const [id, ...others] = byPattern.get(pattern) ?? [];
    if (id === undefined || others.length > 0 || parents.has(id) || routes[id]?.module.default)
      return undefined;
    const made = createRequestHandler({ ...build, routes: withParents(routes, id) }, "production");
    handlers.set(pattern, made);
    return made;
  };
}

/**
 * Returns a function that returns the methods of a screen's pattern; undefined for an endpoint, which refuses others
 * itself. Remix's refusal names the route's file, but not the allowed methods.
 */
export function screenMethods({ routes }: ServerBuild): (pattern: string) => string[] | undefined {
  const byPattern = idsByPattern(routes);
  return (pattern) => {
    const modules = (byPattern.get(pattern) ?? []).map((id) => routes[id]?.module);
    if (!modules.some((module) => module?.default)) return undefined;
    return ["GET", "HEAD", ...(modules.some((module) => module?.action) ? ["POST"] : [])];
  };
}

function idsByPattern(routes: ServerBuild["routes"]): Map<string, string[]> {
  return Map.groupBy(Object.keys(routes), (id) => fullPath(routes, id));
}

function withParents(routes: ServerBuild["routes"], id: string): ServerBuild["routes"] {
  const own: ServerBuild["routes"] = {};
  for (let route = routes[id]; route; route = routes[route.parentId ?? ""]) own[route.id] = route;
  return own;
}
