import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** Several URLs, one endpoint file: each needs an id of its own. */
function served(file: string, ...urls: string[]) {
  return urls.map((url) => route(url, `routes/endpoints/${file}.ts`, { id: `${file}:${url}` }));
}

export default [
  // Signing in
  index("routes/screens/sign-in.tsx"),
  ...served("account", "login", "dev-login", "logout", "get-current-user"),

  // One's own account: password, second factor, sessions
  layout("routes/layouts/signed-in.tsx", { id: "account" }, [
    route("profile", "routes/screens/profile.tsx"),
    route("change-password", "routes/screens/change-password.tsx"),
    route("second-factor", "routes/screens/second-factor.tsx"),
    route("second-factor/set-up", "routes/screens/second-factor-set-up.tsx"),
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
    route("admin", "routes/screens/admin.tsx"),
    route("owner", "routes/screens/owner.tsx"),
    route("owner/policy/:id", "routes/screens/agency-policy.tsx"),
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

  // Legal pages, for everybody
  layout("routes/layouts/legal.tsx", [
    route("terms", "routes/screens/terms.tsx"),
    route("privacy", "routes/screens/privacy.tsx"),
  ]),

  // The main job: search and its results
  layout("routes/layouts/signed-in.tsx", [
    route("search", "routes/screens/search.tsx"),
    route("results", "routes/screens/results.tsx"),
  ]),
  ...served(
    "search",
    "api-keys-data",
    "axon-authorized-integrations",
    "axis-authorized-agencies",
    "search-data",
    "results/:id/columns",
  ),

  // Hotlists: alert groups, their plates, members and permissions
  layout("routes/layouts/signed-in.tsx", { id: "hotlists" }, [
    route("alerts", "routes/screens/alert-groups.tsx"),
    route("create-group", "routes/screens/create-group.tsx"),
    route("groups/:id", "routes/screens/group-details.tsx"),
    route("groups/:id/details", "routes/screens/group-details.tsx", { id: "group-details-long" }),
    route("groups/:id/edit", "routes/screens/group-edit.tsx"),
    route("edit-alerts-permissions", "routes/screens/alerts-permissions.tsx"),
  ]),
  ...served(
    "alert-groups",
    "alerts-data",
    "toggle-push-alerts",
    "alerts/group/:id/details-data",
    "groups/:id/edit-data",
    "groups/:id/image",
    "group-create-data",
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
  ...served(
    "hotlists",
    "hotlist/add-plate-direct",
    "hotlist/check-plate",
    "groups/:id/remove-plate",
    "groups/:id/plates",
    "groups/:id/plates/:plate",
    "groups/:id/bulk-upload-plates",
    "groups/:id/import",
    "groups/:id/import/:import/apply",
    "groups/:id/import/:import/cancel",
    "get-hotlist-attachment-url/:file",
  ),

  // The map: its basemap through our own origin, and the address of a read
  ...served("map", "map/basemap", "map/tiles/:z/:x/:y", "results/:id/sightings/:row/address"),

  // Images of reads, through the server
  ...served(
    "images",
    "rekor/cropped-plate",
    "proxy-rekor-image",
    "proxy-axon-image",
    "proxy-axon-plate-image",
    "proxy-axis-image",
  ),

  // Exports: what leaves the product, and the keys with which it is checked
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
  route("verify", "routes/screens/verify.tsx"),

  // Doors for cameras
  ...served("reads", "ingest/axis/:secret"),

  // Everything else
  route("*", "routes/screens/not-found.tsx"),
] satisfies RouteConfig;
