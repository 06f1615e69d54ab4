/** Ids of exports that a job is making, kept by this browser until it has said that they are ready. */
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

function keep(ids: string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // Without storage nobody is told, and the list on the profile still has it.
  }
  for (const listener of listeners) listener();
}

export function addPendingExport(id: string): void {
  keep([...new Set([...pendingExports(), id])]);
}

export function dropPendingExport(id: string): void {
  keep(pendingExports().filter((one) => one !== id));
}

export function onPendingExports(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
