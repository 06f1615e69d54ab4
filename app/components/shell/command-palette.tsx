import { useLocation, useNavigate } from "@remix-run/react";
import { Search } from "lucide-react";
import { forwardRef, type KeyboardEvent as KeyPress, useEffect, useId, useRef, useState } from "react";
import { handPlate } from "#app/components/search/form/hand-plate.ts";
import { cx } from "#app/components/ui/cx.ts";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { Key } from "#app/components/ui/keys/key.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import { counted } from "#app/lib/number-text.ts";
import { type Command, findCommands, useCommands } from "./commands.ts";

/** Finds and opens screens, groups, cameras and users, and prepares the search of a plate. */
export function CommandPalette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return open ? <Palette onClose={onClose} /> : null;
}

function Palette({ onClose }: { onClose: () => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { commands, failed, isLoading } = useCommands();
  const run = useRun(onClose);
  const found = findCommands(commands, text);
  const active = found[Math.min(at, found.length - 1)];

  // biome-ignore lint/correctness/useExhaustiveDependencies: another active option scrolls into view
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, text]);

  function onKeyDown(event: KeyPress) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0)
      setAt((Math.min(at, found.length - 1) + step + found.length) % found.length);
    else if (event.key === "Enter" && active && !event.nativeEvent.isComposing) run(active);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Go to"
      bare
      initialFocus={input}
      className="!mt-[10dvh] max-sm:!mt-2"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden="true" className="size-5 shrink-0 text-muted" />
        <input
          ref={input}
          role="combobox"
          aria-label="Screen, group, camera, user or plate"
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={active && `${id}-${found.indexOf(active)}`}
          aria-autocomplete="list"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          placeholder="Screen, group, camera, user or plate"
          className="min-h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <CommandList
        ref={list}
        id={id}
        commands={found}
        active={active}
        onPoint={(command) => setAt(found.indexOf(command))}
        onChoose={run}
      />
      {found.length === 0 && !isLoading && <p className="px-4 pb-3 text-muted">Nothing found.</p>}
      <Hints isLoading={isLoading} failed={failed} />
      <LiveRegion>{counted(found.length, "entry", "entries")}</LiveRegion>
    </Dialog>
  );
}

type CommandListProps = {
  id: string;
  commands: Command[];
  active: Command | undefined;
  onPoint: (command: Command) => void;
  onChoose: (command: Command) => void;
};

/** The found commands, grouped by kind. */
const CommandList = forwardRef<HTMLDivElement, CommandListProps>(function CommandList(props, ref) {
  const { id, commands, active, onPoint, onChoose } = props;
  const kinds = [...new Set(commands.map(({ kind }) => kind))];
  return (
    <div
      ref={ref}
      id={id}
      role="listbox"
      aria-label="Results"
      className="max-h-[min(26rem,60dvh)] overflow-auto p-1"
    >
      {kinds.map((kind) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox groups its options with this role
        <div key={kind} role="group" aria-label={kind}>
          <div aria-hidden="true" className="px-3 pt-2 pb-1 text-xs font-medium text-muted">
            {kind}
          </div>
          {commands
            .filter((command) => command.kind === kind)
            .map((command) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys act on the input, which keeps the focus
              // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by the input
              <div
                key={`${command.to} ${command.label} ${command.note}`}
                id={`${id}-${commands.indexOf(command)}`}
                role="option"
                aria-selected={command === active}
                className={cx(
                  "flex min-h-control cursor-pointer items-center justify-between gap-4 rounded-sm px-3 py-1",
                  command === active && "bg-accent-soft text-accent",
                )}
                onPointerMove={() => command !== active && onPoint(command)}
                onClick={() => onChoose(command)}
              >
                <span className="min-w-0 font-medium wrap-anywhere">{command.label}</span>
                {command.note && (
                  <span className="text-end text-sm text-muted wrap-anywhere">{command.note}</span>
                )}
              </div>
            ))}
        </div>
      ))}
    </div>
  );
});

/** The keys of the palette, and whether its entries are complete. */
function Hints({ isLoading, failed }: { isLoading: boolean; failed: boolean }) {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-surface px-4 py-2 text-xs text-muted">
      <span className="flex items-center gap-1">
        <Key>↑</Key>
        <Key>↓</Key> choose
      </span>
      <span className="flex items-center gap-1">
        <Key>Enter</Key> open
      </span>
      <span className="flex items-center gap-1">
        <Key>Esc</Key> close
      </span>
      {isLoading && <span>Loading…</span>}
      {failed && <span className="text-warn">Some entries could not be loaded.</span>}
    </p>
  );
}

/** Returns the function that runs a command. A plate only fills in the search form: a search needs a reason. */
function useRun(onClose: () => void): (command: Command) => void {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return ({ to, find, plate }) => {
    onClose();
    if (plate === undefined) return navigate(to, find === undefined ? {} : { state: { find } });
    const field = pathname === "/search" && document.querySelector<HTMLInputElement>("input[name=plate]");
    if (!field) {
      handPlate(plate);
      return navigate(to);
    }
    field.value = plate;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    // After the dialog has returned the focus.
    setTimeout(() => field.focus());
  };
}
