import { Keyboard } from "lucide-react";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { ShortcutsDialog } from "#app/components/ui/keys/shortcuts-dialog.tsx";
import { useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";
import { SHORTCUTS } from "./shortcuts.ts";

type ShortcutHelpProps = { open: boolean; onOpen: (open: boolean) => void };

/** Stands where no width of the window hides it: a modal within a hidden part would lock the page unseen. */
export function ShortcutHelp({ open, onOpen }: ShortcutHelpProps) {
  useHotkey("?", () => onOpen(true));
  return <ShortcutsDialog open={open} onClose={() => onOpen(false)} groups={SHORTCUTS} />;
}

export function ShortcutButton({ onClick }: { onClick: () => void }) {
  const keyActs = useSingleKeys();
  return (
    <IconButton
      label="Keyboard shortcuts"
      shortcut={keyActs ? "?" : undefined}
      icon={<Keyboard />}
      onClick={onClick}
    />
  );
}
