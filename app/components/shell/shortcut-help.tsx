import { Keyboard } from "lucide-react";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { type ShortcutGroup, ShortcutsDialog } from "#app/components/ui/keys/shortcuts-dialog.tsx";
import { useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";

/** The keyboard shortcuts that the help lists. */
const SHORTCUTS: readonly ShortcutGroup[] = [
  {
    title: "Everywhere",
    shortcuts: [
      { single: ["?"], does: "Show this list" },
      { keys: ["Esc"], does: "Close the topmost dialog or panel" },
    ],
  },
  {
    title: "Search",
    shortcuts: [
      { single: ["/"], does: "Go to the plate field" },
      { keys: ["Enter"], does: "Search, from any field" },
    ],
  },
  {
    title: "Results",
    shortcuts: [
      { keys: ["j", "↓"], does: "Next read" },
      { keys: ["k", "↑"], does: "Previous read" },
      { keys: ["Enter"], does: "Open the read" },
      { keys: ["Space"], does: "Select or clear the read" },
    ],
  },
  {
    title: "Review",
    shortcuts: [
      { single: ["j"], keys: ["→"], does: "Next finding" },
      { single: ["k"], keys: ["←"], does: "Previous finding" },
    ],
  },
  {
    title: "Alert history, within the table",
    shortcuts: [
      { keys: ["j", "↓"], does: "Next hit" },
      { keys: ["k", "↑"], does: "Previous hit" },
      { keys: ["Enter"], does: "Open the hit" },
    ],
  },
];

type ShortcutHelpProps = { open: boolean; onOpen: (open: boolean) => void };

/** Rendered where no window width hides it: a modal in a hidden element would block the page invisibly. */
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
