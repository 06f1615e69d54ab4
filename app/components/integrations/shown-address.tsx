import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";

export type Shown = { title: string; address: string; advice: string };

export const ADDRESS_ONCE =
  "This address is shown only once: it contains the secret, and Odin stores only a hash.";

/** Shows an address that contains a secret. */
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
