/** Ids of exports that run as jobs, stored in this browser until it has told the user that they are ready. */
const KEY = "odin-pending-exports";
const listeners = new Set<() => void>();

export function pendingExports(): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function store(ids: string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // Without storage, the browser shows no message; the list on the profile still has the export.
  }
  for (const listener of listeners) listener();
}

export function addPendingExport(id: string): void {
  store([...new Set([...pendingExports(), id])]);
}

export function dropPendingExport(id: string): void {
  store(pendingExports().filter((one) => one !== id));
}

export function onPendingExports(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
