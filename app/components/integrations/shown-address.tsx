import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";

export type Shown = { title: string; address: string; advice: string };

export const ADDRESS_ONCE = "It is shown only now: the secret is a part of it, and Odin keeps only a hash.";

/** An address that has its secret in it. */
export function ShownAddressDialog({ shown, onClose }: { shown: Shown | undefined; onClose: () => void }) {
  return (
    <ShownOnceDialog
      open={shown !== undefined}
      onClose={onClose}
      title={shown?.title ?? ""}
      secret={shown?.address ?? ""}
      copyLabel="Copy the address"
    >
      {ADDRESS_ONCE} {shown?.advice}
    </ShownOnceDialog>
  );
}
