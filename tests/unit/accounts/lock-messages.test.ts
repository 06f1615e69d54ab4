import { afterEach, describe, expect, it, vi } from "vitest";
import { currentNotices, notify, setNoticeReader } from "#app/components/ui/dialogs/notify.ts";
import { enterTopLayer, messageDialog, pageCover, topmost } from "#app/components/ui/dialogs/top-layer.ts";

/** The top layer compares elements, and needs nothing else of them. */
const element = (name: string) => ({ name }) as unknown as HTMLElement;

const leave: (() => void)[] = [];
function open(name: string, options?: { hidesPage: boolean }): HTMLElement {
  const dialog = element(name);
  leave.push(enterTopLayer(dialog, options));
  return dialog;
}

afterEach(() => {
  for (const close of leave.splice(0)) close();
  notify.dismiss();
});

const texts = () => currentNotices().map(({ message }) => message);

describe("messages of the page", () => {
  it("are in the topmost dialog", () => {
    expect(messageDialog()).toBeUndefined();
    open("results");
    const detail = open("detail");
    expect(messageDialog()).toBe(detail);
    expect(pageCover()).toBeUndefined();
  });

  it("are never in the session lock, but where they would be without it", () => {
    const lock = open("lock", { hidesPage: true });
    expect(messageDialog()).toBeUndefined();
    expect([topmost(), pageCover()]).toEqual([lock, lock]);
    leave.splice(0)[0]?.();
    const detail = open("detail");
    open("lock", { hidesPage: true });
    expect(messageDialog()).toBe(detail);
    // A dialog that opens above the lock shows them no more than the lock itself.
    open("question");
    expect(messageDialog()).toBe(detail);
  });
});

describe("messages of an ended session", () => {
  it("stay for the same user, and are removed when another one signs in", () => {
    setNoticeReader("viewer");
    notify.error("The plate KMY6237 could not be renewed.");
    setNoticeReader(undefined);
    setNoticeReader("viewer");
    expect(texts()).toEqual(["The plate KMY6237 could not be renewed."]);
    setNoticeReader(undefined);
    setNoticeReader("hotadmin");
    expect(texts()).toEqual([]);
  });
});

describe("a message", () => {
  it("with a link stays until it is dismissed, and without one for five seconds", () => {
    vi.useFakeTimers();
    try {
      notify.success("Downloaded", { action: { label: "Verify", onSelect: () => {} } });
      notify.success("Saved");
      notify.info("Noted", { action: { label: "Open", onSelect: () => {} }, duration: 20_000 });
      vi.advanceTimersByTime(5000);
      expect(texts()).toEqual(["Downloaded", "Noted"]);
      vi.advanceTimersByTime(15_000);
      expect(texts()).toEqual(["Downloaded"]);
      vi.advanceTimersByTime(24 * 60 * 60 * 1000);
      expect(texts()).toEqual(["Downloaded"]);
    } finally {
      vi.useRealTimers();
    }
  });
});
