import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

/** Several URLs, one endpoint file: each needs an id of its own. */
function served(file: string, ...urls: string[]) {
  return urls.map((url) => route(url, `routes/endpoints/${file}.ts`, { id: `${file}:${url}` }));
}

export default [
  // Signing in
  index("routes/screens/sign-in.tsx"),
  ...served("account", "login", "dev-login", "logout", "get-current-user"),

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

  // Images of reads, through the server
  ...served(
    "images",
    "rekor/cropped-plate",
    "proxy-rekor-image",
    "proxy-axon-image",
    "proxy-axon-plate-image",
    "proxy-axis-image",
  ),

  // Doors for cameras
  ...served("reads", "ingest/axis/:secret"),

  // Everything else
  route("*", "routes/screens/not-found.tsx"),
] satisfies RouteConfig;
