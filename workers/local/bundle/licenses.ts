/**
 * Writes the licenses of the packages that the browser's scripts contain to `licenses.txt`, which the site serves. The
 * scripts themselves have no license comments (`legalComments` in vite.config.ts).
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;
/** Part of the style sheet, which is not made of modules. */
const STYLES = "node_modules/tailwindcss";

export function bundleLicenses(): Plugin {
  return {
    name: "odin-bundle-licenses",
    apply: "build",
    generateBundle() {
      if (this.environment.name !== "client") return;
      const folders = new Set([join(this.environment.config.root, STYLES)]);
      for (const id of this.getModuleIds()) {
        const [folder] = PACKAGE.exec(id.replace(/^\0/, "")) ?? [];
        if (folder !== undefined) folders.add(folder);
      }
      const source = [...folders].map(licenseIn).sort().join("\n\n");
      this.emitFile({ type: "asset", fileName: "licenses.txt", source });
    },
  };
}

/** Returns the name, version and license text of the package in a folder. */
function licenseIn(folder: string): string {
  const { name, version, license }: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version}\n\n${text}\n`;
}
