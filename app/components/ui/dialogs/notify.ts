import { createListeners } from "#app/lib/listeners.ts";

export type Notice = {
  id: number;
  kind: "success" | "error" | "info";
  message: string;
  description?: string;
  action?: { label: string; onSelect: () => void };
  /** Whether the message says nothing about the page, so that the session lock shows it too. */
  onLock?: boolean;
};

export type NoticeOptions = Pick<Notice, "description" | "action" | "onLock"> & {
  /** How long it stays, in milliseconds; by default errors, and messages with an action, stay until dismissed. */
  duration?: number;
};

const DURATION_MS = 5000;
const MAX_NOTICES = 4;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = createListeners();

function change(next: readonly Notice[]) {
  notices = next;
  listeners.notify();
}

function add(kind: Notice["kind"], message: string, options: NoticeOptions = {}): number {
  const stays = kind === "error" || options.action !== undefined;
  const { duration = stays ? Number.POSITIVE_INFINITY : DURATION_MS, ...rest } = options;
  lastId += 1;
  const id = lastId;
  const others = notices.filter((notice) => notice.kind !== kind || notice.message !== message);
  change([...others, { id, kind, message, ...rest }].slice(-MAX_NOTICES));
  if (Number.isFinite(duration)) setTimeout(() => dismissUnlessHeld(id), duration);
  return id;
}

let held = false;
function dismissUnlessHeld(id: number) {
  if (held) setTimeout(() => dismissUnlessHeld(id), 1000);
  else notify.dismiss(id);
}

/** Shows a message below the navigation bar or in the open dialog, and returns its id. The same message again replaces the earlier one. */
export const notify = {
  success: (message: string, options?: NoticeOptions) => add("success", message, options),
  error: (message: string, options?: NoticeOptions) => add("error", message, options),
  info: (message: string, options?: NoticeOptions) => add("info", message, options),
  dismiss: (id?: number) => change(id === undefined ? [] : notices.filter((notice) => notice.id !== id)),
};

let reader: string | undefined;

/**
 * Sets who is signed in. The messages stay while no one is, for the user who signs in again; another user's messages
 * are removed.
 */
export function setNoticeReader(userId: string | undefined): void {
  if (userId === undefined) return;
  if (reader !== undefined && reader !== userId) notify.dismiss();
  reader = userId;
}

/** Keeps messages open while the pointer or the focus is on them. */
export function holdNotices(hold: boolean): void {
  held = hold;
}

export const subscribeToNotices = listeners.subscribe;

export function currentNotices(): readonly Notice[] {
  return notices;
}
