import { Keyboard } from "lucide-react";
import { lazy } from "react";
import { IconButton } from "#app/components/ui/icon-button.tsx";

import { useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";

const Help = lazy(async () => {
  const [{ ShortcutsDialog }, { SHORTCUTS }] = await Promise.all([
    import("#app/components/ui/keys/shortcuts-dialog.tsx"),
    import("./shortcuts.ts"),
  ]);
  return {
    default: ({ open, onOpen }: ShortcutHelpProps) => (
      <ShortcutsDialog open={open} onClose={() => onOpen(false)} groups={SHORTCUTS} />
    ),
  };
});

type ShortcutHelpProps = { open: boolean; onOpen: (open: boolean) => void };

/** Rendered outside of the parts that narrow windows hide: a modal in a hidden part would lock the page. */
export function ShortcutHelp({ open, onOpen }: ShortcutHelpProps) {
  useHotkey("?", () => onOpen(true));
  return (
    <LazySlot>
      <Help open={open} onOpen={onOpen} />
    </LazySlot>
  );
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
