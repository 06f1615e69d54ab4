/**
 * Says which scripts the build puts into one file. By itself, Rollup makes a file for every set of screens that share a
 * module: dozens of small ones per page, each of which costs a phone a round trip.
 */

type ModuleGraph = {
  getModuleIds: () => IterableIterator<string>;
  getModuleInfo: (id: string) => { importedIds: readonly string[]; isEntry: boolean } | null;
};

/** What every signed-in page loads before its own screen. */
const SHELL = /\/app\/(entry\.client|root|routes\/layouts\/signed-in)\.tsx$/;
const SEARCH = /\/app\/routes\/screens\/search\/form\.tsx$/;
const RESULTS = /\/app\/routes\/screens\/search\/results\.tsx$/;

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
  const loadedBy = (matches: (id: string) => boolean) => closure(graph, all.filter(matches));
  const shell = loadedBy((id) => SHELL.test(pathOf(id)));
  const search = loadedBy((id) => SEARCH.test(pathOf(id)));
  const results = loadedBy((id) => RESULTS.test(pathOf(id)));
  const others = loadedBy((id) => graph.getModuleInfo(id)?.isEntry === true && !RESULTS.test(pathOf(id)));
  const names = new Map<string, string>();
  for (const id of results) if (others.has(id)) names.set(id, search.has(id) ? "search" : "reads");
  for (const id of shell) names.set(id, "shell");
  // The entries themselves keep their own files.
  for (const id of all) if (graph.getModuleInfo(id)?.isEntry) names.delete(id);
  return names;
}

/** Returns these modules and what they import statically. */
function closure({ getModuleInfo }: ModuleGraph, ids: string[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...(getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}
