import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** Routes several URLs to one endpoint file; each needs an id. */
function served(file: string, ...urls: string[]) {
  return urls.map((url) => route(url, `routes/endpoints/${file}.ts`, { id: `${file}:${url}` }));
}

export default [
  // Signing in
  index("routes/screens/accounts/sign-in.tsx"),
  route("use-notice", "routes/screens/accounts/use-notice.tsx"),
  ...served(
    "account",
    "use-notification",
    "login",
    "dev-login",
    "logout",
    "get-current-user",
    "session-time",
  ),
  // Single sign-on with the agency's identity provider
  ...served(
    "single-sign-on",
    "sso/find",
    "sso/step-up",
    "sso/:agency",
    "sso/:agency/callback",
    "sso/:agency/logout",
  ),
  // Users and groups as the agency's identity provider manages them (SCIM 2.0)
  ...served(
    "scim/v2",
    "scim/v2/ServiceProviderConfig",
    "scim/v2/ResourceTypes",
    "scim/v2/ResourceTypes/:id",
    "scim/v2/Schemas",
    "scim/v2/Schemas/:id",
    "scim/v2/Users",
    "scim/v2/Users/:id",
    "scim/v2/Groups",
    "scim/v2/Groups/:id",
  ),

  // The user's own account: password, second factor, sessions
  layout("routes/layouts/signed-in.tsx", { id: "account" }, [
    route("profile", "routes/screens/accounts/profile.tsx"),
    route("change-password", "routes/screens/accounts/change-password.tsx"),
    route("second-factor", "routes/screens/accounts/second-factor.tsx"),
    route("second-factor/set-up", "routes/screens/accounts/second-factor-set-up.tsx"),
  ]),
  ...served(
    "account",
    "profile-data",
    "reset-password",
    "user/reset-password",
    "user/sessions/:id",
    "user/sign-out-everywhere",
    "step-up",
    "step-up/passkey",
    "second-factor-data",
    "second-factor/verify",
    "second-factor/challenge",
    "second-factor/verify-passkey",
    "second-factor/totp",
    "second-factor/totp/confirm",
    "second-factor/passkey-options",
    "second-factor/passkeys",
    "second-factor/passkeys/:id",
    "second-factor/recovery-codes",
  ),

  // Administration: users of one agency, and for the owner agencies and their policies
  layout("routes/layouts/signed-in.tsx", { id: "administration" }, [
    route("admin", "routes/screens/users/admin.tsx"),
    route("single-sign-on", "routes/screens/users/single-sign-on.tsx"),
    route("owner", "routes/screens/users/owner.tsx"),
    route("owner/policy/:id", "routes/screens/users/agency-policy.tsx"),
    route("owner/email-domains", "routes/screens/users/email-domains.tsx"),
  ]),
  ...served(
    "users",
    "admin-data",
    "admin/add-user",
    "download-template",
    "bulk-upload-users",
    "admin/reset-user-password",
    "admin/toggle-role/:id",
    "admin/delete-user/:id",
    "admin/disable-user/:id",
    "admin/unlock-user/:id",
    "admin/reset-second-factor/:id",
    "admin/sessions/:id",
    "admin/end-sessions/:id",
  ),
  ...served(
    "agencies",
    "owner-data",
    "owner/add-user",
    "owner/reset-user-password",
    "owner/agencies",
    "owner/agencies/:id",
  ),

  // Legal pages, for everyone
  layout("routes/layouts/legal.tsx", [
    route("terms", "routes/screens/terms.tsx"),
    route("privacy", "routes/screens/privacy.tsx"),
  ]),

  // Search and its results
  layout("routes/layouts/signed-in.tsx", [
    route("search", "routes/screens/search/form.tsx"),
    route("investigate", "routes/screens/search/investigate.tsx"),
    route("investigate/:id", "routes/screens/search/investigation.tsx"),
    route("searches", "routes/screens/search/searches.tsx"),
    route("results", "routes/screens/search/results.tsx"),
    route("results/:id/table", "routes/screens/search/results-table.tsx"),
    route("results/:id/sightings/:row", "routes/screens/search/sighting.tsx"),
  ]),
  ...served(
    "search",
    "api-keys-data",
    "axon-authorized-integrations",
    "axis-authorized-agencies",
    "search-data",
    "investigation-cameras",
    "search-places",
    "search-convoy",
    "results/:id/summary",
    "results/:id/columns",
  ),
  // A user's own searches
  ...served("searches", "searches-data", "searches/:id"),

  // Hotlists: alert groups, their plates, members and permissions
  layout("routes/layouts/signed-in.tsx", { id: "hotlists" }, [
    route("alerts", "routes/screens/hotlists/groups.tsx"),
    route("alerts/group/:id", "routes/screens/alerts/history.tsx"),
    route("alert-history-detail/:id", "routes/screens/alerts/hit.tsx"),
    route("alerts/quality", "routes/screens/alerts/hit-quality.tsx"),
    route("create-group", "routes/screens/hotlists/create-group.tsx"),
    route("groups/:id", "routes/screens/hotlists/group-details.tsx"),
    route("groups/:id/details", "routes/screens/hotlists/group-details.tsx", { id: "group-details-long" }),
    route("groups/:id/edit", "routes/screens/hotlists/group-edit.tsx"),
    route("groups/:id/removed", "routes/screens/hotlists/removed-plates.tsx"),
    route("groups/:id/columns", "routes/screens/hotlists/import-columns.tsx"),
    route("edit-alerts-permissions", "routes/screens/hotlists/permissions.tsx"),
  ]),
  ...served(
    "alert-groups",
    "alerts-data",
    "toggle-push-alerts",
    "alerts/group/:id/details-data",
    "groups/:id/edit-data",
    "groups/:id/image",
    "group-create-data",
    "group-candidates",
    "groups/create-mobile",
    "groups/:id/edit-mobile",
    "archive-group",
    "groups/:id/invitations",
    "groups/:id/invitations/:agency",
    "groups/:id/invitation-answer",
    "groups/:id/own-members",
    "agency-users-api",
    "update-alert-permissions-api",
  ),
  // Hits: a group's history, one hit, and live hits in the open app
  ...served(
    "alerts",
    "api/alerts/:id",
    "api/alerts/:id/image/:kind",
    "api/alerts/:id/address",
    "api/alerts/:id/disposition",
    "alerts/group/:id/data",
    "alerts/group/:id/find",
    "alerts/group/:id/new",
    "alerts/quality-data",
    "live-alerts",
    "live-alerts/seen",
  ),
  ...served(
    "hotlists",
    "hotlist/add-plate-direct",
    "hotlist/check-plate",
    "groups/:id/remove-plate",
    "groups/:id/plates",
    "groups/:id/renew-plates",
    "groups/:id/plates/:plate",
    "groups/:id/bulk-upload-plates",
    "groups/:id/import",
    "groups/:id/import/:import/apply",
    "groups/:id/import/:import/cancel",
    "groups/:id/import/:import/mapping",
    "hotlist/mappings",
    "hotlist/mappings/:id",
    "get-hotlist-attachment-url/:file",
  ),

  // The map: its tiles through our own origin, and the address of a read
  ...served(
    "map",
    "map/basemap",
    "map/tiles/:z/:x/:y",
    "map/find-place",
    "results/:id/sightings/:row/address",
  ),

  // Images of reads, through the server
  ...served(
    "images",
    "rekor/cropped-plate",
    "proxy-rekor-image",
    "proxy-axon-image",
    "proxy-axon-plate-image",
    "proxy-axis-image",
  ),

  // Exports, and the public keys that verify them
  ...served(
    "exports",
    "generate-map-snapshot",
    "export-pdf",
    "export-zip",
    "exports",
    "exports/:id",
    "exports/:id/file",
    "verification-keys",
    "verification-key.pem",
  ),
  route("verify", "routes/screens/exports/verify.tsx"),

  // The audit log
  layout("routes/layouts/signed-in.tsx", { id: "audit" }, [
    route("audit-log", "routes/screens/oversight/audit-log.tsx"),
  ]),
  layout("routes/layouts/signed-in.tsx", { id: "holds" }, [
    route("legal-holds", "routes/screens/oversight/legal-holds.tsx"),
  ]),
  ...served(
    "legal-holds",
    "legal-holds-data",
    "legal-holds/request",
    "legal-holds/:id/approve",
    "legal-holds/:id/refuse",
    "legal-holds/:id/release",
  ),
  // The transparency page that an agency may publish, for the public and for its administrators
  route("figures/:slug", "routes/screens/oversight/transparency.tsx"),
  layout("routes/layouts/signed-in.tsx", { id: "transparency" }, [
    route("public-figures", "routes/screens/oversight/public-transparency.tsx"),
  ]),
  ...served(
    "transparency",
    "figures/:slug.csv",
    "figures/:slug.json",
    "public-figures-data",
    "public-figures/publish",
    "public-figures/withdraw",
  ),
  layout("routes/layouts/signed-in.tsx", { id: "review" }, [
    route("review", "routes/screens/oversight/review.tsx"),
  ]),
  ...served("review", "review-data", "review/rows", "review/examine", "review/:id", "review/:id/decide"),
  ...served("audit", "admin-audit-logs-api", "audit-log/rows", "audit-log/export", "audit-log/verify"),

  // Push notifications: a user's devices and quiet hours
  ...served("push", "push/key", "push/devices", "push/devices/:id", "push/settings"),

  // Failed jobs
  layout("routes/layouts/signed-in.tsx", { id: "failed-jobs" }, [
    route("dead-jobs", "routes/screens/operations/failed-jobs.tsx"),
  ]),
  ...served("jobs", "dead-jobs/data", "dead-jobs/drive", "dead-jobs/discard"),

  // Databases of reads
  layout("routes/layouts/signed-in.tsx", { id: "storage" }, [
    route("storage", "routes/screens/operations/storage.tsx"),
  ]),
  ...served("storage", "storage/data", "storage/:name/state", "storage/:name/remove"),

  // The state of the whole installation, for its owner
  layout("routes/layouts/signed-in.tsx", { id: "status" }, [
    route("status", "routes/screens/operations/status.tsx"),
  ]),

  // Backups, and the calls that restore one into an empty installation
  layout("routes/layouts/signed-in.tsx", { id: "backups" }, [
    route("backups", "routes/screens/operations/backups.tsx"),
  ]),
  ...served(
    "backups",
    "backups/data",
    "backups/start",
    "backups/:id",
    "backups/:id/cancel",
    "backups/:id/verify",
    "restore",
    "restore/:id",
  ),

  // Integrations: keys, sharing, cameras and service accounts of one agency; Rekor's cameras of all for the owner
  layout("routes/layouts/signed-in.tsx", { id: "integrations" }, [
    route("api-keys", "routes/screens/integrations/api-keys.tsx"),
    route("integrations/rekor", "routes/screens/integrations/rekor.tsx"),
    route("integrations/axon", "routes/screens/integrations/axon.tsx"),
    route("integrations/axis", "routes/screens/integrations/axis.tsx"),
    route("integrations/outgoing", "routes/screens/integrations/outgoing.tsx"),
    route("integrations/outgoing/:id", "routes/screens/integrations/outgoing-webhook.tsx"),
    route("integrations/service-accounts", "routes/screens/integrations/service-accounts.tsx"),
    route("integrations/service-accounts/:id", "routes/screens/integrations/service-account.tsx"),
    route("rekor-camera-management", "routes/screens/ingest/rekor-cameras.tsx"),
  ]),
  ...served(
    "integrations",
    "add-api-key",
    "bulk-upload-api-keys",
    "download-api-keys-template",
    "delete-api-key/:id",
    "test-api-key/:id",
    "rekor-webhooks",
    "rekor-webhooks/:id",
    "axon-existing-integration",
    "add-axon-integration",
    "change-axon-credentials",
    "delete-axon-integration",
    "test-axon-integration",
    "get-authorized-and-blacklisted-agencies",
    "add-to-blacklist",
    "remove-from-blacklist",
    "add-axis-share",
    "remove-axis-share",
    "add-rekor-share",
    "remove-rekor-share",
    "rotate-keys",
    "service-accounts",
    "service-accounts/:id",
    "service-accounts/:id/rotate",
    "service-accounts/:id/on",
  ),
  ...served(
    "cameras",
    "rekor-cameras",
    "rekor-cameras/*",
    "agencies-data",
    "axis-cameras",
    "axis-cameras/:id",
    "axis-cameras/:id/secret",
  ),

  // Outgoing webhooks of an agency and its groups
  ...served(
    "outgoing-webhooks",
    "outgoing-webhooks",
    "outgoing-webhooks/:id",
    "outgoing-webhooks/:id/secret",
    "outgoing-webhooks/:id/on",
    "outgoing-webhooks/:id/test",
    "outgoing-webhooks/:id/deliveries",
    "outgoing-webhooks/:id/retry",
  ),

  // Webhooks of cameras and vendors, and the state of what they sent
  ...served(
    "reads",
    "ingest/axis/:secret",
    "ingest/axis",
    "ingest/rekor",
    "ingest/rekor/:secret",
    "camera-health",
    "hotlist/past-reads",
  ),

  // The OpenAPI document, and its pages for signed-in users
  layout("routes/layouts/signed-in.tsx", { id: "api" }, [
    route("docs/api", "routes/screens/integrations/api-list.tsx"),
    route("docs/api/:operation", "routes/screens/integrations/api-operation.tsx"),
  ]),
  ...served("api/document", "openapi.json"),

  // Health: for uptime probes and administrators
  layout("routes/layouts/signed-in.tsx", { id: "system-health" }, [
    route("system-health", "routes/screens/operations/health.tsx"),
  ]),
  ...served("health", "health", "health-data"),

  // Everything else
  route("*", "routes/screens/not-found.tsx"),
] satisfies RouteConfig;
