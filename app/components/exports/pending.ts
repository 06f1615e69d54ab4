// Ids of exports that run as jobs, stored in this browser until the user has been told that they are ready. They are
// stored under the user's id, so that users who share a computer do not get each other's messages.

import { createListeners } from "#app/lib/listeners.ts";

const keyOf = (userId: string) => `odin.pending-exports.${userId}`;
const listeners = createListeners();

export function pendingExports(userId: string): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function store(userId: string, ids: string[]): void {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(ids));
  } catch {
    // Without storage, the browser shows no message; the list on the profile still has the export.
  }
  listeners.notify();
}

export function addPendingExport(userId: string, id: string): void {
  store(userId, [...new Set([...pendingExports(userId), id])]);
}

export function dropPendingExport(userId: string, id: string): void {
  store(
    userId,
    pendingExports(userId).filter((pending) => pending !== id),
  );
}

export const onPendingExports = listeners.subscribe;
