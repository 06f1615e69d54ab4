import { Download } from "lucide-react";
import { useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { askForStepUp } from "#app/components/accounts/step-up.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { AuditFilter } from "#app/entities/oversight/audit-filter.ts";

/** The rows of the filter as a file: complete, or without plates for whoever asks for public records. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const [pending, setPending] = useState(false);

  async function save(redacted: boolean) {
    setPending(true);
    try {
      const response = await fetch("/audit-log/export", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ filter, redacted }),
      });
      if (response.status === 401) sessionHasEnded();
      if (!response.ok) {
        const { message, code } = (await response.json().catch(() => ({}))) as {
          message?: string;
          code?: string;
        };
        if (code !== "step_up_required") throw new Error(message);
        setPending(false);
        if (await askForStepUp()) await save(redacted);
        return;
      }
      const address = URL.createObjectURL(await response.blob());
      const link = document.createElement("a");
      link.href = address;
      link.download = `odin-audit-log${redacted ? "-redacted" : ""}-${new Date().toISOString().slice(0, 10)}.csv`;
      link.click();
      URL.revokeObjectURL(address);
    } catch (error) {
      notify.error((error instanceof Error && error.message) || "The audit log could not be exported.");
    }
    setPending(false);
  }

  return (
    <Menu
      label="Export the audit log"
      align="end"
      trigger={
        <Button icon={<Download />} pending={pending} pendingLabel="Exporting…">
          Export CSV
        </Button>
      }
    >
      <MenuItem onSelect={() => void save(false)}>With plates</MenuItem>
      <MenuItem onSelect={() => void save(true)}>Redacted, for public records</MenuItem>
    </Menu>
  );
}
