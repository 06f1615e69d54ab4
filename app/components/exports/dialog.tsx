import { FileArchive, FileText } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, Textarea } from "#app/components/ui/fields/input.tsx";
import type { ExportKind } from "#app/entities/exports/request.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { visibleText } from "#app/lib/text.ts";
import type { ExportReasons } from "./use-run.ts";

const WORDS = {
  pdf: { title: "Export to PDF", icon: <FileText />, action: "Create the report" },
  zip: { title: "Export to ZIP", icon: <FileArchive />, action: "Create the archive" },
} as const;

export type ExportDialogProps = {
  kind: ExportKind;
  count: number;
  /** The case number of the search, to begin with. */
  caseNumber: string;
  onClose: () => void;
  onExport: (reasons: ExportReasons) => void;
};

/** Asks why before anything leaves the product. */
export function ExportDialog({ kind, count, caseNumber, onClose, onExport }: ExportDialogProps) {
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const reason = useRef<HTMLTextAreaElement>(null);
  const { title, icon, action } = WORDS[kind];

  function submit() {
    const data = new FormData(form.current as HTMLFormElement);
    const justification = String(data.get("justification") ?? "").trim();
    if (visibleText(justification) === "") {
      setError(MESSAGES.justificationRequired);
      reason.current?.focus();
      return;
    }
    onExport({ justification, caseNumber: String(data.get("case_number") ?? "").trim() });
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={`${count === 1 ? "One record" : `${count} records`}, with their images. This is written to the audit log.`}
      initialFocus={reason}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" icon={icon} onClick={submit}>
            {action}
          </Button>
        </>
      }
    >
      <form
        ref={form}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Justification" required error={error}>
          {(control) => (
            <Textarea
              {...control}
              ref={reason}
              name="justification"
              rows={3}
              maxLength={2000}
              onChange={() => setError(undefined)}
            />
          )}
        </Field>
        <Field label="Case number" hint="Optional. It stands on every page of a report.">
          {(control) => <Input {...control} name="case_number" maxLength={64} defaultValue={caseNumber} />}
        </Field>
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
