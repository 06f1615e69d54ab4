// Every address that answers to GET: the endpoints as their tables declare them, and the screens as they are built.

// @ts-expect-error: made by the build
import { routes as builtRoutes } from "../../../../build/server/index.js";
import type { ThingKind } from "./world.ts";

export type Route = { pattern: string; isScreen: boolean; kinds: ThingKind[] | undefined };

/** The things that the id in an address names. A new address with an id is tried with all of them. */
const KINDS: [RegExp, ThingKind[]][] = [
  [/^\/(groups|alerts\/group)\/:id/, ["group"]],
  [/^\/(api\/alerts|alert-history-detail)\/:id/, ["hit"]],
  [/^\/(results|investigate)\/:id/, ["result"]],
  [/^\/exports\/:id/, ["export"]],
  [/^\/(integrations\/outgoing|outgoing-webhooks)\/:id/, ["outgoing"]],
  [/^\/integrations\/service-accounts\/:id/, ["service"]],
  [/^\/admin\/sessions\/:id/, ["user"]],
  [/^\/owner\/policy\/:id/, ["agency"]],
  [/^\/review\/:id/, ["finding"]],
  [/^\/get-hotlist-attachment-url\/:file/, ["attachment"]],
  [/^\/(results|search|searches|investigate)$/, ["result"]],
  [/^\/(rekor\/cropped-plate|proxy-)/, ["image"]],
  [/^\/(admin-audit-logs-api|audit-log)$/, ["agency"]],
];

/** Other tests are about these: signing in, provisioning, restoring, and what has nothing of an agency. */
const ELSEWHERE = /^\/(sso|scim|restore|map\/tiles|docs\/api\/:|figures|backups\/:|\*|logout|login|:)/;

function builtPaths(): string[] {
  type Built = { id: string; path?: string; index?: boolean };
  return Object.values(builtRoutes as Record<string, Built>)
    .filter((route) => (route.path !== undefined || route.index) && route.id !== "root")
    .map((route) => `/${route.path ?? ""}`);
}

/** Returns METHOD and pattern of every endpoint, as written. */
function declaredEndpoints(): string[] {
  const files = import.meta.glob<string>("/app/routes/endpoints/**/*.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  return Object.values(files).flatMap((text) =>
    [...text.matchAll(/endpoint\(\s*"([A-Z]+ [^"]+)"/g)].map(([, route = ""]) => route),
  );
}

function allRoutes(): Route[] {
  const declared = declaredEndpoints();
  const patterns = new Set(declared.map((route) => route.split(" ")[1] ?? ""));
  const gets = declared.flatMap((route) => (route.startsWith("GET ") ? [route.slice(4)] : []));
  const screens = builtPaths().filter((path) => !patterns.has(path));
  return [
    ...gets.map((pattern) => ({ pattern, isScreen: false })),
    ...screens.map((pattern) => ({ pattern, isScreen: true })),
  ]
    .filter(({ pattern }) => !ELSEWHERE.test(pattern))
    .map((route) => ({ ...route, kinds: KINDS.find(([of]) => of.test(route.pattern))?.[1] }));
}

export const ROUTES = allRoutes();
