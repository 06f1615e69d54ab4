/**
 * Minifies the script that every page loads with terser instead of esbuild, which makes it 4 % smaller (98.0 instead of
 * 102.1 kB, gzipped). Only that one, because terser takes seconds for it.
 */
import { minify } from "terser";
import type { Plugin } from "vite";

export function shellMinifier(): Plugin {
  return {
    name: "odin-shell-minifier",
    apply: "build",
    renderChunk: {
      // After esbuild.
      order: "post",
      async handler(code, { name }) {
        if (this.environment.name !== "client" || name !== "shell") return null;
        const { code: smaller } = await minify(code, { module: true, ecma: 2020 });
        return smaller === undefined ? null : { code: smaller, map: null };
      },
    },
  };
}
