import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";

export type Question = {
  title: string;
  body: ReactNode;
  confirm: string;
  danger?: boolean;
  /** Gives false where it did not work: then the question stays. */
  run: () => Promise<boolean>;
};

/** Asks before an act. `dialog` has to stand somewhere on the screen. */
export function useConfirm(): { ask: (question: Question) => void; dialog: ReactNode } {
  const [asked, ask] = useState<Question>();
  const dialog = (
    <ConfirmDialog
      open={asked !== undefined}
      onClose={() => ask(undefined)}
      title={asked?.title}
      confirmLabel={asked?.confirm ?? ""}
      danger={asked?.danger ?? false}
      onConfirm={() => asked?.run()}
    >
      {asked?.body}
    </ConfirmDialog>
  );
  return { ask, dialog };
}
