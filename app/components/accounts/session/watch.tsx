import { useLocation, useNavigate, useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { forgetLeftForm, keepLeftForms } from "#app/components/search/form/forget-left-form.ts";
import { LogoutButton } from "#app/components/shell/logout-button.tsx";
import { forgetHits, noteSession, registerWhenInstalled } from "#app/components/shell/offline.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { HOME_OF } from "#app/entities/accounts/access.ts";
import type { SessionTime } from "#app/entities/accounts/actor.ts";
import { MINUTE, SECOND } from "#app/lib/time/dates.ts";
import { announceSession, onSessionAnnounced, onSessionEnd, sessionIsBack } from "./events.ts";
import { type LockStep, SessionLock } from "./lock.tsx";
import { countdown, planSession } from "./plan.ts";

type Shown =
  | { kind: "nothing" }
  | { kind: "warning"; until: number; final: boolean }
  | { kind: "lock"; step: LockStep };

const ASK_AGAIN_MS = SECOND / 2;
const NOTHING: Shown = { kind: "nothing" };

/** Returns how long the session lasts, without extending it; undefined if the server did not answer. */
async function askTime(): Promise<SessionTime | "ended" | undefined> {
  const answer = await callApi<SessionTime>("/session-time", { background: true, handles401: true });
  if (answer.ok) return answer.value;
  return answer.status === 401 ? "ended" : undefined;
}

/**
 * Warns three minutes before the session ends and lets the user extend it. When it has ended, hides the page (CJIS
 * AC-11) until the same user signs in again; unsaved input is kept.
 */
export function SessionWatch() {
  const { shown, setShown, username, check } = useSession(useRefusedLoads());
  if (shown.kind === "warning") {
    return <SessionWarning until={shown.until} final={shown.final} onUsed={check} />;
  }
  if (shown.kind === "nothing") return null;
  return (
    <SessionLock
      username={username}
      step={shown.step}
      onStep={(step) => setShown({ kind: "lock", step })}
      onSignedIn={check}
    />
  );
}

type RefusedLoads = { noteInput: () => void; repeat: () => void };

/** Returns a function that notes where the user types, and one that repeats the loads that were refused without a session. */
function useRefusedLoads(): RefusedLoads {
  const { revalidate } = useRevalidator();
  const here = useLocation();
  const navigation = useNavigation();
  const navigate = useNavigate();
  /** Path of the screen with the latest unsaved input. */
  const inputPath = useRef("");
  const repeat = useRef<() => void>(() => {});
  repeat.current = () => {
    // If the session ended during a navigation, the old screen is still shown; keep it if it has unsaved input.
    const isLeaving = navigation.state !== "idle" && navigation.location.pathname !== here.pathname;
    if (!isLeaving || inputPath.current !== here.pathname) return revalidate();
    // The browser's Back button has already changed the URL: push this page on top of the one it led to.
    const replace = location.pathname === here.pathname;
    navigate(here, { replace, state: here.state, preventScrollReset: true });
  };
  const [loads] = useState(() => ({
    noteInput: () => {
      inputPath.current = location.pathname;
    },
    repeat: () => repeat.current(),
  }));
  return loads;
}

/** Follows the session: asks the server when it may have changed, and decides what is shown above the page. */
function useSession(loads: RefusedLoads) {
  const { revalidate } = useRevalidator();
  const [shown, setShown] = useState<Shown>(NOTHING);
  const [username, setUsername] = useState("");
  const check = useRef<() => void>(() => {});

  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let holder = "";
    let end = Number.POSITIVE_INFINITY;
    let locked = false;
    /** A call was refused. It may have been sent just before a step-up that replaced the session's token. */
    let doubted = false;
    let askedTwice = false;
    const lock = (step: LockStep = "password") => {
      if (!holder) return location.assign("/");
      locked = true;
      forgetHits();
      forgetLeftForm();
      setShown({ kind: "lock", step });
    };
    const checkNow = async () => {
      clearTimeout(timer);
      const time = await askTime();
      if (stopped) return;
      if (time === "ended") {
        // The user may be signing in again in another tab, and the answer with the new cookie may be on its way.
        if (!askedTwice) {
          askedTwice = true;
          timer = setTimeout(checkNow, ASK_AGAIN_MS);
          return;
        }
        doubted = false;
        return lock();
      }
      if (time === undefined) {
        if (doubted || Date.now() >= end) lock();
        timer = setTimeout(checkNow, MINUTE / 4);
        return;
      }
      // Another user signed in in another window and must not see this page.
      if (holder && holder !== time.username) {
        forgetHits();
        forgetLeftForm();
        return location.assign("/");
      }
      const isFirst = holder === "";
      holder = time.username;
      setUsername(holder);
      if (isFirst) announceSession(holder);
      if (time.state !== "full" && location.pathname !== HOME_OF[time.state]) {
        // An incomplete sign-in, here or in another window, does not unlock the page.
        if (time.state === "awaiting-second-factor") return lock("second-factor");
        if (time.state === "must-change-password") return lock("new-password");
        return location.assign(HOME_OF[time.state]);
      }
      if (locked || doubted) sessionIsBack();
      keepLeftForms();
      // Repeats the loads that were refused meanwhile.
      if (locked) loads.repeat();
      else if (doubted) revalidate();
      locked = false;
      doubted = false;
      askedTwice = false;
      const { leftMs, warn, final, againMs } = planSession(time);
      end = Date.now() + leftMs;
      noteSession(holder, end);
      setShown(warn ? { kind: "warning", until: end, final } : NOTHING);
      timer = setTimeout(checkNow, againMs);
    };
    // Timers stop while the computer sleeps.
    const onReturn = () => {
      if (document.visibilityState === "visible") void checkNow();
    };
    const onInput = () => {
      if (!locked) loads.noteInput();
    };
    check.current = () => void checkNow();
    const stopListening = onSessionEnd(() => {
      doubted = true;
      void checkNow();
    });
    // Someone signed out or in. A window that stays visible still shows the previous user's page, so it is covered if
    // Odin does not answer whose session it is.
    const stopWatchingWindows = onSessionAnnounced((user) => {
      doubted ||= user !== holder;
      if (locked || doubted) void checkNow();
    });
    const stopWaiting = registerWhenInstalled(() => void checkNow());
    document.addEventListener("visibilitychange", onReturn);
    document.addEventListener("input", onInput);
    void checkNow();
    return () => {
      stopped = true;
      clearTimeout(timer);
      stopListening();
      stopWatchingWindows();
      stopWaiting();
      document.removeEventListener("visibilitychange", onReturn);
      document.removeEventListener("input", onInput);
    };
  }, [revalidate, loads]);

  return { shown, setShown, username, check: () => check.current() };
}

/** Warns in the last minutes of a session and lets the user stay signed in. */
function SessionWarning({
  until,
  final,
  onUsed,
}: {
  until: number;
  /** The maximum of twelve hours is nearly reached: using the session does not extend it. */
  final: boolean;
  onUsed: () => void;
}) {
  const [now, setNow] = useState(Date.now);
  const [pending, setPending] = useState(false);
  const [seen, setSeen] = useState(false);
  const stayButton = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, []);

  async function stay() {
    if (final) return setSeen(true);
    setPending(true);
    // Every call without the background header counts as use.
    await callApi("/get-current-user", { handles401: true });
    setPending(false);
    onUsed();
  }

  return (
    <Dialog
      open={!seen}
      onClose={stay}
      role="alertdialog"
      size="sm"
      initialFocus={stayButton}
      title={final ? "Your session ends soon" : "Are you still there?"}
      description={
        final
          ? "A session has a time limit, even while you use it. You can sign in again on this page, and your entries are kept."
          : "You have been inactive for a while. Your entries are kept if you sign in again."
      }
      footer={
        <>
          <LogoutButton />
          <Button ref={stayButton} variant="primary" pending={pending} pendingLabel="Staying…" onClick={stay}>
            {final ? "I understand" : "Stay signed in"}
          </Button>
        </>
      }
    >
      <p className="text-lg">
        You will be signed out in{" "}
        <span role="timer" className="font-mono font-semibold tabular-nums">
          {countdown(until - now)}
        </span>
        .
      </p>
      <LiveRegion urgent>
        {until - now <= 30 * SECOND ? "You will be signed out in 30 seconds." : ""}
      </LiveRegion>
    </Dialog>
  );
}
