import { Link, NavLink } from "@remix-run/react";
import { Keyboard, Menu as MenuIcon } from "lucide-react";
import { lazy, useRef, useState } from "react";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { popover } from "#app/components/ui/floating.ts";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";
import { mayUse, type Standing } from "#app/entities/accounts/access.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { destinationsFor } from "./destinations.ts";
import { LogoutButton } from "./logout-button.tsx";
import { Mark } from "./mark.tsx";
import { ShortcutButton, ShortcutHelp } from "./shortcut-help.tsx";
import type { ThemeChoice } from "./theme.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

const Bell = lazy(async () => ({ default: (await import("#app/components/alerts/live/bell.tsx")).Bell }));

const PANEL = "navigation-panel";

/** So many links stand in the bar on a tablet too. */
const FEW = 6;

export type NavigationBarProps = { user: CurrentUser | null; standing: Standing | null; theme: ThemeChoice };

export function NavigationBar({ user, standing, theme }: NavigationBarProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [helping, setHelping] = useState(false);
  const destinations = destinationsFor(standing);
  // What an administrator may go to fills more than a tablet.
  const [whenWide, whenNarrow] =
    destinations.length > FEW ? ["max-xl:hidden", "xl:hidden"] : ["max-md:hidden", "md:hidden"];

  return (
    <header className="sticky top-0 z-10 border-b border-line bg-raised">
      <a
        href="#content"
        className="sr-only rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:not-sr-only focus:absolute focus:top-1 focus:left-1 focus:z-20"
      >
        Skip to content
      </a>
      <div className="flex h-bar items-center gap-1 px-3">
        <Link
          to="/"
          className="me-3 flex h-control items-center gap-2.5 rounded-md px-1 text-lg font-semibold"
        >
          <Mark className="h-5" />
          Odin
        </Link>
        {destinations.length > 0 && (
          <nav aria-label="Main" className={cx("flex h-full shrink-0 items-stretch gap-1", whenWide)}>
            {destinations.map((destination) => (
              <Destination key={destination.to} {...destination} />
            ))}
          </nav>
        )}
        <div className="ms-auto flex min-w-0 items-center gap-1">
          {user && <WhoIsIn user={user} className="me-2 text-end max-lg:hidden" />}
          {user && mayUse("hotlist-viewer", standing) && (
            <LazySlot>
              <Bell key={user.id} />
            </LazySlot>
          )}
          <span className="noscript:hidden">
            <ThemeSwitch theme={theme} />
          </span>
          {user && (
            <>
              <span className={cx(whenWide, "noscript:hidden")}>
                <ShortcutButton onClick={() => setHelping(true)} />
              </span>
              <LogoutButton className={cx("shrink-0", whenWide)} />
              <button
                type="button"
                aria-label="Menu"
                className={cx(buttonClass("ghost"), "size-control !px-0", whenNarrow)}
                {...{ popovertarget: PANEL }}
              >
                <MenuIcon />
              </button>
            </>
          )}
        </div>
      </div>
      {user && (
        <div
          ref={panel}
          id={PANEL}
          className="sheet floating top-[calc(var(--spacing-bar)+0.25rem)] right-2 w-64 flex-col gap-1 p-2 open:flex"
          {...popover("auto")}
        >
          <WhoIsIn user={user} className="border-b border-line px-2 pt-1 pb-2.5" />
          <nav aria-label="Main menu" className="flex flex-col">
            {destinations.map((destination) => (
              <NavLink
                key={destination.to}
                to={destination.to}
                onClick={() => panel.current?.hidePopover()}
                className={({ isActive }) =>
                  cx(
                    "flex min-h-control-lg items-center rounded-md px-2 font-medium hover:bg-hover",
                    isActive && "bg-accent-soft text-accent",
                  )
                }
              >
                {destination.label}
              </NavLink>
            ))}
          </nav>
          <Button
            variant="ghost"
            icon={<Keyboard />}
            className="min-h-control-lg !justify-start !px-2 noscript:hidden"
            onClick={() => {
              // First, so that it is the menu's button that has the focus again when the list closes.
              panel.current?.hidePopover();
              setHelping(true);
            }}
          >
            Keyboard shortcuts
          </Button>
          <LogoutButton className="min-h-control-lg !justify-start !px-2" />
        </div>
      )}
      {user && <ShortcutHelp open={helping} onOpen={setHelping} />}
    </header>
  );
}

function Destination({ to, label }: { to: string; label: string }) {
  return (
    <NavLink
      to={to}
      prefetch="intent"
      className={({ isActive }) =>
        cx(
          "-mb-px flex items-center border-b-2 px-3 font-medium whitespace-nowrap transition-colors",
          isActive ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
        )
      }
    >
      {label}
    </NavLink>
  );
}

function WhoIsIn({ user, className }: { user: CurrentUser; className?: string }) {
  return (
    <div className={cx("min-w-0 text-sm", className)}>
      <div className="truncate font-medium">{user.name}</div>
      <div className="truncate text-xs text-muted">{user.department}</div>
    </div>
  );
}
