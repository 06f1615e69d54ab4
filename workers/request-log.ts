// One structured log line per request, instead of the platform's, which would contain the whole URL and so a webhook's
// secret. It contains the pattern of the route and nothing that the caller wrote: no secret, plate or id.

type Routes = Record<string, { path?: string; parentId?: string } | undefined>;

/** Returns the pattern of a path's route, `/groups/:id`, or `unmatched`. */
export type PatternOf = (pathname: string) => string;

/**
 * Returns a function that finds a path's pattern among a build's routes; of two that match, the one with fewer
 * parameters wins.
 */
export function routePatterns(routes: Routes): PatternOf {
  const patterns = new Set(Object.keys(routes).map((id) => fullPath(routes, id)));
  const fixed = new Set([...patterns].filter((pattern) => !/[:*]/.test(pattern)));
  const others = [...patterns]
    .filter((pattern) => !fixed.has(pattern))
    .sort((a, b) => openness(a) - openness(b))
    .map((pattern) => ({ pattern, expression: expressionOf(pattern) }));
  return (pathname) => {
    const isData = pathname.endsWith(".data");
    const bare = isData ? pathname.slice(0, -5).replace(/^\/_root$/, "/") : pathname;
    const path = bare.length > 1 ? bare.replace(/\/+$/, "") || "/" : bare;
    const pattern = fixed.has(path) ? path : others.find(({ expression }) => expression.test(path))?.pattern;
    return pattern === undefined ? "unmatched" : `${pattern}${isData ? ".data" : ""}`;
  };
}

function fullPath(routes: Routes, id: string): string {
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
  return new RegExp(`^${source}$`);
}

/** Returns the log line of a request. */
export function requestLine(input: {
  pattern: string;
  method: string;
  status: number;
  milliseconds: number;
}): string {
  return JSON.stringify({ message: "request", ...input });
}
