import { Keyboard } from "lucide-react";
import { useState } from "react";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { ShortcutsDialog } from "#app/components/ui/shortcuts-dialog.tsx";
import { useHotkey } from "#app/components/ui/use-hotkey.ts";
import { SHORTCUTS } from "./shortcuts.ts";

export function ShortcutHelp() {
  const [open, setOpen] = useState(false);
  useHotkey("?", () => setOpen(true));
  return (
    <>
      <IconButton label="Keyboard shortcuts" shortcut="?" icon={<Keyboard />} onClick={() => setOpen(true)} />
      <ShortcutsDialog open={open} onClose={() => setOpen(false)} groups={SHORTCUTS} />
    </>
  );
}
