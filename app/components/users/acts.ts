import { useState } from "react";
import { type ApiCall, callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import type { Question } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ManagedUser, TemporaryPassword } from "#app/entities/users/directory.ts";

/** What a change to a user asks before it calls the server. */
type Act = Omit<Question, "run"> & {
  path: string;
  call: ApiCall & { failed: string };
  /** The success message. */
  done: string;
};

/** The changes to users, each as the question that starts it, and the temporary password of a reset. */
export function useUserActs(resetPath: "/admin/reset-user-password" | "/owner/reset-user-password") {
  const { mutate } = useMutation();
  const [shown, setShown] = useState<TemporaryPassword>();

  const question = ({ path, call, done, ...words }: Act): Question => ({
    ...words,
    run: () => mutate(callApi(path, call), { done }),
  });

  const acts = {
    reset: (user: ManagedUser): Question => ({
      title: `Reset the password of ${user.username}?`,
      body: `${user.name} gets a random temporary password that works for 24 hours, and is signed out everywhere.`,
      confirm: "Reset Password",
      run: () =>
        mutate(
          callApi<TemporaryPassword>(resetPath, {
            json: { user_id: user.id },
            failed: MESSAGES.userResetFailed,
          }),
          { done: setShown },
        ),
    }),
    role: (user: ManagedUser): Question => {
      const role = user.role === "admin" ? "user" : "admin";
      return question({
        title: `Make ${user.username} ${role === "admin" ? "an admin" : "a user"}?`,
        body:
          role === "admin"
            ? `${user.name} will manage the users, integrations and audit log of ${user.department}, and has to sign in again.`
            : `${user.name} will no longer manage ${user.department}, and has to sign in again.`,
        confirm: "Change role",
        danger: false,
        path: `/admin/toggle-role/${encodeURIComponent(user.id)}`,
        call: { method: "PUT", json: { new_role: role }, failed: MESSAGES.roleFailed },
        done: `${user.username} is now ${role === "admin" ? "an admin" : "a user"}`,
      });
    },
    remove: (user: ManagedUser): Question =>
      question({
        title: `Delete ${user.username}?`,
        body: `${user.name} is signed out at once and cannot sign in again. The audit log keeps what they did, and the username is not given out again for a year.`,
        confirm: "Delete User",
        danger: true,
        path: `/admin/delete-user/${encodeURIComponent(user.id)}`,
        call: { method: "DELETE", failed: MESSAGES.userDeleteFailed },
        done: `${user.username} was deleted`,
      }),
    unlock: (user: ManagedUser): Question =>
      question({
        title: `Unlock ${user.username}?`,
        body: `Five sign-ins failed within 15 minutes. Make sure that it was ${user.name}.`,
        confirm: "Unlock",
        danger: false,
        path: `/admin/unlock-user/${encodeURIComponent(user.id)}`,
        call: { method: "POST", failed: "Failed to unlock the account." },
        done: `${user.username} is unlocked`,
      }),
    disable: (user: ManagedUser): Question => {
      const disabled = user.disabled === null;
      return question({
        title: `${disabled ? "Disable" : "Enable"} ${user.username}?`,
        body: disabled
          ? `${user.name} is signed out at once and cannot sign in until an administrator enables the account.`
          : `${user.name} can sign in again.`,
        confirm: disabled ? "Disable" : "Enable",
        danger: disabled,
        path: `/admin/disable-user/${encodeURIComponent(user.id)}`,
        call: { method: "PUT", json: { disabled }, failed: "Failed to change the account." },
        done: `${user.username} is ${disabled ? "disabled" : "enabled"}`,
      });
    },
    factor: (user: ManagedUser): Question =>
      question({
        title: `Remove the second factor of ${user.username}?`,
        body: `For a lost device: ${user.name} is signed out everywhere and signs in with the password alone, or sets up a new factor where your agency asks for one.`,
        confirm: "Remove second factor",
        danger: true,
        path: `/admin/reset-second-factor/${encodeURIComponent(user.id)}`,
        call: { method: "POST", failed: "Failed to remove the second factor." },
        done: `The second factor of ${user.username} was removed`,
      }),
    sessions: (user: ManagedUser): Question =>
      question({
        title: `End the sessions of ${user.username}?`,
        body: `${user.name} is signed out everywhere at once.`,
        confirm: "End sessions",
        danger: true,
        path: `/admin/end-sessions/${encodeURIComponent(user.id)}`,
        call: { method: "POST", failed: "Failed to end the sessions." },
        done: `${user.username} was signed out everywhere`,
      }),
  };
  return { acts, shown, hide: () => setShown(undefined) };
}
