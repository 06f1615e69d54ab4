import { useRevalidator } from "@remix-run/react";
import { useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/accounts/call-api.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ManagedUser, TemporaryPassword } from "#app/entities/users/directory.ts";

/** An act on a user as it is asked about and carried out. */
export type Act = {
  title: string;
  body: string;
  confirm: string;
  danger: boolean;
  failed: string;
  call: () => Promise<unknown>;
  /** What is said when it has worked; undefined where a dialog shows it. */
  done?: string;
};

const post = (path: string, body?: unknown) => callApi(path, { method: "POST", body });
const put = (path: string, body: unknown) => callApi(path, { method: "PUT", body });

/** The acts on users: what each asks, what it calls, and the temporary password that a reset shows. */
export function useUserActs(resetPath: "/admin/reset-user-password" | "/owner/reset-user-password") {
  const { revalidate } = useRevalidator();
  const [asked, setAsked] = useState<Act>();
  const [shown, setShown] = useState<TemporaryPassword>();

  async function run(act: Act): Promise<boolean> {
    try {
      await act.call();
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, act.failed));
      return false;
    }
    if (act.done) notify.success(act.done);
    revalidate();
    return true;
  }

  const acts = {
    reset: (user: ManagedUser): Act => ({
      title: `Reset the password of ${user.username}?`,
      body: `${user.name} gets a random temporary password that works for 24 hours, and is signed out everywhere.`,
      confirm: "Reset Password",
      danger: false,
      failed: MESSAGES.userResetFailed,
      call: async () => {
        const made = await post(resetPath, { user_id: user.id });
        setShown(made as unknown as TemporaryPassword);
      },
    }),
    role: (user: ManagedUser): Act => {
      const role = user.role === "admin" ? "user" : "admin";
      return {
        title: `Make ${user.username} ${role === "admin" ? "an admin" : "a user"}?`,
        body:
          role === "admin"
            ? `${user.name} will manage the users, integrations and audit log of ${user.department}, and signs in anew.`
            : `${user.name} will no longer manage ${user.department}, and signs in anew.`,
        confirm: "Change role",
        danger: false,
        failed: MESSAGES.roleFailed,
        call: () => put(`/admin/toggle-role/${encodeURIComponent(user.id)}`, { new_role: role }),
        done: `${user.username} is now ${role === "admin" ? "an admin" : "a user"}`,
      };
    },
    remove: (user: ManagedUser): Act => ({
      title: `Delete ${user.username}?`,
      body: `${user.name} is signed out at once and cannot sign in again. The audit log keeps what they did, and the username is not given out again for a year.`,
      confirm: "Delete User",
      danger: true,
      failed: MESSAGES.userDeleteFailed,
      call: () => callApi(`/admin/delete-user/${encodeURIComponent(user.id)}`, { method: "DELETE" }),
      done: `${user.username} was deleted`,
    }),
    unlock: (user: ManagedUser): Act => ({
      title: `Unlock ${user.username}?`,
      body: `Five sign-ins failed within 15 minutes. Make sure that it was ${user.name}.`,
      confirm: "Unlock",
      danger: false,
      failed: "Failed to unlock the account.",
      call: () => post(`/admin/unlock-user/${encodeURIComponent(user.id)}`),
      done: `${user.username} is unlocked`,
    }),
    disable: (user: ManagedUser): Act => {
      const disabled = user.disabled === null;
      return {
        title: `${disabled ? "Disable" : "Enable"} ${user.username}?`,
        body: disabled
          ? `${user.name} is signed out at once and cannot sign in until an administrator enables the account.`
          : `${user.name} can sign in again.`,
        confirm: disabled ? "Disable" : "Enable",
        danger: disabled,
        failed: "Failed to change the account.",
        call: () => put(`/admin/disable-user/${encodeURIComponent(user.id)}`, { disabled }),
        done: `${user.username} is ${disabled ? "disabled" : "enabled"}`,
      };
    },
    factor: (user: ManagedUser): Act => ({
      title: `Remove the second factor of ${user.username}?`,
      body: `For a lost device: ${user.name} is signed out everywhere and signs in with the password alone, or sets up a new factor where your agency asks for one.`,
      confirm: "Remove second factor",
      danger: true,
      failed: "Failed to remove the second factor.",
      call: () => post(`/admin/reset-second-factor/${encodeURIComponent(user.id)}`),
      done: `The second factor of ${user.username} was removed`,
    }),
    sessions: (user: ManagedUser): Act => ({
      title: `End the sessions of ${user.username}?`,
      body: `${user.name} is signed out everywhere at once.`,
      confirm: "End sessions",
      danger: true,
      failed: "Failed to end the sessions.",
      call: () => post(`/admin/end-sessions/${encodeURIComponent(user.id)}`),
      done: `${user.username} was signed out everywhere`,
    }),
  };
  return { acts, asked, ask: setAsked, run, shown, hide: () => setShown(undefined) };
}
