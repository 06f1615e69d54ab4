import { useState } from "react";
import { type ApiCall, callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import type { Question } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ManagedUser, TemporaryPassword } from "#app/entities/users/directory.ts";

/** The answer to an action on a user: what to do next, if anything. */
type Changed = { notice?: string };

/** An action on a user: its confirmation dialog and its call. */
type Action = Omit<Question, "run"> & {
  path: string;
  call: ApiCall<Changed> & { failed: string };
  /** The success message. */
  done: string;
};

/** The actions on a user other than a password reset, whose answer has more than a notice. */
const ACTIONS = {
  role: (user) => {
    const role = user.role === "admin" ? "user" : "admin";
    return {
      title: `Make ${user.username} ${role === "admin" ? "an admin" : "a user"}?`,
      body:
        role === "admin"
          ? `${user.name} will manage the users, integrations and audit log of ${user.department}, and must sign in again.`
          : `${user.name} will no longer manage ${user.department}, and must sign in again.`,
      confirm: "Change role",
      danger: false,
      path: `/admin/toggle-role/${encodeURIComponent(user.id)}`,
      call: { method: "PUT", json: { new_role: role }, failed: MESSAGES.roleFailed },
      done: `${user.username} is now ${role === "admin" ? "an admin" : "a user"}`,
    };
  },
  remove: (user) => ({
    title: `Delete ${user.username}?`,
    body: `${user.name} is signed out immediately and cannot sign in again. The audit log keeps the user's actions, and the username cannot be reused for a year.`,
    confirm: "Delete User",
    danger: true,
    path: `/admin/delete-user/${encodeURIComponent(user.id)}`,
    call: { method: "DELETE", failed: MESSAGES.userDeleteFailed },
    done: `${user.username} was deleted`,
  }),
  unlock: (user) => ({
    title: `Unlock ${user.username}?`,
    body: `Five sign-ins failed within 15 minutes. Make sure that it was ${user.name}.`,
    confirm: "Unlock",
    danger: false,
    path: `/admin/unlock-user/${encodeURIComponent(user.id)}`,
    call: { method: "POST", failed: "Failed to unlock the account." },
    done: `${user.username} is unlocked`,
  }),
  disable: (user) => ({
    title: `Disable ${user.username}?`,
    body: user.disabled
      ? `The identity provider disabled ${user.name} and can enable the account again. If you disable it too, only an administrator can.`
      : `${user.name} is signed out immediately and cannot sign in until an administrator enables the account.`,
    confirm: "Disable",
    danger: true,
    ...disabling(user, true),
    done: `${user.username} is disabled`,
  }),
  enable: (user) => ({
    title: `Enable ${user.username}?`,
    body:
      user.disabled === "identity provider"
        ? `The identity provider disabled ${user.name}. If you enable the account here, ${user.name} can sign in again, and the provider can disable it again.`
        : `${user.name} can sign in again.`,
    confirm: "Enable",
    danger: false,
    ...disabling(user, false),
    done: `${user.username} is enabled`,
  }),
  factor: (user) => ({
    title: `Remove the second factor of ${user.username}?`,
    body: `Use this if ${user.name} lost the device. The user is signed out everywhere and then signs in with only the password, or sets up a new factor if your agency requires one.`,
    confirm: "Remove second factor",
    danger: true,
    path: `/admin/reset-second-factor/${encodeURIComponent(user.id)}`,
    call: { method: "POST", failed: "Failed to remove the second factor." },
    done: `The second factor of ${user.username} was removed`,
  }),
  sessions: (user) => ({
    title: `End the sessions of ${user.username}?`,
    body: `${user.name} is signed out everywhere immediately.`,
    confirm: "End sessions",
    danger: true,
    path: `/admin/end-sessions/${encodeURIComponent(user.id)}`,
    call: { method: "POST", failed: "Failed to end the sessions." },
    done: `${user.username} was signed out everywhere`,
  }),
} satisfies Record<string, (user: ManagedUser) => Action>;

export type UserActionName = "reset" | keyof typeof ACTIONS;

/** Returns the confirmation that starts an action on a user, and the temporary password of a reset. */
export function useUserActions(resetPath: "/admin/reset-user-password" | "/owner/reset-user-password") {
  const { mutate } = useMutation();
  const [shown, setShown] = useState<TemporaryPassword>();

  const reset = (user: ManagedUser): Question => ({
    title: `Reset the password of ${user.username}?`,
    body: `${user.name} receives a random temporary password that works for 24 hours, and is signed out everywhere.`,
    confirm: "Reset Password",
    run: () =>
      mutate(
        callApi<TemporaryPassword>(resetPath, {
          json: { user_id: user.id },
          failed: MESSAGES.userResetFailed,
        }),
        { done: setShown },
      ),
  });

  function question(name: UserActionName, user: ManagedUser): Question {
    if (name === "reset") return reset(user);
    const { path, call, done, ...confirmation }: Action = ACTIONS[name](user);
    return {
      ...confirmation,
      run: () =>
        mutate(callApi(path, call), {
          done({ notice }) {
            notify.success(done);
            if (notice) notify.info(notice, { duration: Number.POSITIVE_INFINITY });
          },
        }),
    };
  }

  return { question, shown, hide: () => setShown(undefined) };
}

function disabling({ id }: ManagedUser, disabled: boolean): Pick<Action, "path" | "call"> {
  return {
    path: `/admin/disable-user/${encodeURIComponent(id)}`,
    call: { method: "PUT", json: { disabled }, failed: "Failed to change the account." },
  };
}
