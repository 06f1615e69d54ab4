import { useRef } from "react";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Key } from "./key.tsx";
import { useSingleKeys } from "./single-keys.ts";
import { SingleKeysChoice } from "./single-keys-choice.tsx";

export type ShortcutGroup = {
  title: string;
  /** `single` keys act only while single-key shortcuts are on; `keys` always act. */
  shortcuts: readonly { single?: readonly string[]; keys?: readonly string[]; does: string }[];
};

export type ShortcutsDialogProps = { open: boolean; onClose: () => void; groups: readonly ShortcutGroup[] };

export function ShortcutsDialog({ open, onClose, groups }: ShortcutsDialogProps) {
  const singleAct = useSingleKeys();
  const content = useRef<HTMLDivElement>(null);
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="md" initialFocus={content}>
      {/* Focused first, so that arrows scroll it. */}
      <div ref={content} tabIndex={-1} className="flex flex-col gap-4 outline-none">
        <SingleKeysChoice />
        {groups.map((group) => (
          <section key={group.title}>
            <h3 className="mb-1 text-sm font-semibold text-muted">{group.title}</h3>
            <dl className="divide-y divide-line">
              {group.shortcuts.map(({ single = [], keys = [], does }) => {
                const acting = singleAct ? [...single, ...keys] : keys;
                return (
                  <div key={does} className="flex items-center justify-between gap-4 py-1.5">
                    <dt>{does}</dt>
                    <dd className="flex gap-1">
                      {acting.map((key) => (
                        <Key key={key}>{key}</Key>
                      ))}
                      {acting.length === 0 && <span className="text-sm text-muted">Off</span>}
                    </dd>
                  </div>
                );
              })}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
