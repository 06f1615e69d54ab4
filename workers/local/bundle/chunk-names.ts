/**
 * Decides which scripts the build puts into one file. By itself, Rollup makes a file for every set of screens that
 * share a module: dozens of small ones per page, each of which costs a phone a round trip.
 */

type ModuleGraph = {
  getModuleIds: () => IterableIterator<string>;
  getModuleInfo: (id: string) => {
    importedIds: readonly string[];
    dynamicImporters: readonly string[];
    isEntry: boolean;
    code: string | null;
  } | null;
};

/** What every signed-in page loads before its own screen. */
const SHELL = /\/app\/(entry\.client|root|routes\/layouts\/signed-in)\.tsx$/;
const SEARCH = /\/app\/routes\/screens\/search\/form\.tsx$/;
const SEARCH_ROOM = /\/app\/routes\/screens\/search\//;
const RESULTS = /\/app\/routes\/screens\/search\/results\.tsx$/;
/** The module that exports every icon, and one icon. */
const ALL_ICONS = /\/lucide-react\/dist\/esm\/lucide-react\.mjs$/;
const ICON = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.mjs$/;

/** Returns Rollup's `manualChunks`: the name of a module's file, or undefined to leave it to Rollup. */
export function chunkNames() {
  let names: Map<string, string> | undefined;
  return (id: string, graph: ModuleGraph): string | undefined => {
    names ??= nameChunks(graph);
    return names.get(id);
  };
}

function nameChunks(graph: ModuleGraph): Map<string, string> {
  const all = [...graph.getModuleIds()];
  const pathOf = (id: string) => id.split("?")[0] ?? "";
  const isEntry = (id: string) => graph.getModuleInfo(id)?.isEntry === true;
  const isLazy = (id: string) => (graph.getModuleInfo(id)?.dynamicImporters.length ?? 0) > 0;
  const loadedBy = (matches: (id: string) => boolean) => closure(graph, all.filter(matches));
  const shell = loadedBy((id) => SHELL.test(pathOf(id)));
  const search = loadedBy((id) => SEARCH.test(pathOf(id)));
  const results = loadedBy((id) => RESULTS.test(pathOf(id)));
  const others = loadedBy((id) => isEntry(id) && !RESULTS.test(pathOf(id)));
  const otherRooms = loadedBy((id) => isEntry(id) && !SEARCH_ROOM.test(pathOf(id)));
  const elsewhere = loadedBy((id) => (isEntry(id) || isLazy(id)) && !SEARCH.test(pathOf(id)));
  const names = new Map<string, string>();
  // An icon is smaller than a request for it: those of the other screens share a file.
  for (const id of all)
    if (ICON.test(id)) names.set(id, search.has(id) ? "search" : results.has(id) ? "reads" : "icons");
  for (const id of search) if (elsewhere.has(id)) names.set(id, otherRooms.has(id) ? "fields" : "request");
  for (const id of results) if (others.has(id)) names.set(id, search.has(id) ? "search" : "reads");
  for (const id of shell) names.set(id, "shell");
  // The entries themselves keep their own files.
  for (const id of all) if (isEntry(id)) names.delete(id);
  return names;
}

/** Returns these modules and what they import statically; of the icons, only those that they name. */
function closure({ getModuleInfo }: ModuleGraph, ids: string[]): Set<string> {
  const found = new Set<string>();
  const named = new Set<string>();
  let all: string | undefined;
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    const { importedIds = [], code = null } = getModuleInfo(id) ?? {};
    if (ALL_ICONS.test(id)) all = id;
    for (const name of importedIcons(code ?? "")) named.add(name);
    waiting.push(...importedIds.filter((imported) => all !== id || !ICON.test(imported)));
  }
  const info = all === undefined ? null : getModuleInfo(all);
  const files = iconFiles(info?.code ?? "");
  const wanted = new Set([...named].map((name) => files.get(name)));
  const icons = (info?.importedIds ?? []).filter((id) => wanted.has(ICON.exec(id)?.[1]));
  return new Set([...found, ...icons]);
}

/** Returns the names of the icons that a module imports. */
function importedIcons(code: string): string[] {
  const [, names = ""] = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/.exec(code) ?? [];
  return names.split(",").map((name) => name.trim().split(/\s/)[0] ?? "");
}

/** Returns the file of each icon by its names, from the module that exports all icons. */
function iconFiles(code: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const [, names = "", file = ""] of code.matchAll(
    /export\s*\{([^}]*)\}\s*from\s*["']\.\/icons\/([\w-]+)\.mjs["']/g,
  ))
    for (const [, name = ""] of names.matchAll(/default as (\w+)/g)) files.set(name, file);
  return files;
}
