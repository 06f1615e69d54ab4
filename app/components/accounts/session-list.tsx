import { useRevalidator } from "@remix-run/react";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { SessionSummary } from "#app/entities/accounts/actor.ts";
import { callApi, problemOf } from "./call-api.ts";
import { LocalTime } from "./local-time.tsx";
import { Sheet } from "./sheet.tsx";

/** Where one is signed in, with the means to end it. */
export function SessionList({ sessions }: { sessions: readonly SessionSummary[] }) {
  const { revalidate } = useRevalidator();
  const [asking, setAsking] = useState(false);

  async function end(id: string) {
    try {
      await callApi(`/user/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
      notify.success("Session ended");
    } catch (error) {
      notify.error(problemOf(error, "The session could not be ended."));
    }
    revalidate();
  }

  async function endAll() {
    try {
      await callApi("/user/sign-out-everywhere", { method: "POST" });
    } catch (error) {
      notify.error(problemOf(error, "The sessions could not be ended."));
      return false;
    }
    location.assign("/");
  }

  return (
    <Sheet
      title="Sessions"
      lead="Where you are signed in."
      aside={
        <Button icon={<LogOut />} onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <ul className="-my-2 flex flex-col divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <span className="min-w-0 flex-1 basis-56">
              <span className="flex items-center gap-2 font-medium">
                {session.client}
                {session.current && <Badge tone="ok">This one</Badge>}
              </span>
              <span className="block text-xs text-muted">
                {session.ip} · since <LocalTime at={session.created_at} /> · last used{" "}
                <LocalTime at={session.last_seen_at} />
              </span>
            </span>
            {!session.current && (
              <Button size="sm" onClick={() => end(session.id)}>
                End
                <span className="sr-only"> the session of {session.client}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        confirmLabel="Sign out everywhere"
        pendingLabel="Signing out…"
        danger
        onConfirm={endAll}
      >
        Every session of yours ends at once, this one too.
      </ConfirmDialog>
    </Sheet>
  );
}
