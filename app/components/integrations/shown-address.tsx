import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";

export type Shown = { title: string; address: string; advice: string };

/** An address with its secret in the one moment in which it can be seen. */
export function ShownAddressDialog({ shown, onClose }: { shown: Shown | undefined; onClose: () => void }) {
  return (
    <Dialog
      open={shown !== undefined}
      onClose={onClose}
      title={shown?.title ?? ""}
      footer={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="flex items-center justify-between gap-2 rounded-md bg-sunken px-3 py-2">
          <code className="min-w-0 font-mono text-sm break-all select-all">{shown?.address}</code>
          <CopyButton text={shown?.address ?? ""} label="Copy the address" size="md" />
        </p>
        <p>It is shown only now: the secret is a part of it, and Odin keeps only a hash. {shown?.advice}</p>
      </div>
    </Dialog>
  );
}
