import {
  EllipsisVertical,
  KeyRound,
  ListX,
  LockOpen,
  MonitorSmartphone,
  ShieldOff,
  Trash2,
  UserCheck,
  UserCog,
  UserX,
} from "lucide-react";
import { Button } from "#app/components/ui/button.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { ManagedUser } from "#app/entities/users/directory.ts";
import type { UserActionsProps } from "./table.tsx";

/** An administrator's actions on a user of the agency. Only the owner may change the owner's account. */
export function AgencyUserActions({ user, ask, showSessions }: UserActionsProps) {
  return (
    <span className="flex items-center">
      {!user.is_owner && (
        <>
          <IconButton
            size="sm"
            label={`Reset Password of ${user.username}`}
            icon={<KeyRound />}
            onClick={() => ask("reset")}
          />
          <IconButton
            size="sm"
            label={`Edit Role of ${user.username}`}
            icon={<UserCog />}
            onClick={() => ask("role")}
          />
          <IconButton
            size="sm"
            label={`Delete User ${user.username}`}
            icon={<Trash2 />}
            onClick={() => ask("remove")}
          />
        </>
      )}
      <Menu
        label={`More for ${user.username}`}
        trigger={<IconButton size="sm" label={`More for ${user.username}`} icon={<EllipsisVertical />} />}
      >
        {user.locked && (
          <MenuItem icon={<LockOpen />} onSelect={() => ask("unlock")}>
            Unlock
          </MenuItem>
        )}
        {user.disabled && (
          <MenuItem icon={<UserCheck />} onSelect={() => ask("enable")}>
            Enable
          </MenuItem>
        )}
        {mayDisable(user) && (
          <MenuItem icon={<UserX />} danger onSelect={() => ask("disable")}>
            {user.disabled ? "Disable here too" : "Disable"}
          </MenuItem>
        )}
        <MenuItem icon={<MonitorSmartphone />} onSelect={showSessions}>
          Show sessions
        </MenuItem>
        {user.sessions > 0 && !user.is_owner && (
          <MenuItem icon={<ListX />} danger onSelect={() => ask("sessions")}>
            End sessions
          </MenuItem>
        )}
        {user.second_factor && !user.is_owner && (
          <MenuItem icon={<ShieldOff />} danger onSelect={() => ask("factor")}>
            Remove second factor
          </MenuItem>
        )}
      </Menu>
    </span>
  );
}

/**
 * An administrator can also disable a user whom the provider has disabled, so that the provider cannot enable the user
 * again.
 */
function mayDisable({ disabled, is_owner }: ManagedUser): boolean {
  return disabled === "identity provider" || (disabled === null && !is_owner);
}

/** The owner's actions on a user of any agency. */
export function OwnerUserActions({ user, ask }: UserActionsProps) {
  return (
    <span className="flex items-center gap-1">
      <Button size="sm" icon={<KeyRound />} onClick={() => ask("reset")}>
        Reset Password<span className="sr-only"> of {user.username}</span>
      </Button>
      {user.locked && (
        <Button size="sm" icon={<LockOpen />} onClick={() => ask("unlock")}>
          Unlock<span className="sr-only"> {user.username}</span>
        </Button>
      )}
    </span>
  );
}
