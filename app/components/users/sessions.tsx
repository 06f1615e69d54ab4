import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { SessionSummary } from "#app/entities/accounts/actor.ts";
import type { ManagedUser } from "#app/entities/users/directory.ts";

export function UserSessionsDialog({
  user,
  onClose,
}: {
  user: ManagedUser | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog open={user !== undefined} onClose={onClose} title={`Sessions of ${user?.username}`}>
      {user && <Sessions userId={user.id} />}
    </Dialog>
  );
}

function Sessions({ userId }: { userId: string }) {
  const [sessions, setSessions] = useState<SessionSummary[]>();
  const [problem, setProblem] = useState("");
  useEffect(() => {
    callApi<{ sessions: SessionSummary[] }>(`/admin/sessions/${encodeURIComponent(userId)}`, {
      failed: "The sessions could not be loaded.",
    }).then((answer) => {
      if (answer.ok) setSessions(answer.value.sessions);
      else setProblem(answer.message);
    });
  }, [userId]);
  if (problem) return <ErrorBox message={problem} />;
  if (!sessions) return <Skeleton className="h-16 w-full" />;
  if (sessions.length === 0) return <p className="text-muted">Not signed in anywhere.</p>;
  return (
    <ul className="-my-2 flex flex-col divide-y divide-line">
      {sessions.map((session) => (
        <li key={session.id} className="py-2.5">
          <span className="block font-medium">{session.client}</span>
          <span className="block text-xs text-muted">
            {session.ip} · since <LocalTime at={session.created_at} /> · last used{" "}
            <LocalTime at={session.last_seen_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
