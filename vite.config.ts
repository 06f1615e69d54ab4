import { cloudflareDevProxyVitePlugin, vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig, type SSROptions, type ViteDevServer } from "vite";
import { denyImports } from "vite-env-only";
import { bundleBudget } from "./workers/local/bundle/budget.ts";
import { buildInfo } from "./workers/local/bundle/build-info.ts";
import { chunkNames } from "./workers/local/bundle/chunk-names.ts";
import { bundleLicenses } from "./workers/local/bundle/licenses.ts";
import { shellMinifier } from "./workers/local/bundle/shell-minifier.ts";

declare module "@remix-run/cloudflare" {
  interface Future {
    v3_singleFetch: true;
  }
}

/** Floors of the house that only ever run on the server: importing one from the browser half fails the build. */
const SERVER_FLOORS = [
  "app/domain/**",
  "app/store/**",
  "app/providers/**",
  "app/http/**",
  "app/context.ts",
  "app/lib/log.ts",
];

const WORKER_BUNDLE: SSROptions = {
  target: "webworker",
  noExternal: true,
  resolve: { conditions: ["workerd", "worker", "browser"], externalConditions: ["workerd", "worker"] },
};

/** `npm run dev`: every request gets its context from the app's own code, loaded anew when that changes. */
async function devContext() {
  const { readSecrets, readSettings } = await import("./workers/local/settings.ts");
  const settings = readSettings();
  const secrets = { ...readSecrets(settings), ALLOW_LOOPBACK_VENDORS: "yes" };
  let server: ViteDevServer;
  return [
    {
      name: "odin-dev-server",
      configureServer(started: ViteDevServer) {
        server = started;
      },
    },
    cloudflareDevProxyVitePlugin({
      persist: { path: `${settings.state}/v3` },
      envFiles: [],
      async getLoadContext({ request, context }) {
        const { createLoadContext } = await server.ssrLoadModule("/app/http/load-context.ts");
        const { env, ctx } = context.cloudflare;
        return createLoadContext({ request, env: { ...(env as object), ...secrets }, lifetime: ctx });
      },
    }),
  ];
}

export default defineConfig(({ command, isSsrBuild }) => ({
  plugins: [
    process.env.ODIN_DEV === "1" && devContext(),
    denyImports({ client: { files: SERVER_FLOORS } }),
    tailwindcss(),
    shellMinifier(),
    bundleBudget(),
    bundleLicenses(),
    remix({
      serverModuleFormat: "esm",
      future: {
        v3_fetcherPersist: true,
        v3_relativeSplatPath: true,
        v3_throwAbortReason: true,
        v3_singleFetch: true,
        v3_lazyRouteDiscovery: false,
        v3_routeConfig: true,
      },
    }),
  ],
  define: { ODIN_BUILD: JSON.stringify(buildInfo(import.meta.dirname)) },
  // The Worker's bundle holds everything; the development server runs in Node and takes packages as they are.
  ssr: command === "build" ? WORKER_BUNDLE : {},
  // `bundleLicenses` writes them to one file.
  esbuild: { legalComments: "none" },
  // The content policy takes no data: fonts, so that no asset may be inlined.
  build: {
    target: "es2022",
    minify: true,
    sourcemap: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: isSsrBuild ? {} : { manualChunks: chunkNames() },
    },
  },
  server: { fs: { allow: ["."] } },
}));
