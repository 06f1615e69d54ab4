import { Link } from "@remix-run/react";
import { Compass, Keyboard, Menu as MenuIcon } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Toaster } from "#app/components/ui/dialogs/toaster.tsx";
import { topmost } from "#app/components/ui/dialogs/top-layer.ts";
import { popover } from "#app/components/ui/floating.ts";
import { useBrowserLayoutEffect } from "#app/components/ui/hydration.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { useHotkey, useSingleKeys } from "#app/components/ui/keys/single-keys.ts";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { mayUse, type Standing } from "#app/entities/accounts/access.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { navigationFor } from "./destinations.ts";
import { LogoutButton } from "./logout-button.tsx";
import { Mark } from "./mark.tsx";
import { BarLink, GroupMenu, PanelLinks } from "./navigation-links.tsx";
import type { ThemeChoice } from "./theme-switch.tsx";

// The bar has no room for a message, and it is also part of the error screen.
const QUIET = { quiet: true };

const Bell = lazyPart(async () => (await import("#app/components/alerts/live/bell.tsx")).Bell, QUIET);

const Palette = lazyPart(async () => (await import("./command-palette.tsx")).CommandPalette, QUIET);

const ThemeSwitch = lazyPart(async () => (await import("./theme-switch.tsx")).ThemeSwitch, QUIET);

/** Maximum number of links that fit into the bar on a tablet. */
const MAX_LINKS_ON_TABLET = 6;
/** Maximum number of entries that fit into the bar beside the user's name on a laptop. */
const MAX_LINKS_BESIDE_NAME = 8;

export type NavigationBarProps = { user: CurrentUser | null; standing: Standing | null; theme: ThemeChoice };

const Help = lazyPart(async () => {
  const [{ ShortcutsDialog }, { SHORTCUTS }] = await Promise.all([
    import("#app/components/ui/keys/shortcuts-dialog.tsx"),
    import("./shortcuts.ts"),
  ]);
  return ({ open, onOpen }: ShortcutHelpProps) => (
    <ShortcutsDialog open={open} onClose={() => onOpen(false)} groups={SHORTCUTS} />
  );
}, QUIET);

type ShortcutHelpProps = { open: boolean; onOpen: (open: boolean) => void };

/** Rendered outside of the parts that narrow windows hide: a modal in a hidden part would lock the page. */
function ShortcutHelp({ open, onOpen }: ShortcutHelpProps) {
  useHotkey("?", () => onOpen(true));
  return (
    <LazySlot>
      <Help open={open} onOpen={onOpen} />
    </LazySlot>
  );
}

function ShortcutButton({ onClick }: { onClick: () => void }) {
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

/**
 * Opens and closes the command palette by Ctrl K or Cmd K, unless another dialog is open. Separate from the palette, whose
 * code is loaded later, so that no press is lost.
 */
function usePaletteKey(isOffered: boolean, open: boolean, onOpen: (open: boolean) => void): void {
  const latest = useRef({ open, onOpen });
  latest.current = { open, onOpen };
  useBrowserLayoutEffect(() => {
    if (!isOffered) return;
    function listen(event: KeyboardEvent) {
      const { open, onOpen } = latest.current;
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || (topmost() && !open)) return;
      event.preventDefault();
      onOpen(!open);
    }
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [isOffered]);
}

export function NavigationBar({ user, standing, theme }: NavigationBarProps) {
  const bar = useRef<HTMLElement>(null);
  const row = useRef<HTMLDivElement>(null);
  useDockHeight(bar, row);
  const [helping, setHelping] = useState(false);
  const [going, setGoing] = useState(false);
  usePaletteKey(Boolean(user && standing), going, setGoing);
  const destinations = navigationFor(standing);
  const isFull = destinations.length > MAX_LINKS_BESIDE_NAME;
  // Administrators have more links than fit on a tablet.
  const [whenWide, whenNarrow] =
    destinations.length > MAX_LINKS_ON_TABLET
      ? ["max-xl:hidden", "xl:hidden"]
      : ["max-md:hidden", "md:hidden"];

  return (
    <header
      ref={bar}
      data-bar="top"
      className="sticky top-0 z-10 border-b border-line bg-raised print:hidden"
    >
      <a
        href="#content"
        className="sr-only rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:not-sr-only focus:absolute focus:top-1 focus:left-1 focus:z-20"
      >
        Skip to content
      </a>
      <div ref={row} className="flex h-bar-row items-center gap-1 px-3">
        <Link
          to="/"
          className="me-3 flex h-control items-center gap-2.5 rounded-md px-1 text-lg font-semibold"
        >
          <Mark className="h-5" />
          Odin
        </Link>
        {destinations.length > 0 && (
          <nav
            aria-label="Main"
            className={cx("flex h-full min-w-0 items-stretch", !isFull && "shrink-0 gap-1", whenWide)}
          >
            {destinations.map((entry) =>
              "screens" in entry ? (
                <GroupMenu key={entry.label} group={entry} isFull={isFull} />
              ) : (
                <BarLink key={entry.label} destination={entry} isFull={isFull} />
              ),
            )}
          </nav>
        )}
        <BarActions
          {...{ user, standing, theme, isFull, whenWide, whenNarrow }}
          onGo={() => setGoing(true)}
          onHelp={() => setHelping(true)}
        />
      </div>
      {user && (
        <MenuPanel
          user={user}
          destinations={destinations}
          onGo={standing ? () => setGoing(true) : undefined}
          onHelp={() => setHelping(true)}
        />
      )}
      {user && <ShortcutHelp open={helping} onOpen={setHelping} />}
      {user && standing && (
        <LazySlot>
          <Palette open={going} onClose={() => setGoing(false)} />
        </LazySlot>
      )}
      <Toaster userId={user?.id} />
    </header>
  );
}

type BarActionsProps = NavigationBarProps & {
  isFull: boolean;
  /**
   * Classes of the elements that are shown where all links fit into the bar, and of those that replace them elsewhere.
   */
  whenWide: string;
  whenNarrow: string;
  onGo: () => void;
  onHelp: () => void;
};

/** The end of the bar: the user, new hits, and the buttons. */
function BarActions(props: BarActionsProps) {
  const { user, standing, theme, isFull, whenWide, whenNarrow, onGo, onHelp } = props;
  return (
    <div className={cx("ms-auto flex min-w-0 items-center gap-1", isFull && "max-2xl:shrink-0")}>
      {user && (
        <SignedInUser
          user={user}
          className={cx("me-2 text-end", isFull ? "max-2xl:hidden" : "max-lg:hidden")}
        />
      )}
      {user && mayUse("hotlist-viewer", standing) && (
        <LazySlot>
          <Bell key={user.id} userId={user.id} username={user.username} />
        </LazySlot>
      )}
      {user && standing && (
        <span className={cx(whenWide, "noscript:hidden")}>
          <IconButton
            label="Go to…"
            shortcut="Control+K"
            icon={<Compass />}
            aria-haspopup="dialog"
            onClick={onGo}
          />
        </span>
      )}
      <span className="noscript:hidden">
        <LazySlot fallback={<span className="block size-control" />}>
          <ThemeSwitch theme={theme} />
        </LazySlot>
      </span>
      {user && (
        <>
          <span className={cx(whenWide, "noscript:hidden")}>
            <ShortcutButton onClick={onHelp} />
          </span>
          <LogoutButton className={cx("shrink-0", whenWide)} />
          <button
            type="button"
            aria-label="Menu"
            className={cx(buttonClass("ghost"), "size-control !px-0", whenNarrow)}
            {...{ popovertarget: MENU_PANEL }}
          >
            <MenuIcon />
          </button>
        </>
      )}
    </div>
  );
}

/** Sets a variable to the height of the messages and new hits below the bar's row, which the page follows. */
function useDockHeight(bar: RefObject<HTMLElement>, row: RefObject<HTMLElement>) {
  useEffect(() => {
    const [header, links] = [bar.current, row.current];
    if (!header || !links) return;
    const { style } = document.documentElement;
    let last = 0;
    const observer = new ResizeObserver(() => {
      const height = header.clientHeight - links.offsetHeight;
      // Setting the variable makes the browser lay out the whole page again.
      if (height !== last) style.setProperty("--dock-height", `${height}px`);
      last = height;
    });
    observer.observe(header);
    return () => {
      observer.disconnect();
      style.removeProperty("--dock-height");
    };
  }, [bar, row]);
}

/** The id of the panel, for the button that opens it. */
const MENU_PANEL = "navigation-panel";

type MenuPanelProps = {
  user: CurrentUser;
  destinations: ReturnType<typeof navigationFor>;
  /** Undefined if there is nowhere to go. */
  onGo: (() => void) | undefined;
  onHelp: () => void;
};

/** The menu of narrow windows, where the bar has no room for links. */
function MenuPanel({ user, destinations, onGo, onHelp }: MenuPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  return (
    <div
      ref={panel}
      id={MENU_PANEL}
      className="sheet floating below-bar right-2 w-64 flex-col gap-1 p-2 open:flex"
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
          // The panel is closed first, so that the menu button gets the focus back when the dialog closes.
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

function SignedInUser({ user, className }: { user: CurrentUser; className?: string }) {
  return (
    <div className={cx("min-w-0 text-sm", className)}>
      <div className="truncate font-medium">{user.name}</div>
      <div className="truncate text-xs text-muted">{user.department}</div>
    </div>
  );
}
