import { LogOut } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { MESSAGES } from "#app/entities/messages.ts";

const REDIRECT_MS = 200;

export function LogoutButton({ className }: { className?: string }) {
  const [pending, setPending] = useState(false);

  async function logOut() {
    setPending(true);
    const answer = await callApi("/logout", { method: "POST", handles401: true });
    // A 401 means that the session has already ended.
    if (answer.ok || answer.status === 401) return void setTimeout(() => location.assign("/"), REDIRECT_MS);
    setPending(false);
    const problem = answer.status === 0 ? MESSAGES.logoutNetwork : MESSAGES.logoutFailed;
    notify.error(problem, { action: { label: "Try again", onSelect: logOut } });
  }

  return (
    <Button variant="ghost" icon={<LogOut />} pending={pending} className={className} onClick={logOut}>
      Logout
    </Button>
  );
}
