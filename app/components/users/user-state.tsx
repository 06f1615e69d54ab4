import { Lock, ShieldCheck, UserX } from "lucide-react";
import { Badge } from "#app/components/ui/badge.tsx";
import type { ManagedUser } from "#app/entities/user.ts";

/** What stands out about an account, each with words. */
export function UserState({ user }: { user: ManagedUser }) {
  return (
    <span className="inline-flex gap-1">
      {user.locked && (
        <Badge tone="hit" icon={<Lock />}>
          Locked
        </Badge>
      )}
      {user.disabled && (
        <Badge tone="warn" icon={<UserX />}>
          {user.disabled === "disuse" ? "Disabled, unused" : "Disabled"}
        </Badge>
      )}
      {user.temporary_password && <Badge>Temporary password</Badge>}
      {!user.locked && !user.disabled && !user.temporary_password && <Badge tone="ok">Active</Badge>}
    </span>
  );
}

export function SecondFactorState({ on }: { on: boolean }) {
  return on ? (
    <Badge tone="ok" icon={<ShieldCheck />}>
      On
    </Badge>
  ) : (
    <span className="text-muted">Off</span>
  );
}
