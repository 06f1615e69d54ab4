/**
 * Fails the build if a screen's first load exceeds its budget or includes map code. Sizes are those of the scripts that
 * the browser fetches, gzipped, including entry and layouts.
 */
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const KIB = 1024;

/** Budgets in KiB of screens that have their own; the others share the common one. */
const BUDGETS_KIB: Record<string, number> = { "search/form": 125 };
const ANY_SCREEN_KIB = 180;
/** What every page loads in addition to its own screen. */
const SHARED = ["app/entry.client.tsx", "app/root.tsx", "app/routes/layouts/signed-in.tsx"];
const MAP_CODE = /node_modules\/(maplibre-gl|@deck\.gl|@luma\.gl|react-map-gl)\//;

type Chunk = {
  type: "chunk";
  code: string;
  imports: string[];
  facadeModuleId: string | null;
  moduleIds: string[];
};

export function bundleBudget(): Plugin {
  return {
    name: "odin-bundle-budget",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        if (this.environment.name !== "client") return;
        const chunks = new Map<string, Chunk>();
        for (const [file, output] of Object.entries(bundle))
          if (output.type === "chunk") chunks.set(file, output);
        const facadeOf = (chunk: Chunk) => chunk.facadeModuleId?.split("?")[0] ?? "";
        const files = (path: string) =>
          [...chunks].filter(([, chunk]) => facadeOf(chunk).endsWith(`/${path}`)).map(([file]) => file);
        const shared = SHARED.flatMap(files);
        const sizes = new Map<string, number>();
        for (const [file, chunk] of chunks) {
          const screen = /\/app\/routes\/screens\/([\w/-]+)\.tsx$/.exec(facadeOf(chunk))?.[1];
          if (screen === undefined) continue;
          const loaded = closure(chunks, [...shared, file]);
          const intruder = loaded.flatMap(({ moduleIds }) => moduleIds).find((id) => MAP_CODE.test(id));
          if (intruder) this.error(`The first load of ${screen} contains map code: ${intruder}`);
          const size = loaded.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0) / KIB;
          const budget = BUDGETS_KIB[screen] ?? ANY_SCREEN_KIB;
          sizes.set(screen, size);
          if (size > budget) {
            this.error(
              `The first load of ${screen} is ${size.toFixed(1)} KiB of script, its budget is ${budget} KiB.`,
            );
          }
        }
        for (const screen of Object.keys(BUDGETS_KIB))
          if (!sizes.has(screen)) this.error(`There is no screen ${screen} for its budget.`);
        const reported = [...sizes].filter(
          ([screen]) => screen === "search/form" || screen === "search/results",
        );
        this.info(
          `first load: ${reported.map(([screen, size]) => `${screen} ${size.toFixed(1)} KiB`).join(", ")}`,
        );
      },
    },
  };
}

/** Returns the chunks that these load by static imports, without duplicates. */
function closure(chunks: Map<string, Chunk>, files: string[]): Chunk[] {
  const seen = new Map<string, Chunk>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const chunk = chunks.get(file);
    if (!chunk || seen.has(file)) continue;
    seen.set(file, chunk);
    waiting.push(...chunk.imports);
  }
  return [...seen.values()];
}
