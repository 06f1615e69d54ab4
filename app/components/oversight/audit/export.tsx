import { Download } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { AuditFilter } from "#app/entities/oversight/audit-filter.ts";

/** The rows of the filter as a file: complete, or without plates for whoever asks for public records. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const [pending, setPending] = useState(false);

  async function save(redacted: boolean) {
    setPending(true);
    const answer = await callApi("/audit-log/export", {
      json: { filter, redacted },
      failed: "The audit log could not be exported.",
      read: (response) => response.blob(),
    });
    setPending(false);
    if (answer.ok) saveFile(answer.value, redacted);
    else if (!answer.declined) notify.error(answer.message);
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

function saveFile(file: Blob, redacted: boolean): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = `odin-audit-log${redacted ? "-redacted" : ""}-${new Date().toISOString().slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
