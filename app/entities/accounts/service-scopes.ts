/**
 * What service accounts may do. A scope has a level of the permission table and the calls that it opens. Each call is
 * also authorized by its own declared access. Calls that no scope names, all screens, and calls that need a step-up are
 * refused.
 */

import { type Access, mayUse, type Standing } from "./access.ts";

const RESULT_CALLS = [
  "GET /results/:id/summary",
  "GET /results/:id/columns",
  "GET /results/:id/sightings/:row/address",
  "GET /rekor/cropped-plate",
  "GET /proxy-rekor-image",
  "GET /proxy-axon-image",
  "GET /proxy-axon-plate-image",
  "GET /proxy-axis-image",
] as const;

const AGENCY_CALLS = [
  "GET /api-keys-data",
  "GET /axon-authorized-integrations",
  "GET /axis-authorized-agencies",
] as const;

/** Calls that every scope opens: the API's description is not secret to a program that makes some of its calls. */
export const CALLS_OF_EVERY_SCOPE: readonly string[] = ["GET /openapi.json"];

/**
 * `needs` is the level of the permission table that anyone who grants the scope must have. `alone` are calls that the
 * account makes for itself, `forPerson` those that name the person it acts for, who must have the permission too.
 */
export const SERVICE_SCOPES = [
  {
    value: "search",
    label: "Search and export",
    hint: "Search reads, open the results and images, and export them. Every call names a person.",
    needs: "signed-in",
    alone: AGENCY_CALLS,
    forPerson: [
      "POST /search-data",
      ...RESULT_CALLS,
      "POST /export-pdf",
      "POST /export-zip",
      "GET /exports/:id",
      "GET /exports/:id/file",
    ],
  },
  {
    value: "investigate",
    label: "Many places and convoys",
    hint: "Run place and convoy searches and open their results. Every call names an investigator.",
    needs: "investigator",
    alone: AGENCY_CALLS,
    forPerson: ["GET /investigation-cameras", "POST /search-places", "POST /search-convoy", ...RESULT_CALLS],
  },
  {
    value: "hits",
    label: "Read hits",
    hint: "Read alert groups and their hits with pictures.",
    needs: "hotlist-viewer",
    alone: [
      "GET /alerts-data",
      "GET /alerts/group/:id/data",
      "GET /alerts/group/:id/new",
      "GET /api/alerts/:id",
      "GET /api/alerts/:id/image/:kind",
      "GET /api/alerts/:id/address",
    ],
    forPerson: [],
  },
  {
    value: "dispositions",
    label: "Record dispositions",
    hint: "Record what a hit turned out to be. Every call names a person.",
    needs: "hotlist-viewer",
    alone: [],
    forPerson: ["POST /api/alerts/:id/disposition"],
  },
  {
    value: "hotlists",
    label: "Read hotlists",
    hint: "Read alert groups with their plates and members.",
    needs: "hotlist-admin",
    alone: ["GET /alerts-data", "GET /alerts/group/:id/details-data", "GET /groups/:id/edit-data"],
    forPerson: [],
  },
  {
    value: "hotlist-changes",
    label: "Add and change hotlist plates",
    hint: "Check, add and change plates, and view their past reads. Every call names a hotlist administrator.",
    needs: "hotlist-admin",
    alone: [],
    forPerson: [
      "POST /hotlist/check-plate",
      "POST /hotlist/past-reads",
      "POST /hotlist/add-plate-direct",
      "PATCH /groups/:id/plates/:plate",
    ],
  },
  {
    value: "audit",
    label: "Read the audit log",
    hint: "Read the audit log of the agency, for example into a log collector.",
    needs: "admin",
    alone: ["GET /admin-audit-logs-api"],
    forPerson: [],
  },
  {
    value: "health",
    label: "Read the state of the system",
    hint: "Read the health of cameras and integrations, and the quality of hits.",
    needs: "admin",
    alone: ["GET /health-data", "GET /camera-health", "GET /alerts/quality-data"],
    forPerson: [],
  },
] as const satisfies readonly {
  value: string;
  label: string;
  hint: string;
  needs: Access;
  alone: readonly string[];
  forPerson: readonly string[];
}[];

export type ServiceScope = (typeof SERVICE_SCOPES)[number]["value"];
/** The permissions that a service account can have. */
export const SERVICE_SCOPE_NAMES = SERVICE_SCOPES.map(({ value }) => value);

type ServiceCall = { needs: Access; forPerson: boolean };

/**
 * Returns the widest level that these scopes give a call, and whether it names a person; undefined if no scope opens
 * it. Adding a scope never reduces what a call returns.
 */
export function serviceCall(route: string, held: readonly string[]): ServiceCall | undefined {
  if (CALLS_OF_EVERY_SCOPE.includes(route))
    return SERVICE_SCOPES.some(({ value }) => held.includes(value))
      ? { needs: "signed-in", forPerson: false }
      : undefined;
  let widest: ServiceCall | undefined;
  for (const { value, needs, alone, forPerson } of SERVICE_SCOPES) {
    if (!held.includes(value)) continue;
    const names = (routes: readonly string[]) => routes.includes(route);
    if (!names(alone) && !names(forPerson)) continue;
    const isWider = widest === undefined || mayUse(widest.needs, standingOf(needs));
    if (isWider) widest = { needs, forPerson: names(forPerson) };
  }
  return widest;
}

/** Returns the rights of a service account that calls for itself: exactly those of one level, never the owner's. */
export function standingOf(level: Access): Standing {
  return {
    role: level === "admin" ? "admin" : "user",
    hotlistAdmin: level === "hotlist-admin",
    hotlistViewer: level === "hotlist-viewer",
    investigator: level === "investigator",
    isOwner: false,
  };
}

/** Returns the scopes that a user may grant. */
export function grantableScopes(standing: Standing): ServiceScope[] {
  return SERVICE_SCOPES.filter(({ needs }) => mayUse(needs, standing)).map(({ value }) => value);
}
