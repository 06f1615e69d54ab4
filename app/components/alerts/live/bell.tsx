import { Link, useNavigation } from "@remix-run/react";
import { Bell as BellIcon } from "lucide-react";
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from "react";
import { AlertDialog } from "#app/components/alerts/dialog.tsx";
import { keepPushHere } from "#app/components/alerts/push/this-browser.ts";
import { badgeIcon } from "#app/components/shell/offline.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import { placeBeside, popover, usePopover } from "#app/components/ui/floating.ts";
import { type LiveAlert, MAX_LIVE_COUNT } from "#app/entities/alerts/hit.ts";
import { PRIORITIES, type Priority } from "#app/entities/hotlists/entry.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { announceArrivals } from "./arrivals.ts";
import { HitList, HitToasts, NoticeList } from "./hits.tsx";
import { allowHitSound, playHitSound } from "./sound.ts";
import type { LiveState } from "./state.ts";
import { useLiveAlerts } from "./use-live-alerts.ts";

/** How long a live region keeps its text. */
const ANNOUNCED_MS = 5 * SECOND;

/** Unset until the user has decided. */
const SOUND = ["on", "off"] as const;

function countText(count: number): string {
  return count > MAX_LIVE_COUNT ? `${MAX_LIVE_COUNT}+` : String(count);
}

/** The newest hits of the user's groups and notices of expiring plates, in the navigation bar. */
export function Bell({ userId, username }: { userId: string; username: string }) {
  const id = useId();
  const [opened, setOpened] = useState<string>();
  const [toasts, setToasts] = useState<readonly LiveAlert[]>([]);
  const [news, setNews] = useState<readonly LiveAlert[]>([]);
  const { sound, chooseSound, playFor } = useHitSound(userId);
  const live = useLiveAlerts({
    username,
    onArrival: (arrived) => {
      setToasts((before) => [...arrived, ...before]);
      setNews(arrived);
      announceArrivals(arrived);
      playFor(arrived);
    },
    onGone: dismiss,
  });

  // Otherwise a browser whose subscription was renewed or refused meanwhile would get no pushes.
  useEffect(() => {
    keepPushHere({ id: userId, username }).catch(() => {});
  }, [userId, username]);

  // Announced once: a live region that moves into a dialog would be announced again.
  useEffect(() => {
    if (news.length === 0) return;
    const timer = setTimeout(() => setNews([]), ANNOUNCED_MS);
    return () => clearTimeout(timer);
  }, [news]);

  // The page behind an open hit is inert, so a form that leads to another screen is the hit's own "Search this plate".
  // Other navigations, such as to the results of a running search, keep the hit and its note.
  const isLeaving = useNavigation().formData !== undefined;
  useEffect(() => (isLeaving ? () => setOpened(undefined) : undefined), [isLeaving]);

  const isShown = live.member === true;
  const { unread: unreadHits } = live;
  useEffect(() => {
    if (isShown) badgeIcon(unreadHits);
  }, [isShown, unreadHits]);
  const button = useRef<HTMLButtonElement>(null);
  const panel = usePopover<HTMLDivElement>({
    isRendered: isShown,
    show(element) {
      if (!button.current) return;
      setToasts([]);
      element.showPopover();
      placeBeside(button.current, element, { align: "end" });
      element.focus();
    },
    onToggle: (isOpen) => (isOpen ? live.openList() : live.closeList()),
  });

  if (!isShown) return null;
  const { unread, alerts, notices, unreadNotices } = live;

  function dismiss(ids: string[]) {
    setToasts((before) => before.filter((hit) => !ids.includes(hit.id)));
  }
  function open(alertId: string) {
    panel.hide();
    dismiss([alertId]);
    setOpened(alertId);
  }

  return (
    <>
      <BellButton button={button} panelId={id} panel={panel} unread={unread} unreadNotices={unreadNotices} />
      <BellPanel
        id={id}
        panel={panel}
        alerts={alerts}
        notices={notices}
        hasSound={sound === "on"}
        onSound={(on) => chooseSound(on, alerts)}
        onOpen={open}
      />
      <HitToasts
        hits={toasts.map((hit) => alerts.find(({ id }) => id === hit.id) ?? hit)}
        news={news}
        anchor={button}
        onSound={sound === "unset" ? (on) => chooseSound(on, toasts) : undefined}
        onOpen={open}
        onShowAll={panel.toggle}
        onDismiss={dismiss}
      />
      {opened !== undefined && <AlertDialog id={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

type BellPopover = ReturnType<typeof usePopover<HTMLDivElement>>;

type BellButtonProps = {
  button: RefObject<HTMLButtonElement>;
  panelId: string;
  panel: BellPopover;
  unread: number;
  unreadNotices: number;
};

function BellButton({ button, panelId, panel, unread, unreadNotices }: BellButtonProps) {
  const noticeLabel =
    unreadNotices === 0 ? "" : `, ${unreadNotices} unread ${unreadNotices === 1 ? "notice" : "notices"}`;
  return (
    <button
      ref={button}
      type="button"
      aria-label={`Hits, ${unread > 0 ? countText(unread) : "none"} unread${noticeLabel}`}
      aria-haspopup="dialog"
      aria-expanded={panel.isOpen}
      aria-controls={panelId}
      className={cx(buttonClass("ghost"), "size-control !px-0")}
      {...panel.buttonEvents}
    >
      <BellIcon aria-hidden="true" />
      {unread + unreadNotices > 0 && (
        <span
          aria-hidden="true"
          className="absolute -end-0.5 -top-0.5 min-w-4 rounded-full bg-hit px-1 text-center text-xs leading-4 font-semibold text-on-hit tabular-nums"
        >
          {countText(unread + unreadNotices)}
        </span>
      )}
    </button>
  );
}

/** Whether hits make a sound, as this user has chosen in this browser. */
function useHitSound(userId: string) {
  const choice = useMemo(
    () =>
      storedChoice(
        `odin-hit-sound.${userId}`,
        (text) => SOUND.find((value) => value === text) ?? ("unset" as const),
      ),
    [userId],
  );
  const sound = choice.use();
  useEffect(() => (sound === "on" ? allowHitSound() : undefined), [sound]);
  return {
    sound,
    playFor(hits: readonly LiveAlert[]) {
      if (sound === "on") void playHitSound(highestPriority(hits));
    },
    /** When sound is turned on, it plays once, as it would for these hits. */
    chooseSound(on: boolean, hits: readonly LiveAlert[]) {
      choice.set(on ? "on" : "off");
      if (on) void playHitSound(highestPriority(hits));
    },
  };
}

type BellPanelProps = {
  id: string;
  panel: BellPopover;
  alerts: readonly LiveAlert[];
  notices: LiveState["notices"];
  hasSound: boolean;
  onSound: (on: boolean) => void;
  onOpen: (alertId: string) => void;
};

/** The list of the newest hits and notices. */
function BellPanel({ id, panel, alerts, notices, hasSound, onSound, onOpen }: BellPanelProps) {
  const { isOpen, hide } = panel;
  return (
    <div
      ref={panel.ref}
      id={id}
      role="dialog"
      aria-label="Newest hits"
      tabIndex={-1}
      className="sheet floating w-120 flex-col outline-none open:flex"
      {...popover("auto")}
    >
      <NoticeList notices={notices} isOpen={isOpen} onFollow={hide} />
      <HitList alerts={alerts} isOpen={isOpen} onOpen={onOpen} />
      <div className="flex items-center gap-3 border-t border-line px-3 py-2">
        <Checkbox label="Sound" checked={hasSound} onCheckedChange={onSound} />
        <Link to="/alerts" className="ms-auto underline" onClick={hide}>
          All alert groups
        </Link>
      </div>
    </div>
  );
}

function highestPriority(hits: readonly LiveAlert[]): Priority {
  return PRIORITIES.find(({ value }) => hits.some(({ priority }) => priority === value))?.value ?? "normal";
}
