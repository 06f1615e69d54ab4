import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import { denyImports } from "vite-env-only";

declare module "@remix-run/cloudflare" {
  interface Future {
    v3_singleFetch: true;
  }
}

/** Floors of the house that only ever run on the server: importing one from the browser half fails the build. */
const SERVER_FLOORS = ["app/domain/**", "app/store/**", "app/providers/**", "app/http/**", "app/context.ts"];

export default defineConfig({
  plugins: [
    denyImports({ client: { files: SERVER_FLOORS } }),
    tailwindcss(),
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
  ssr: {
    target: "webworker",
    noExternal: true,
    resolve: { conditions: ["workerd", "worker", "browser"], externalConditions: ["workerd", "worker"] },
  },
  // The content policy takes no data: fonts, so that no asset may be inlined.
  build: { target: "es2022", minify: true, sourcemap: false, assetsInlineLimit: 0 },
  server: { fs: { allow: ["."] } },
});
