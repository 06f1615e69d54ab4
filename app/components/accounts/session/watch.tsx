import { useLocation, useNavigate, useNavigation, useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { HOME_OF } from "#app/entities/accounts/access.ts";
import type { SessionTime } from "#app/entities/accounts/actor.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { onSessionEnd, sessionIsBack } from "./end.ts";
import { type LockStep, SessionLock } from "./lock.tsx";
import { planSession } from "./plan.ts";
import { SessionWarning } from "./warning.tsx";

type Shown =
  | { kind: "nothing" }
  | { kind: "warning"; until: number; final: boolean }
  | { kind: "lock"; step: LockStep };

const NOTHING: Shown = { kind: "nothing" };

/** Returns how long the session lasts, without extending it; undefined if the server did not answer. */
async function askTime(): Promise<SessionTime | "ended" | undefined> {
  const answer = await callApi<SessionTime>("/session-time", { background: true });
  if (answer.ok) return answer.value;
  return answer.status === 401 ? "ended" : undefined;
}

/**
 * Warns three minutes before the session ends and lets its user go on; when it has ended the page is hidden (CJIS
 * AC-11), and comes back with all that was typed when the same user signs in again.
 */
export function SessionWatch() {
  const { revalidate } = useRevalidator();
  const [shown, setShown] = useState<Shown>(NOTHING);
  const [username, setUsername] = useState("");
  const look = useRef<() => void>(() => {});
  const here = useLocation();
  const navigation = useNavigation();
  const navigate = useNavigate();
  /** The screen on which something was typed last. */
  const typedOn = useRef("");

  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let holder = "";
    let end = Number.POSITIVE_INFINITY;
    let locked = false;
    const lock = (step: LockStep = "password") => {
      if (!holder) return location.assign("/");
      locked = true;
      setShown({ kind: "lock", step });
    };
    const lookNow = async () => {
      clearTimeout(timer);
      const time = await askTime();
      if (stopped) return;
      if (time === "ended") return lock();
      if (time === undefined) {
        if (Date.now() >= end) lock();
        timer = setTimeout(lookNow, MINUTE / 4);
        return;
      }
      // Somebody else has signed in in another window: what stands here is not theirs.
      if (holder && holder !== time.username) return location.assign("/");
      holder = time.username;
      setUsername(holder);
      if (time.state !== "full" && location.pathname !== HOME_OF[time.state]) {
        // Half a sign-in, here or in another window, uncovers nothing.
        if (time.state === "awaiting-second-factor") return lock("second-factor");
        if (time.state === "must-change-password") return lock("new-password");
        return location.assign(HOME_OF[time.state]);
      }
      if (locked) sessionIsBack();
      locked = false;
      const { leftMs, warn, final, againMs } = planSession(time);
      end = Date.now() + leftMs;
      setShown(warn ? { kind: "warning", until: end, final } : NOTHING);
      timer = setTimeout(lookNow, againMs);
    };
    // Timers stand still while a computer sleeps.
    const onReturn = () => {
      if (document.visibilityState === "visible") void lookNow();
    };
    const onInput = () => {
      if (!locked) typedOn.current = location.pathname;
    };
    look.current = () => void lookNow();
    const unhear = onSessionEnd(() => lock());
    document.addEventListener("visibilitychange", onReturn);
    document.addEventListener("input", onInput);
    void lookNow();
    return () => {
      stopped = true;
      clearTimeout(timer);
      unhear();
      document.removeEventListener("visibilitychange", onReturn);
      document.removeEventListener("input", onInput);
    };
  }, []);

  function goOn() {
    look.current();
    // Where the session ended on the way to another screen, the page still stands: with something typed on it, it stays.
    const isLeaving = navigation.state !== "idle" && navigation.location.pathname !== here.pathname;
    if (!isLeaving || typedOn.current !== here.pathname) return revalidate();
    // The browser's Back has changed the address already: then this page is put on top of the one it led to.
    const replace = location.pathname === here.pathname;
    navigate(here, { replace, state: here.state, preventScrollReset: true });
  }

  if (shown.kind === "warning") {
    return <SessionWarning until={shown.until} final={shown.final} onUsed={() => look.current()} />;
  }
  if (shown.kind === "nothing") return null;
  return (
    <SessionLock
      username={username}
      step={shown.step}
      onStep={(step) => setShown({ kind: "lock", step })}
      onSignedIn={goOn}
    />
  );
}
