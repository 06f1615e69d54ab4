import { Link, useNavigation } from "@remix-run/react";
import { Bell as BellIcon } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { reportSessionEnd } from "#app/components/accounts/session/end.ts";
import { AlertDialog } from "#app/components/alerts/dialog.tsx";
import { callApi } from "#app/components/forms/api.ts";
import { badgeIcon, forgetHits, keepHits } from "#app/components/shell/offline.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { storedChoice } from "#app/components/ui/fields/stored-choice.ts";
import { isShown as isPopoverShown, placeBeside, popover } from "#app/components/ui/floating.ts";
import { LIVE_COUNT_MOST, type LiveAlert, type LiveAlerts } from "#app/entities/alerts/hit.ts";
import { PRIORITIES, type Priority } from "#app/entities/hotlists/entry.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { announceArrivals } from "./arrivals.ts";
import { HitList, HitToasts, NoticeList } from "./hits.tsx";
import { usePolling } from "./polling.ts";
import { allowHitSound, playHitSound } from "./sound.ts";
import {
  afterAnswer,
  INITIAL_STATE,
  type LiveState,
  needsFullLoad,
  noticesUntil,
  readUntil,
  unreadNotices,
  withListClosed,
  withListOpen,
} from "./state.ts";

/** How long a live region keeps its text. */
const ANNOUNCED_MS = 5 * SECOND;

/** Unset until the user has decided. */
const SOUND = ["on", "off"] as const;

function countText(count: number): string {
  return count > LIVE_COUNT_MOST ? `${LIVE_COUNT_MOST}+` : String(count);
}

/** The newest hits of the user's groups and notices of expiring plates, in the navigation bar. */
export function Bell({ userId, username }: { userId: string; username: string }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const wasShown = useRef(false);
  const [isOpen, setIsOpen] = useState(false);
  const [opened, setOpened] = useState<string>();
  const [toasts, setToasts] = useState<readonly LiveAlert[]>([]);
  const [news, setNews] = useState<readonly LiveAlert[]>([]);
  const soundChoice = useMemo(
    () =>
      storedChoice(
        `odin-hit-sound.${userId}`,
        (text) => SOUND.find((value) => value === text) ?? ("unset" as const),
      ),
    [userId],
  );
  const sound = soundChoice.use();
  useEffect(() => (sound === "on" ? allowHitSound() : undefined), [sound]);
  const live = useLiveAlerts({
    username,
    onArrival: (arrived) => {
      setToasts((before) => [...arrived, ...before]);
      setNews(arrived);
      announceArrivals(arrived);
      if (sound === "on") void playHitSound(highestPriority(arrived));
    },
    onGone: dismiss,
  });
  const latest = useRef({ openList: live.openList, closeList: live.closeList });
  latest.current = { openList: live.openList, closeList: live.closeList };

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
  useEffect(() => {
    if (!isShown) return;
    const element = panel.current;
    function onToggle(event: ToggleEvent) {
      const nowOpen = event.newState === "open";
      setIsOpen(nowOpen);
      if (nowOpen) latest.current.openList();
      else latest.current.closeList();
    }
    element?.addEventListener("toggle", onToggle);
    return () => {
      element?.removeEventListener("toggle", onToggle);
      setIsOpen(false);
    };
  }, [isShown]);

  if (!isShown) return null;
  const { unread, alerts, notices, unreadNotices } = live;
  const noticeLabel =
    unreadNotices === 0 ? "" : `, ${unreadNotices} unread ${unreadNotices === 1 ? "notice" : "notices"}`;

  function toggle() {
    const element = panel.current;
    if (!element || !button.current) return;
    if (isPopoverShown(element)) return element.hidePopover();
    // The click itself closes an open list, so check whether it was open before the click.
    if (wasShown.current) {
      wasShown.current = false;
      return;
    }
    setToasts([]);
    element.showPopover();
    placeBeside(button.current, element, { align: "end" });
    element.focus();
  }
  function dismiss(ids: string[]) {
    setToasts((before) => before.filter((hit) => !ids.includes(hit.id)));
  }
  /** The sound that is turned on plays once, as it would for these hits. */
  function chooseSound(on: boolean, hits: readonly LiveAlert[]) {
    soundChoice.set(on ? "on" : "off");
    if (on) void playHitSound(highestPriority(hits));
  }
  function open(alertId: string) {
    panel.current?.hidePopover();
    dismiss([alertId]);
    setOpened(alertId);
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={`Hits, ${unread > 0 ? countText(unread) : "none"} unread${noticeLabel}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-controls={id}
        className={cx(buttonClass("ghost"), "size-control !px-0")}
        onPointerDown={() => {
          wasShown.current = panel.current ? isPopoverShown(panel.current) : false;
        }}
        onKeyDown={() => {
          wasShown.current = false;
        }}
        onClick={toggle}
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
      <div
        ref={panel}
        id={id}
        role="dialog"
        aria-label="Newest hits"
        tabIndex={-1}
        className="sheet floating w-120 flex-col outline-none open:flex"
        {...popover("auto")}
      >
        <NoticeList notices={notices} isOpen={isOpen} onFollow={() => panel.current?.hidePopover()} />
        <HitList alerts={alerts} isOpen={isOpen} onOpen={open} />
        <div className="flex items-center gap-3 border-t border-line px-3 py-2">
          <Checkbox
            label="Sound"
            checked={sound === "on"}
            onCheckedChange={(on) => {
              chooseSound(on, alerts);
            }}
          />
          <Link to="/alerts" className="ms-auto underline" onClick={() => panel.current?.hidePopover()}>
            All alert groups
          </Link>
        </div>
      </div>
      <HitToasts
        hits={toasts.map((hit) => alerts.find(({ id }) => id === hit.id) ?? hit)}
        news={news}
        anchor={button}
        onSound={sound === "unset" ? (on) => chooseSound(on, toasts) : undefined}
        onOpen={open}
        onShowAll={toggle}
        onDismiss={dismiss}
      />
      {opened !== undefined && <AlertDialog id={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function highestPriority(hits: readonly LiveAlert[]): Priority {
  return PRIORITIES.find(({ value }) => hits.some(({ priority }) => priority === value))?.value ?? "normal";
}

type LiveAlertsHandlers = {
  username: string;
  onArrival: (arrived: LiveAlert[]) => void;
  /** The user may no longer see these hits. */
  onGone: (ids: string[]) => void;
};

/** Polls the newest hits of the user's groups every few seconds. Polling does not extend the session. */
function useLiveAlerts({ username, onArrival, onGone }: LiveAlertsHandlers) {
  const [state, setState] = useState<LiveState>(INITIAL_STATE);
  const current = useRef(state);
  const sent = useRef({ until: "", notices_until: "" });
  function change(next: LiveState) {
    current.current = next;
    setState(next);
  }

  usePolling(
    async ({ resumed, signal }) => {
      const isFull = needsFullLoad(current.current, { resumed, now: Date.now() });
      const query = isFull ? "" : `?after=${current.current.cursor}`;
      const answer = await callApi<LiveAlerts>(`/live-alerts${query}`, {
        background: true,
        signal,
      });
      if (!answer.ok) {
        if (answer.status !== 401 && answer.status !== 403) return "failed";
        forgetHits();
        // Ended from elsewhere: the watch would notice minutes later, and the page would look as if no hit had come.
        if (answer.status === 401) reportSessionEnd();
        return "stop";
      }
      const result = afterAnswer(current.current, { answer: answer.value, isFull, at: Date.now() });
      change(result.state);
      keepHits(username, result.state.alerts);
      if (result.gone.length > 0) onGone(result.gone);
      if (result.arrived.length > 0) onArrival(result.arrived);
      // A user without a group may be added to one while the app is open.
      return answer.value.member ? "ok" : "seldom";
    },
    { immediately: true },
  );

  async function markRead() {
    const until = readUntil(current.current) ?? "";
    const notices_until = noticesUntil(current.current) ?? "";
    const before = sent.current;
    if (until <= before.until && notices_until <= before.notices_until) return;
    sent.current = {
      until: later(until, before.until),
      notices_until: later(notices_until, before.notices_until),
    };
    const answer = await callApi("/live-alerts/seen", { json: { until, notices_until } });
    if (answer.ok) return;
    // Still unread: load everything again, so that the next answer says so.
    sent.current = before;
    change({ ...current.current, fullLoadAt: INITIAL_STATE.fullLoadAt });
  }

  return {
    ...state,
    unreadNotices: unreadNotices(state),
    /** Marks the list as read when it opens. */
    openList: () => {
      void markRead();
      change(withListOpen(current.current));
    },
    /** Marks the list as read when it closes, including hits that arrived while it was open. */
    closeList: () => {
      void markRead();
      change(withListClosed(current.current));
    },
  };
}

const later = (one: string, other: string) => (one > other ? one : other);
