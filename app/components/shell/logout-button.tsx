import { LogOut } from "lucide-react";
import { useState } from "react";
import { forgetLeftForm } from "#app/components/search/form/forget-left-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { badgeIcon } from "./offline.ts";

const REDIRECT_MS = 200;

export function LogoutButton({ className }: { className?: string }) {
  const [pending, setPending] = useState(false);

  async function logOut() {
    setPending(true);
    // Fetched directly: every screen's first load includes this button, and none includes the API client.
    const request = fetch("/logout", { method: "POST", headers: { accept: "application/json" } });
    const response = await request.catch(() => undefined);
    if (response?.ok) {
      badgeIcon(0);
      forgetLeftForm();
      return void setTimeout(() => location.assign("/?again=1"), REDIRECT_MS);
    }
    setPending(false);
    const problem = response ? MESSAGES.logoutFailed : MESSAGES.logoutNetwork;
    notify.error(problem, { onLock: true, action: { label: "Try again", onSelect: logOut } });
  }

  return (
    // A plain form until scripts arrive: signing out must always work.
    <form
      method="post"
      action="/logout"
      className="contents"
      onSubmit={(event) => {
        event.preventDefault();
        if (!pending) void logOut();
      }}
    >
      <Button type="submit" variant="ghost" icon={<LogOut />} pending={pending} className={className}>
        Logout
      </Button>
    </form>
  );
}
