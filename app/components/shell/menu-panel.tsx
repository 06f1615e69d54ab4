import { Compass, Keyboard } from "lucide-react";
import { useRef } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { popover } from "#app/components/ui/floating.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import type { navigationFor } from "./destinations.ts";
import { LogoutButton } from "./logout-button.tsx";
import { PanelLinks } from "./navigation-links.tsx";

/** The id of the panel, for the button that opens it. */
export const MENU_PANEL = "navigation-panel";

type MenuPanelProps = {
  user: CurrentUser;
  destinations: ReturnType<typeof navigationFor>;
  /** Undefined if there is nowhere to go. */
  onGo: (() => void) | undefined;
  onHelp: () => void;
};

/** The menu of narrow windows, where the bar has no room for links. */
export function MenuPanel({ user, destinations, onGo, onHelp }: MenuPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={panel}
      id={MENU_PANEL}
      className="sheet floating top-[calc(var(--spacing-bar-row)+0.25rem)] right-2 w-64 flex-col gap-1 p-2 open:flex"
      {...popover("auto")}
    >
      <SignedInUser user={user} className="border-b border-line px-2 pt-1 pb-2.5" />
      <nav aria-label="Main menu" className="flex flex-col">
        {destinations.map((entry) =>
          "screens" in entry ? (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, not links
            <div
              key={entry.label}
              role="group"
              aria-label={entry.label}
              className="border-y border-line py-1"
            >
              <div aria-hidden="true" className="px-2 pt-1 text-xs font-medium text-muted">
                {entry.label}
              </div>
              <PanelLinks screens={entry.screens} panel={panel} />
            </div>
          ) : (
            <PanelLinks key={entry.label} screens={[entry]} panel={panel} />
          ),
        )}
      </nav>
      {onGo && (
        <Button
          variant="ghost"
          icon={<Compass />}
          className="min-h-control-lg !justify-start !px-2 noscript:hidden"
          onClick={() => {
            panel.current?.hidePopover();
            onGo();
          }}
        >
          Go to…
        </Button>
      )}
      <Button
        variant="ghost"
        icon={<Keyboard />}
        className="min-h-control-lg !justify-start !px-2 noscript:hidden"
        onClick={() => {
          // Closed first, so that the menu button gets the focus back when the dialog closes.
          panel.current?.hidePopover();
          onHelp();
        }}
      >
        Keyboard shortcuts
      </Button>
      <LogoutButton className="min-h-control-lg !justify-start !px-2" />
    </div>
  );
}

export function SignedInUser({ user, className }: { user: CurrentUser; className?: string }) {
  return (
    <div className={cx("min-w-0 text-sm", className)}>
      <div className="truncate font-medium">{user.name}</div>
      <div className="truncate text-xs text-muted">{user.department}</div>
    </div>
  );
}
