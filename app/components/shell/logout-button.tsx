import { LogOut } from "lucide-react";
import { useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { MESSAGES } from "#app/entities/messages.ts";

const REDIRECT_MS = 200;

export function LogoutButton({ className }: { className?: string }) {
  const [pending, setPending] = useState(false);

  async function logOut() {
    setPending(true);
    let problem: string = MESSAGES.logoutNetwork;
    try {
      const response = await fetch("/logout", { method: "POST", headers: { accept: "application/json" } });
      // Somebody whose session has already ended is logged out, which is what was asked.
      if (response.ok || response.status === 401) {
        setTimeout(() => location.assign("/"), REDIRECT_MS);
        return;
      }
      problem = MESSAGES.logoutFailed;
    } catch {
      // No answer: the message for that is set already.
    }
    setPending(false);
    notify.error(problem, { action: { label: "Try again", onSelect: logOut } });
  }

  return (
    <Button variant="ghost" icon={<LogOut />} pending={pending} className={className} onClick={logOut}>
      Logout
    </Button>
  );
}
