import { beforeAll, describe, expect, it } from "vitest";
import type { SessionAccess } from "#app/entities/accounts/access.ts";
import { guard } from "#app/http/access.ts";
import { findActor } from "#app/http/session.ts";
// @ts-expect-error: made by the build
import { routes as builtRoutes } from "../../build/server/index.js";
import {
  anonymous,
  auditOf,
  type Client,
  client,
  clientWith,
  jsonInit,
  newUser,
  newWorld,
  ORIGIN,
  pushRead,
  search,
  searchBody,
  send,
  testApp,
  textWithoutId,
  type World,
} from "../factories.ts";
import { newToken } from "../support/users/scim.ts";

/**
 * All callers. `provider` has no session, but the SCIM token of the officer's agency. `sameTenant` and `stranger` are
 * officers of the same agency and of another one.
 */
const ROLES = [
  "anonymous",
  "provider",
  "officer",
  "sameTenant",
  "viewer",
  "hotadmin",
  "admin",
  "owner",
  "stranger",
  "strangeAdmin",
] as const;
type RoleName = (typeof ROLES)[number];

/** Values from the officer's search, for the rows about their own results. */
type Things = { resultId: string; image: (program: string) => string; cameraSecret: string };

type Row = {
  /** METHOD and pattern as in the endpoint tables; screens are GET. */
  route: string;
  /** The URL to request; by default the pattern itself. */
  address?: (things: Things) => string;
  init?: RequestInit;
  /** The expected status for each role; `others` for all other roles, but that of `anonymous` for `provider`. */
  answers: Partial<Record<RoleName, number>> & { others: number };
};

const expectedOf = ({ answers }: Pick<Row, "answers">, role: RoleName): number =>
  answers[role] ?? (role === "provider" ? answers.anonymous : undefined) ?? answers.others;

const signedIn = (status = 200) => ({ anonymous: 401, others: status });
const screen = { anonymous: 302, others: 200 };
/** Only for the user who searched; others get 404. */
const searcherOnly = { anonymous: 401, officer: 200, others: 404 };
const image = (program: string, path: string) => ({
  route: `GET ${path.split("?")[0]}`,
  address: (things: Things) => `${path}${things.image(program)}`,
  answers: searcherOnly,
});
const toAdmins = (status: number) => ({
  anonymous: 401,
  admin: status,
  owner: status,
  strangeAdmin: status,
  others: 403,
});
const toViewers = (status: number) => ({ ...toHotlistAdmins(status), viewer: status });
const toHotlistAdmins = (status: number) => ({ ...toAdmins(status), hotadmin: status });
const toOwner = (status: number) => ({ anonymous: 401, owner: status, others: 403 });
const post = (body?: object): RequestInit => (body ? jsonInit(body) : { method: "POST" });
const elsewhere = { others: 302 };
/** Calls that end the caller's session. */
const ENDING = ["POST /logout", "POST /user/sign-out-everywhere"];
const heartbeat = jsonInit({ system: {}, identify: {}, ALPV: { device_ID: "1", numberOfReads: 3 } });

/**
 * Who gets which status, route by route (specification section 6). A new route needs its rows here: the tests below
 * compare this list with the built routes and the methods of the endpoint tables.
 */
const TABLE: Row[] = [
  // Signed-in users are redirected from the sign-in screen.
  { route: "GET /", answers: { anonymous: 200, others: 302 } },
  { route: "GET /use-notification", answers: { others: 200 } },
  // Users who have acknowledged it are redirected.
  { route: "GET /use-notice", answers: elsewhere },
  { route: "POST /login", init: jsonInit({}), answers: { others: 401 } },
  { route: "POST /dev-login", init: jsonInit({}), answers: { others: 404 } },
  { route: "POST /dev-login", address: () => "http://localhost/dev-login", answers: { others: 415 } },
  { route: "POST /logout", answers: { others: 200 } },
  // Single sign-on. Without a provider, the answer leads back to the sign-in page.
  {
    route: "POST /sso/find",
    init: { method: "POST", body: new URLSearchParams({ email: "x@unknown.example" }) },
    answers: { others: 200 },
  },
  { route: "GET /sso/step-up", answers: signedIn() },
  { route: "GET /sso/:agency", address: () => "/sso/nowhere", answers: { others: 200 } },
  { route: "GET /sso/:agency/callback", address: () => "/sso/nowhere/callback", answers: { others: 200 } },
  {
    route: "POST /sso/:agency/logout",
    address: () => "/sso/nowhere/logout",
    init: post(),
    answers: { others: 400 },
  },
  // SCIM takes the agency's own token only.
  ...Object.entries({
    "GET /scim/v2/ServiceProviderConfig": 200,
    "GET /scim/v2/ResourceTypes": 200,
    "GET /scim/v2/ResourceTypes/:id": 404,
    "GET /scim/v2/Schemas": 200,
    "GET /scim/v2/Schemas/:id": 404,
    ...Object.fromEntries(
      ["Users", "Groups"].flatMap((name) => [
        [`GET /scim/v2/${name}`, 200],
        [`POST /scim/v2/${name}`, 415],
        [`GET /scim/v2/${name}/:id`, 404],
        [`PUT /scim/v2/${name}/:id`, 415],
        [`PATCH /scim/v2/${name}/:id`, 415],
        [`DELETE /scim/v2/${name}/:id`, 404],
      ]),
    ),
  }).map(([route, provider]) => ({ route, answers: { provider, others: 401 } })),
  { route: "GET /get-current-user", answers: signedIn() },
  { route: "GET /session-time", answers: signedIn() },
  // The user's own account. Signed-in users are redirected from the screens of the sign-in.
  { route: "GET /profile", answers: screen },
  { route: "GET /change-password", answers: elsewhere },
  { route: "GET /second-factor", answers: elsewhere },
  { route: "GET /second-factor/set-up", answers: elsewhere },
  { route: "GET /profile-data", answers: signedIn() },
  { route: "POST /reset-password", init: post({}), answers: signedIn(400) },
  { route: "POST /user/reset-password", init: post({}), answers: signedIn(400) },
  { route: "DELETE /user/sessions/:id", answers: signedIn(404) },
  { route: "POST /user/sign-out-everywhere", answers: signedIn() },
  { route: "POST /step-up", init: post({}), answers: signedIn(400) },
  { route: "POST /step-up/passkey", init: post({}), answers: signedIn(400) },
  { route: "GET /second-factor-data", answers: signedIn() },
  { route: "POST /second-factor/verify", init: post({}), answers: signedIn(403) },
  { route: "POST /second-factor/challenge", init: post(), answers: signedIn(404) },
  { route: "POST /second-factor/verify-passkey", init: post({}), answers: signedIn(403) },
  { route: "POST /second-factor/totp", init: post(), answers: signedIn() },
  { route: "POST /second-factor/totp/confirm", init: post({}), answers: signedIn(400) },
  { route: "DELETE /second-factor/totp", answers: signedIn(404) },
  { route: "POST /second-factor/passkey-options", init: post(), answers: signedIn() },
  { route: "POST /second-factor/passkeys", init: post({}), answers: signedIn(400) },
  { route: "DELETE /second-factor/passkeys/:id", answers: signedIn(404) },
  { route: "POST /second-factor/recovery-codes", init: post(), answers: signedIn(409) },
  // The OpenAPI document and its pages.
  { route: "GET /docs/api", answers: screen },
  { route: "GET /docs/api/:operation", address: () => "/docs/api/postSearchData", answers: screen },
  { route: "GET /openapi.json", answers: signedIn() },
  // Exports are available only to the exporter; the keys that verify them are public.
  {
    route: "POST /generate-map-snapshot",
    init: post({ latitude: 41.76, longitude: -72.67 }),
    answers: signedIn(),
  },
  { route: "POST /export-pdf", init: post({}), answers: signedIn(400) },
  { route: "POST /export-zip", init: post({}), answers: signedIn(400) },
  { route: "GET /exports", answers: signedIn() },
  { route: "GET /exports/:id", answers: signedIn(404) },
  { route: "DELETE /exports/:id", answers: signedIn(404) },
  { route: "GET /exports/:id/file", answers: signedIn(404) },
  { route: "GET /verification-keys", answers: { others: 200 } },
  { route: "GET /verification-key.pem", answers: { others: 200 } },
  { route: "GET /verify", answers: { others: 200 } },
  // Administration of one agency, and of all.
  { route: "GET /admin", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /legal-holds", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /legal-holds-data", answers: toAdmins(200) },
  { route: "POST /legal-holds/request", init: post({}), answers: toAdmins(400) },
  { route: "POST /legal-holds/:id/approve", init: post(), answers: toAdmins(404) },
  { route: "POST /legal-holds/:id/refuse", init: post(), answers: toAdmins(404) },
  { route: "POST /legal-holds/:id/release", init: post(), answers: toAdmins(404) },
  // Transparency pages do not exist until an agency publishes them.
  { route: "GET /figures/:slug", answers: { others: 404 } },
  { route: "GET /figures/:slug.csv", answers: { others: 404 } },
  { route: "GET /figures/:slug.json", answers: { others: 404 } },
  { route: "GET /public-figures", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /public-figures-data", answers: toAdmins(200) },
  { route: "PUT /public-figures-data", init: jsonInit({}), answers: toAdmins(400) },
  { route: "POST /public-figures/publish", init: post(), answers: toAdmins(400) },
  { route: "POST /public-figures/withdraw", init: post(), answers: toAdmins(409) },
  { route: "GET /review", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /review-data", answers: toAdmins(200) },
  { route: "POST /review/rows", init: post({}), answers: toAdmins(200) },
  { route: "POST /review/examine", init: post({}), answers: toAdmins(200) },
  { route: "GET /review/:id", answers: toAdmins(404) },
  {
    route: "POST /review/:id/decide",
    init: post({ verdict: "in-order", note: "Nothing to see", known: 0 }),
    answers: toAdmins(404),
  },
  { route: "GET /audit-log", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /admin-audit-logs-api", answers: toAdmins(200) },
  { route: "POST /audit-log/rows", init: post({ filter: {} }), answers: toAdmins(200) },
  { route: "POST /audit-log/export", init: post({ filter: {}, redacted: true }), answers: toAdmins(200) },
  { route: "POST /audit-log/verify", init: post({ agency: "", after: 0 }), answers: toAdmins(200) },
  { route: "GET /admin-data", answers: toAdmins(200) },
  { route: "POST /admin/add-user", init: post({}), answers: toAdmins(400) },
  { route: "GET /download-template", answers: toAdmins(200) },
  { route: "POST /bulk-upload-users", init: post({}), answers: toAdmins(415) },
  { route: "POST /admin/reset-user-password", init: post({ user_id: "none" }), answers: toAdmins(404) },
  { route: "PUT /admin/toggle-role/:id", init: jsonInit({ new_role: "admin" }), answers: toAdmins(404) },
  { route: "DELETE /admin/delete-user/:id", answers: toAdmins(404) },
  { route: "PUT /admin/disable-user/:id", init: jsonInit({ disabled: true }), answers: toAdmins(404) },
  { route: "POST /admin/unlock-user/:id", init: post(), answers: toAdmins(404) },
  { route: "POST /admin/reset-second-factor/:id", init: post(), answers: toAdmins(404) },
  { route: "GET /admin/sessions/:id", answers: toAdmins(404) },
  { route: "POST /admin/end-sessions/:id", init: post(), answers: toAdmins(404) },
  { route: "GET /owner", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "GET /owner/policy/:id", answers: { ...toOwner(404), anonymous: 302 } },
  { route: "GET /owner/email-domains", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "GET /single-sign-on", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /owner-data", answers: toOwner(200) },
  { route: "POST /owner/add-user", init: post({}), answers: toOwner(400) },
  { route: "POST /owner/reset-user-password", init: post({ user_id: "none" }), answers: toOwner(404) },
  { route: "POST /owner/agencies", init: post({}), answers: toOwner(400) },
  { route: "PUT /owner/agencies/:id", init: jsonInit({}), answers: toOwner(400) },
  { route: "GET /terms", answers: { others: 200 } },
  { route: "GET /privacy", answers: { others: 200 } },
  { route: "GET /search", answers: screen },
  {
    route: "GET /results",
    address: ({ resultId }) => `/results?id=${resultId}`,
    answers: { anonymous: 302, officer: 200, others: 404 },
  },
  {
    route: "GET /results/:id/table",
    address: ({ resultId }) => `/results/${resultId}/table`,
    answers: { anonymous: 302, officer: 200, others: 404 },
  },
  {
    route: "GET /results/:id/sightings/:row",
    address: ({ resultId }) => `/results/${resultId}/sightings/0`,
    answers: { anonymous: 302, officer: 200, others: 404 },
  },
  { route: "GET /api-keys-data", answers: signedIn() },
  { route: "GET /axon-authorized-integrations", answers: signedIn() },
  { route: "GET /axis-authorized-agencies", answers: signedIn() },
  { route: "POST /search-data", init: jsonInit({}), answers: signedIn(400) },
  // Place and convoy searches are for administrators, unless the agency's policy says otherwise.
  { route: "POST /search-places", init: jsonInit({}), answers: toAdmins(400) },
  { route: "GET /investigation-cameras", answers: toAdmins(200) },
  { route: "POST /search-convoy", init: jsonInit({}), answers: toAdmins(400) },
  { route: "POST /map/find-place", init: jsonInit({}), answers: toAdmins(400) },
  // All users have their own searches; those of other users are not found.
  { route: "GET /searches", answers: screen },
  { route: "POST /searches-data", init: post({}), answers: signedIn() },
  {
    route: "PATCH /searches/:id",
    address: ({ resultId }) => `/searches/${resultId}`,
    init: jsonInit({ pinned: true }, { method: "PATCH" }),
    answers: searcherOnly,
  },
  { route: "DELETE /searches/:id", answers: signedIn(404) },
  { route: "GET /investigate", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /investigate/:id", answers: { ...toAdmins(404), anonymous: 302 } },
  {
    route: "GET /results/:id/summary",
    address: ({ resultId }) => `/results/${resultId}/summary`,
    answers: searcherOnly,
  },
  {
    route: "GET /results/:id/columns",
    address: ({ resultId }) => `/results/${resultId}/columns`,
    answers: searcherOnly,
  },
  image("RekorPlate", "/rekor/cropped-plate?image_uuid="),
  image("Rekor", "/proxy-rekor-image?image_uuid="),
  image("Axon", "/proxy-axon-image?url="),
  image("AxonPlate", "/proxy-axon-plate-image?url="),
  image("Axis", "/proxy-axis-image?path="),
  { route: "POST /ingest/axis/:secret", address: () => "/ingest/axis/unknown", answers: { others: 401 } },
  {
    route: "POST /ingest/axis/:secret",
    address: ({ cameraSecret }) => `/ingest/axis/${cameraSecret}`,
    init: heartbeat,
    answers: { others: 200 },
  },
  { route: "POST /ingest/axis", init: post({}), answers: { others: 401 } },
  { route: "POST /ingest/rekor", init: post({}), answers: { others: 401 } },
  { route: "POST /ingest/rekor/:secret", init: post({}), answers: { others: 401 } },
  { route: "GET /camera-health", answers: toAdmins(200) },
  { route: "POST /hotlist/past-reads", init: post({}), answers: toHotlistAdmins(400) },
  // Hotlists: viewers see, hotlist administrators change; groups of other agencies are not found.
  { route: "GET /alerts", answers: { ...toViewers(200), anonymous: 302 } },
  { route: "GET /alerts/group/:id", answers: { ...toViewers(404), anonymous: 302 } },
  { route: "GET /alert-history-detail/:id", answers: { ...toViewers(404), anonymous: 302 } },
  { route: "GET /alerts/quality", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /api/alerts/:id", answers: toViewers(404) },
  { route: "GET /api/alerts/:id/image/:kind", answers: toViewers(404) },
  { route: "GET /api/alerts/:id/address", answers: toViewers(404) },
  {
    route: "POST /api/alerts/:id/disposition",
    init: post({ disposition: "correct" }),
    answers: toViewers(404),
  },
  { route: "GET /alerts/group/:id/data", answers: toViewers(404) },
  { route: "POST /alerts/group/:id/find", init: post({ filter: "" }), answers: toViewers(404) },
  { route: "POST /alerts/group/:id/new", init: post({ filter: "latest=0" }), answers: toViewers(404) },
  {
    route: "GET /alerts/group/:id/new",
    address: () => "/alerts/group/none/new?latest=0",
    answers: toViewers(404),
  },
  { route: "GET /alerts/quality-data", answers: toAdmins(200) },
  { route: "GET /live-alerts", answers: toViewers(200) },
  { route: "POST /live-alerts/seen", init: post({ until: "" }), answers: toViewers(200) },
  { route: "GET /create-group", answers: { ...toHotlistAdmins(200), anonymous: 302 } },
  { route: "GET /groups/:id", answers: { ...toViewers(404), anonymous: 302 } },
  { route: "GET /groups/:id/details", answers: { ...toViewers(404), anonymous: 302 } },
  { route: "GET /groups/:id/edit", answers: { ...toHotlistAdmins(404), anonymous: 302 } },
  { route: "GET /groups/:id/removed", answers: { ...toHotlistAdmins(404), anonymous: 302 } },
  { route: "GET /groups/:id/columns", answers: { ...toHotlistAdmins(404), anonymous: 302 } },
  { route: "GET /edit-alerts-permissions", answers: { ...toHotlistAdmins(200), anonymous: 302 } },
  { route: "GET /alerts-data", answers: toViewers(200) },
  { route: "POST /toggle-push-alerts", init: post(), answers: toViewers(200) },
  { route: "GET /alerts/group/:id/details-data", answers: toViewers(404) },
  { route: "GET /groups/:id/edit-data", answers: toHotlistAdmins(404) },
  { route: "GET /groups/:id/image", answers: toViewers(404) },
  { route: "GET /group-create-data", answers: toHotlistAdmins(200) },
  { route: "GET /group-candidates", answers: toHotlistAdmins(200) },
  { route: "POST /groups/create-mobile", init: post({}), answers: toHotlistAdmins(415) },
  { route: "POST /groups/:id/edit-mobile", init: post({}), answers: toHotlistAdmins(415) },
  { route: "POST /archive-group", init: post({ group_id: "none" }), answers: toHotlistAdmins(404) },
  { route: "POST /groups/:id/invitations", init: post({}), answers: toHotlistAdmins(400) },
  { route: "DELETE /groups/:id/invitations/:agency", answers: toHotlistAdmins(404) },
  { route: "POST /groups/:id/invitation-answer", init: post({}), answers: toHotlistAdmins(400) },
  { route: "PUT /groups/:id/own-members", init: jsonInit({}), answers: toHotlistAdmins(400) },
  { route: "GET /agency-users-api", answers: toHotlistAdmins(200) },
  { route: "POST /update-alert-permissions-api", init: post({}), answers: toHotlistAdmins(200) },
  { route: "POST /hotlist/add-plate-direct", init: post({}), answers: toHotlistAdmins(400) },
  { route: "POST /hotlist/check-plate", init: post({}), answers: toHotlistAdmins(400) },
  { route: "POST /groups/:id/remove-plate", init: post({}), answers: toHotlistAdmins(415) },
  { route: "POST /groups/:id/plates", init: post({}), answers: toViewers(404) },
  { route: "POST /groups/:id/renew-plates", init: post({ part: "expired" }), answers: toHotlistAdmins(404) },
  { route: "PATCH /groups/:id/plates/:plate", init: jsonInit({}), answers: toHotlistAdmins(400) },
  { route: "POST /groups/:id/bulk-upload-plates", init: post({}), answers: toHotlistAdmins(415) },
  { route: "GET /groups/:id/import", answers: toHotlistAdmins(404) },
  { route: "POST /groups/:id/import", init: post({}), answers: toHotlistAdmins(404) },
  { route: "POST /groups/:id/import/:import/apply", init: post(), answers: toHotlistAdmins(404) },
  { route: "POST /groups/:id/import/:import/cancel", init: post(), answers: toHotlistAdmins(404) },
  { route: "POST /groups/:id/import/:import/mapping", init: post({}), answers: toHotlistAdmins(400) },
  { route: "GET /hotlist/mappings", answers: toHotlistAdmins(200) },
  {
    route: "PATCH /hotlist/mappings/:id",
    init: jsonInit({ name: "Mine" }, { method: "PATCH" }),
    answers: toHotlistAdmins(404),
  },
  { route: "DELETE /hotlist/mappings/:id", init: { method: "DELETE" }, answers: toHotlistAdmins(404) },
  { route: "GET /get-hotlist-attachment-url/:file", answers: toViewers(404) },
  // The map, and the nearest address of a read from the user's own results.
  { route: "GET /map/basemap", answers: signedIn() },
  { route: "GET /map/tiles/:z/:x/:y", address: () => "/map/tiles/3/2/3", answers: signedIn(204) },
  {
    route: "GET /results/:id/sightings/:row/address",
    address: ({ resultId }) => `/results/${resultId}/sightings/0/address`,
    answers: searcherOnly,
  },
  // Push alerts are for users who see hotlists; failed jobs are for the owner.
  { route: "GET /push/key", answers: toViewers(200) },
  { route: "GET /push/devices", answers: toViewers(200) },
  { route: "POST /push/devices", init: post({}), answers: toViewers(400) },
  { route: "DELETE /push/devices/:id", answers: toViewers(404) },
  { route: "GET /push/settings", answers: toViewers(200) },
  { route: "PUT /push/settings", init: jsonInit({}), answers: toViewers(400) },
  // No job has run in the test world yet.
  { route: "GET /health", answers: { others: 503 } },
  { route: "GET /health-data", answers: toAdmins(200) },
  { route: "GET /system-health", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /backups", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "GET /backups/data", answers: toOwner(200) },
  { route: "POST /backups/start", init: post(), answers: toOwner(200) },
  { route: "GET /backups/:id", answers: toOwner(404) },
  { route: "POST /backups/:id/cancel", init: post(), answers: toOwner(404) },
  { route: "POST /backups/:id/verify", init: post({}), answers: toOwner(404) },
  { route: "GET /status", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "GET /storage", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "GET /storage/data", answers: toOwner(200) },
  { route: "POST /storage/:name/state", init: post({ state: "read-only" }), answers: toOwner(404) },
  { route: "POST /storage/:name/remove", init: post(), answers: toOwner(404) },
  // Without the secret RESTORE_TOKEN, no one finds these.
  { route: "GET /restore", answers: { others: 404 } },
  { route: "POST /restore/:id", init: post(), answers: { others: 404 } },
  { route: "DELETE /restore", answers: { others: 404 } },
  { route: "GET /dead-jobs", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "GET /dead-jobs/data", answers: toOwner(200) },
  { route: "POST /dead-jobs/drive", init: post({}), answers: toOwner(400) },
  { route: "POST /dead-jobs/discard", init: post({}), answers: toOwner(400) },
  // Integrations and cameras of one agency; the owner manages the locations of Rekor's cameras.
  { route: "GET /api-keys", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /integrations/rekor", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /integrations/axon", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /integrations/axis", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /rekor-camera-management", answers: { ...toOwner(200), anonymous: 302 } },
  { route: "POST /add-api-key", init: post({}), answers: toAdmins(400) },
  { route: "POST /bulk-upload-api-keys", init: post({}), answers: toAdmins(415) },
  { route: "GET /download-api-keys-template", answers: toAdmins(200) },
  { route: "DELETE /delete-api-key/:id", answers: toAdmins(404) },
  { route: "POST /test-api-key/:id", init: post(), answers: toAdmins(404) },
  { route: "POST /rekor-webhooks", init: post({}), answers: toAdmins(400) },
  { route: "DELETE /rekor-webhooks/:id", answers: toAdmins(404) },
  { route: "GET /axon-existing-integration", answers: toAdmins(200) },
  { route: "POST /add-axon-integration", init: post({}), answers: toAdmins(400) },
  { route: "POST /change-axon-credentials", init: post({}), answers: toAdmins(400) },
  { route: "DELETE /delete-axon-integration", answers: toAdmins(404) },
  { route: "POST /test-axon-integration", init: post(), answers: toAdmins(404) },
  { route: "GET /get-authorized-and-blacklisted-agencies", answers: toAdmins(200) },
  { route: "POST /add-to-blacklist", init: post({ agency_id: "none" }), answers: toAdmins(404) },
  { route: "POST /remove-from-blacklist", init: post({ agency_id: "none" }), answers: toAdmins(404) },
  { route: "POST /add-axis-share", init: post({ agency_id: "none" }), answers: toAdmins(404) },
  { route: "POST /remove-axis-share", init: post({ agency_id: "none" }), answers: toAdmins(404) },
  { route: "POST /add-rekor-share", init: post({ agency_id: "none" }), answers: toAdmins(404) },
  { route: "POST /remove-rekor-share", init: post({ agency_id: "none" }), answers: toAdmins(404) },
  { route: "POST /rotate-keys", init: post(), answers: toOwner(200) },
  { route: "GET /rekor-cameras", answers: toOwner(200) },
  { route: "GET /agencies-data", answers: toOwner(200) },
  { route: "PATCH /rekor-cameras/:id*", init: jsonInit({}), answers: toOwner(400) },
  { route: "POST /axis-cameras", init: post({}), answers: toAdmins(400) },
  { route: "PATCH /axis-cameras/:id", init: jsonInit({}), answers: toAdmins(400) },
  { route: "POST /axis-cameras/:id/secret", init: post(), answers: toAdmins(404) },
  { route: "DELETE /axis-cameras/:id", answers: toAdmins(404) },
  { route: "GET /integrations/outgoing", answers: { ...toHotlistAdmins(200), anonymous: 302 } },
  { route: "GET /integrations/outgoing/:id", answers: { ...toHotlistAdmins(404), anonymous: 302 } },
  { route: "GET /integrations/service-accounts", answers: { ...toAdmins(200), anonymous: 302 } },
  { route: "GET /integrations/service-accounts/:id", answers: { ...toAdmins(404), anonymous: 302 } },
  { route: "GET /service-accounts", answers: toAdmins(200) },
  { route: "POST /service-accounts", init: post({}), answers: toAdmins(400) },
  { route: "PUT /service-accounts/:id", init: jsonInit({}, { method: "PUT" }), answers: toAdmins(400) },
  { route: "POST /service-accounts/:id/rotate", init: post({}), answers: toAdmins(404) },
  { route: "POST /service-accounts/:id/on", init: post({ on: true }), answers: toAdmins(404) },
  { route: "DELETE /service-accounts/:id", answers: toAdmins(404) },
  { route: "GET /outgoing-webhooks", answers: toHotlistAdmins(200) },
  { route: "POST /outgoing-webhooks", init: post({}), answers: toHotlistAdmins(400) },
  {
    route: "PUT /outgoing-webhooks/:id",
    init: jsonInit({}, { method: "PUT" }),
    answers: toHotlistAdmins(400),
  },
  { route: "DELETE /outgoing-webhooks/:id", answers: toHotlistAdmins(404) },
  { route: "POST /outgoing-webhooks/:id/secret", init: post(), answers: toHotlistAdmins(404) },
  { route: "POST /outgoing-webhooks/:id/on", init: post({ on: true }), answers: toHotlistAdmins(404) },
  { route: "POST /outgoing-webhooks/:id/test", init: post(), answers: toHotlistAdmins(404) },
  { route: "GET /outgoing-webhooks/:id/deliveries", answers: toHotlistAdmins(404) },
  { route: "POST /outgoing-webhooks/:id/retry", init: post({}), answers: toHotlistAdmins(404) },
  { route: "GET /*", address: () => "/nowhere", answers: { others: 404 } },
];

let world: World;
let things: Things;
const clients = {} as Record<RoleName, Client>;

beforeAll(async () => {
  world = await newWorld();
  const { users } = world;
  const admin = await client(users.admin);
  Object.assign(clients, {
    anonymous,
    provider: clientWith(null, { authorization: `Bearer ${await newToken({ admin })}` }),
    officer: await client(users.officer),
    sameTenant: await client(users.colleague),
    viewer: await client(users.viewer),
    hotadmin: await client(users.hotadmin),
    admin,
    owner: await client(users.owner),
    stranger: await client(users.stranger),
    strangeAdmin: await client(users.strangeAdmin),
  });
  await pushRead(world.camera, { plate: "AXS1234", at: Date.now() - 60_000 });
  const { rows, resultId } = await search(clients.officer, searchBody(world.agencies));
  things = {
    resultId,
    cameraSecret: world.camera.secret,
    image: (program) => {
      const [of, plate] = program.split("Plate");
      const wanted = plate === undefined ? ".v" : ".p";
      const references = rows
        .filter((row) => row.source_program === of)
        .flatMap((row) => [row.image_uuid, row.image_path, row.plate_image_url]);
      return references.find((reference) => reference?.endsWith(wanted)) ?? "";
    },
  };
});

/** Returns the URL patterns of the built routes, without layouts. */
function builtPaths(): string[] {
  type Built = { id: string; parentId?: string; path?: string; index?: boolean; module: object };
  const all: Built[] = Object.values(builtRoutes);
  return (
    all
      .filter((route) => route.path !== undefined || route.index)
      .filter((route) => route.id !== "root")
      // Remix has no name for the rest of a path; the endpoint tables have one.
      .map((route) => `/${route.path ?? ""}`.replace(/(.\/)\*$/, "$1:id*"))
  );
}

/** Returns METHOD and pattern of every endpoint, as written. */
function declaredEndpoints(): string[] {
  const files = import.meta.glob<string>("/app/routes/endpoints/**/*.ts", {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const texts = Object.values(files);
  expect(texts.length).toBeGreaterThan(0);
  return texts.flatMap((text) =>
    [...text.matchAll(/endpoint\(\s*"([A-Z]+ [^"]+)"/g)].map(([, route = ""]) => route),
  );
}

describe("the access table", () => {
  it("has a row for every built route", () => {
    const tried = new Set(TABLE.map((row) => row.route.split(" ")[1]));
    expect(builtPaths().length).toBeGreaterThan(10);
    expect(builtPaths().filter((path) => !tried.has(path))).toEqual([]);
  });

  it("has a row for every endpoint and method, and each is reachable", () => {
    const tried = new Set(TABLE.map((row) => row.route));
    const built = new Set(builtPaths());
    expect(declaredEndpoints().filter((route) => !tried.has(route))).toEqual([]);
    expect(declaredEndpoints().filter((route) => !built.has(route.split(" ")[1] ?? ""))).toEqual([]);
  });
});

/** Screens that are not in the navigation. */
const OUTSIDE_NAVIGATION = [
  "/",
  "/*",
  "/verify",
  "/use-notice",
  "/figures/:slug",
  // These redirect to another page.
  "/sso/find",
  "/sso/step-up",
  "/sso/:agency",
  "/sso/:agency/callback",
];

/** Expects a title in the common pattern, one h1, the current navigation entry, and a reason if access is refused. */
function expectPage(html: string, page: { role: RoleName; status: number; pattern: string }): void {
  const { role, status, pattern } = page;
  const title = html.match(/<title>(.*?)<\/title>/)?.[1];
  expect(title).toMatch(status === 403 ? /^Access Denied · Odin$/ : /^(?!Odin).+ · Odin$/);
  expect(html.match(/<h1[ >]/g)).toHaveLength(1);
  if (status === 403)
    expect(html).toMatch(/You need the [A-Z][\w ]+ permission to open this page\. .* grant it/);
  if (status !== 200 || !clients[role].user || OUTSIDE_NAVIGATION.includes(pattern)) return;
  expect(html).toMatch(/aria-current="(page|true)"/);
}

const cases = TABLE.flatMap((row) => ROLES.map((role) => ({ ...row, role })));

describe("access", () => {
  it.each(cases)("$role $route", async ({ role, route, address, init, answers }) => {
    const expected = expectedOf({ answers }, role);
    if (ENDING.includes(route) && clients[role].user) {
      // Ends the caller's session, so another user of the same role makes the call.
      const { agencyId, role: same, hotlistAdmin, hotlistViewer } = clients[role].user;
      const own = await client(await newUser(agencyId, { role: same, hotlistAdmin, hotlistViewer }));
      expect((await own.fetch(route.slice(5), { method: "POST" })).status).toBe(expected);
      return;
    }
    const [method = "", pattern = ""] = route.split(" ");
    const path = address ? address(things) : pattern;
    const response = await clients[role].fetch(path, { ...init, method });
    expect(response.status).toBe(expected);
    if (response.headers.get("content-type")?.startsWith("text/html"))
      expectPage(await response.text(), { role, status: response.status, pattern });
    else await response.body?.cancel();
    if (response.status === 302 && !clients[role].user) expect(response.headers.get("location")).toBe("/");
  });

  it("also applies to screen data, which Remix serves at a separate URL", async () => {
    for (const path of ["/search.data", `/results.data?id=${things.resultId}`]) {
      const answer = await anonymous.fetch(path);
      expect(answer.status, path).toBe(401);
      const text = await answer.text();
      expect(text, path).not.toContain(world.ours.name);
    }
    const stranger = await clients.stranger.fetch(`/results.data?id=${things.resultId}`);
    expect(await stranger.text()).not.toContain("26-1044");
    for (const path of ["/api-keys-data.data", "/get-current-user.data"]) {
      const text = await (await anonymous.fetch(path)).text();
      expect(text, path).not.toContain(world.hartford.agency);
    }
  });

  it("answers other methods with 405 and names the allowed ones", async () => {
    for (const [method, path, allow] of [
      ["GET", "/login", "POST"],
      ["DELETE", "/search-data", "POST"],
      ["POST", "/get-current-user", "GET, HEAD"],
      ["PUT", "/proxy-axis-image", "GET, HEAD"],
    ] as const) {
      const response = await clients.officer.fetch(path, { method });
      expect([path, response.status, response.headers.get("allow")]).toEqual([path, 405, allow]);
    }
    expect((await clients.officer.fetch("/get-current-user", { method: "HEAD" })).status).toBe(200);
  });

  it("writes no audit row of a read of something that does not exist, whether by GET or HEAD", async () => {
    const [before] = await auditOf(world.users.officer);
    for (const method of ["GET", "HEAD"])
      expect((await clients.officer.fetch("/results/none/columns", { method })).status).toBe(404);
    expect(await auditOf(world.users.officer)).toEqual([before]);
  });

  it("limits the lists of sources to those that the user's agency may search", async () => {
    const of = async (who: Client) =>
      Promise.all(
        ["/api-keys-data", "/axon-authorized-integrations", "/axis-authorized-agencies"].map(
          async (path): Promise<Record<string, unknown>[]> => (await who.fetch(path)).json(),
        ),
      );
    const [rekor, axon, axis] = await of(clients.officer);
    expect(rekor).toEqual(
      [world.hartford, world.manchester]
        .map(({ id, agency }) => ({ id, agency }))
        .sort((a, b) => (a.agency < b.agency ? -1 : 1)),
    );
    expect(axon).toEqual([
      { agency_name: expect.stringMatching(/^East Police/), base_url: world.axon.baseUrl },
    ]);
    expect(axis).toEqual([
      { id: world.ours.id, agency_name: world.ours.name, integrations: [{ identifier: world.camera.id }] },
    ]);
    const [theirRekor, theirAxon, theirAxis] = await of(clients.stranger);
    expect(theirRekor).toHaveLength(1);
    expect(theirAxon).toHaveLength(2);
    expect(theirAxis).toMatchObject([{ id: world.theirs.id }]);
  });

  it("to a result set of another user is refused with the same response as to one that does not exist", async () => {
    for (const who of [clients.stranger, clients.sameTenant]) {
      const [real, invented] = await Promise.all(
        [things.resultId, "AAAAAAAAAAAAAAAAAAAAAA"].map(async (id) => {
          const response = await who.fetch(`/results/${id}/columns`);
          return [response.status, await textWithoutId(response)];
        }),
      );
      expect(real).toEqual(invented);
    }
  });
});

describe("a request with too low an access level", () => {
  const asking = async (access: SessionAccess, role: RoleName) => {
    const app = testApp();
    const { headers } = clients[role];
    const request = new Request(`${ORIGIN}/somewhere?plate=SECRET1`, { headers });
    const actor = await findActor(app, request);
    return guard({ app, access, actor, request }).then(
      () => "passed",
      (error: { code?: string }) => error.code,
    );
  };

  it.each<[SessionAccess, RoleName[]]>([
    ["hotlist-viewer", ["viewer", "hotadmin", "admin", "owner", "strangeAdmin"]],
    ["hotlist-admin", ["hotadmin", "admin", "owner", "strangeAdmin"]],
    ["admin", ["admin", "owner", "strangeAdmin"]],
    ["owner", ["owner"]],
  ])("is refused: %s", async (access, allowed) => {
    for (const role of ROLES) {
      const refused = clients[role].user ? "forbidden" : "unauthenticated";
      expect([role, await asking(access, role)]).toEqual([role, allowed.includes(role) ? "passed" : refused]);
    }
  });

  it("is audited, without the query string", async () => {
    await asking("owner", "viewer");
    expect(await auditOf(world.users.viewer)).toMatchObject([
      { action: "access", outcome: "refused", object: "/somewhere" },
    ]);
  });
});

describe("every response", () => {
  const answers: [string, () => Promise<Response>][] = [
    ["a page", () => clients.officer.fetch("/search")],
    ["JSON", () => clients.officer.fetch("/get-current-user")],
    ["a refusal", () => anonymous.fetch("/get-current-user")],
    ["an unknown address", () => anonymous.fetch("/nowhere")],
    ["a redirect", () => anonymous.fetch("/search")],
    ["a wrong method", () => anonymous.fetch("/login")],
    ["an image", () => clients.officer.fetch(`/proxy-axis-image?path=${things.image("Axis")}`)],
    ["columns", () => clients.officer.fetch(`/results/${things.resultId}/columns`)],
    ["a screen's data", () => clients.officer.fetch("/search.data")],
    ["a camera's webhook", () => send("/ingest/axis/unknown", heartbeat)],
  ];

  it.each(answers)("has the security headers: %s", async (_, ask) => {
    const { headers } = await ask();
    expect(Object.fromEntries(headers)).toMatchObject({
      "strict-transport-security": expect.stringMatching(/^max-age=\d{8}; includeSubDomains$/),
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringMatching(/default-src 'none'/),
      "cache-control": expect.stringMatching(/^(no-store|private, max-age=\d+, immutable)$/),
    });
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-powered-by") ?? headers.get("server")).toBeNull();
  });

  it("allows scripts only by its own nonce", async () => {
    const nonces = new Set<string>();
    for (const path of ["/", "/", "/nowhere"]) {
      const response = await anonymous.fetch(path);
      const policy = response.headers.get("content-security-policy") ?? "";
      const nonce = /script-src 'self' 'nonce-([\w-]+)'/.exec(policy)?.[1] ?? "";
      nonces.add(nonce);
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
      expect(policy).toMatch(/frame-ancestors 'none'/);
      const html = await response.text();
      for (const [tag] of html.matchAll(/<script\b[^>]*>/g)) expect(tag).toContain(`nonce="${nonce}"`);
      expect(html).not.toMatch(/\son\w+="/);
      for (const [, url] of html.matchAll(/(?:src|href)="(https?:[^"]+)"/g))
        expect(new URL(url ?? "").origin).toBe(ORIGIN);
    }
    expect(nonces.size).toBe(3);
  });
});
