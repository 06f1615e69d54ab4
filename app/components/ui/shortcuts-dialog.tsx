import { Dialog } from "./dialog.tsx";

export type ShortcutGroup = {
  title: string;
  shortcuts: readonly { keys: readonly string[]; does: string }[];
};

export type ShortcutsDialogProps = { open: boolean; onClose: () => void; groups: readonly ShortcutGroup[] };

export function ShortcutsDialog({ open, onClose, groups }: ShortcutsDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="md">
      <div className="flex flex-col gap-4">
        {groups.map((group) => (
          <section key={group.title}>
            <h3 className="mb-1 text-sm font-semibold text-muted">{group.title}</h3>
            <dl className="divide-y divide-line">
              {group.shortcuts.map((shortcut) => (
                <div key={shortcut.does} className="flex items-center justify-between gap-4 py-1.5">
                  <dt>{shortcut.does}</dt>
                  <dd className="flex gap-1">
                    {shortcut.keys.map((key) => (
                      <Key key={key}>{key}</Key>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

/** A key of the keyboard. */
export function Key({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-surface px-1 font-mono text-xs">
      {children}
    </kbd>
  );
}
