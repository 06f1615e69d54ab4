import { LogOut } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { SessionSummary } from "#app/entities/accounts/actor.ts";
import { Sheet } from "./sheet.tsx";

/** Where one is signed in, with the means to end it. */
export function SessionList({ sessions }: { sessions: readonly SessionSummary[] }) {
  const { mutate } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();

  const end = (id: string) =>
    mutate(
      callApi(`/user/sessions/${encodeURIComponent(id)}`, {
        method: "DELETE",
        failed: "The session could not be ended.",
      }),
      { done: "Session ended" },
    );

  const endAll = () =>
    ask({
      title: "Sign out everywhere?",
      body: "Every session of yours ends at once, this one too.",
      confirm: "Sign out everywhere",
      pending: "Signing out…",
      danger: true,
      run: async () => {
        const answer = await callApi("/user/sign-out-everywhere", {
          method: "POST",
          failed: "The sessions could not be ended.",
        });
        if (answer.ok) location.assign("/");
        else notify.error(answer.message);
        return answer.ok;
      },
    });

  return (
    <Sheet
      title="Sessions"
      lead="Where you are signed in."
      aside={
        <Button icon={<LogOut />} onClick={endAll}>
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
      {dialog}
    </Sheet>
  );
}
