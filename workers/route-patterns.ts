// The pattern of a request's route, for its log lines. The platform's own line would contain the whole URL and so a
// webhook's secret; a pattern contains nothing that the caller wrote: no secret, plate or id.

import { withoutEnd } from "#app/lib/text.ts";

type Routes = Record<string, { path?: string; parentId?: string } | undefined>;

/** Returns the pattern of a path's route, `/groups/:id`, or `unmatched`. */
export type PatternOf = (pathname: string) => string;

/**
 * Returns a function that finds a path's pattern among a build's routes; of two that match, the one with fewer
 * parameters wins. Case is ignored, as by Remix.
 */
export function routePatterns(routes: Routes): PatternOf {
  const patterns = new Set(Object.keys(routes).map((id) => fullPath(routes, id)));
  const isFixed = (pattern: string) => !/[:*]/.test(pattern);
  const fixed = new Map([...patterns].filter(isFixed).map((pattern) => [pattern.toLowerCase(), pattern]));
  const others = [...patterns]
    .filter((pattern) => !isFixed(pattern))
    .sort((a, b) => openness(a) - openness(b))
    .map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  return (pathname) => {
    const isData = pathname.endsWith(DATA);
    const bare = isData ? pathname.slice(0, -DATA.length).replace(/^\/_root$/, "/") : pathname;
    const path = bare.length > 1 ? withoutEnd(bare, /\//) || "/" : bare;
    const pattern =
      fixed.get(path.toLowerCase()) ?? others.find(({ expression }) => expression.test(path))?.pattern;
    return pattern === undefined ? "unmatched" : `${pattern}${isData ? DATA : ""}`;
  };
}

/** The end of the address at which scripts ask for a screen's data. */
const DATA = ".data";

/** Returns the pattern of the screen whose data a pattern stands for, or of the route itself. */
export function withoutData(pattern: string): string {
  return pattern.endsWith(DATA) ? pattern.slice(0, -DATA.length) : pattern;
}

/** Returns the pattern of a route, with those of its parents. */
export function fullPath(routes: Routes, id: string): string {
  const parts: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = routes[at]?.parentId) {
    const path = routes[at]?.path;
    if (path) parts.unshift(path);
  }
  return `/${parts.join("/")}`;
}

/** A splat matches more than any number of parameters. */
const openness = (pattern: string) => pattern.split(":").length + (pattern.includes("*") ? 100 : 0);

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:\w+/g, "[^/]+")
    .replace(/\*$/, ".+");
  return new RegExp(`^${source}$`, "i");
}
