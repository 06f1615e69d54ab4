import { Download } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import type { AuditFilter } from "#app/entities/oversight/audit-filter.ts";

/** The rows of the filter as a file: complete, or without plates for public records requests. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const { mutate, pending } = useMutation({ refresh: "never" });
  const save = (redacted: boolean) => {
    const file = callApi("/audit-log/export", {
      json: { filter, redacted },
      failed: "The audit log could not be exported.",
      read: (response) => response.blob(),
    });
    void mutate(file, { done: (rows) => saveFile(rows, redacted) });
  };

  return (
    <Menu
      label="Export the audit log"
      align="end"
      trigger={
        <Button icon={<Download />} pending={pending !== undefined} pendingLabel="Exporting…">
          Export CSV
        </Button>
      }
    >
      <MenuItem onSelect={() => save(false)}>With plates</MenuItem>
      <MenuItem onSelect={() => save(true)}>Redacted, for public records</MenuItem>
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
