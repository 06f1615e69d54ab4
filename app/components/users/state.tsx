import { Lock, ShieldCheck, UserX } from "lucide-react";
import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { ManagedUser } from "#app/entities/users/directory.ts";

/** What stands out about an account, each with words. */
export function UserState({ user }: { user: ManagedUser }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
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
      {user.lock && <LockCause lock={user.lock} />}
    </span>
  );
}

/** Why an account is locked, for the administrator who decides whether to release it. */
function LockCause({ lock: { at, applies_to, addresses } }: { lock: NonNullable<ManagedUser["lock"]> }) {
  const isEveryone = applies_to === "everyone";
  return (
    <span className="w-72 text-xs whitespace-normal text-muted">
      {isEveryone
        ? "Wrong passwords or codes on a known device or in a session, "
        : "Wrong sign-ins on unknown devices, "}
      <LocalTime at={at} short />
      {addresses.length > 0 && `, from ${addresses.join(", ")}`}
      {isEveryone ? "." : ". The user's known devices still work."}
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
