import { Link, NavLink } from "@remix-run/react";
import { Eclipse, Keyboard, Menu as MenuIcon, Monitor, Moon, Sun } from "lucide-react";
import { lazy, useRef, useState } from "react";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { popover } from "#app/components/ui/floating.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import { type Access, mayUse, type Standing } from "#app/entities/accounts/access.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { LogoutButton } from "./logout-button.tsx";
import { Mark } from "./mark.tsx";
import { ShortcutButton, ShortcutHelp } from "./shortcut-help.tsx";

const Bell = lazy(async () => ({ default: (await import("#app/components/alerts/live/bell.tsx")).Bell }));

const PANEL = "navigation-panel";

/** Most links that fit into the bar on a tablet. */
const MOST_LINKS_ON_TABLET = 6;

type Screen = { label: string; to: string; access: Access };

/** The links of the navigation bar, in order. */
const DESTINATIONS: readonly Screen[] = [
  { label: "Search", to: "/search", access: "signed-in" },
  { label: "Alerts", to: "/alerts", access: "hotlist-viewer" },
  { label: "Admin", to: "/admin", access: "admin" },
  { label: "Integrations", to: "/api-keys", access: "admin" },
  { label: "Audit Log", to: "/audit-log", access: "admin" },
  { label: "Owner", to: "/owner", access: "owner" },
  { label: "Profile", to: "/profile", access: "signed-in" },
  { label: "Terms", to: "/terms", access: "public" },
  { label: "Privacy", to: "/privacy", access: "public" },
];

/** Returns the links that a user with these permissions may follow. */
function destinationsFor(standing: Standing | null): readonly Screen[] {
  return DESTINATIONS.filter((destination) => mayUse(destination.access, standing));
}

export type NavigationBarProps = { user: CurrentUser | null; standing: Standing | null; theme: ThemeChoice };

export function NavigationBar({ user, standing, theme }: NavigationBarProps) {
  const panel = useRef<HTMLDivElement>(null);
  const [helping, setHelping] = useState(false);
  const destinations = destinationsFor(standing);
  // Administrators have more links than fit on a tablet.
  const [whenWide, whenNarrow] =
    destinations.length > MOST_LINKS_ON_TABLET
      ? ["max-xl:hidden", "xl:hidden"]
      : ["max-md:hidden", "md:hidden"];

  return (
    <header className="sticky top-0 z-10 border-b border-line bg-raised">
      <a
        href="#content"
        className="sr-only rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:not-sr-only focus:absolute focus:top-1 focus:left-1 focus:z-20"
      >
        Skip to content
      </a>
      <div className="flex h-bar-row items-center gap-1 px-3">
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
          {user && <SignedInUser user={user} className="me-2 text-end max-lg:hidden" />}
          {user && mayUse("hotlist-viewer", standing) && (
            <LazySlot>
              <Bell key={user.id} userId={user.id} />
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
          className="sheet floating top-[calc(var(--spacing-bar-row)+0.25rem)] right-2 w-64 flex-col gap-1 p-2 open:flex"
          {...popover("auto")}
        >
          <SignedInUser user={user} className="border-b border-line px-2 pt-1 pb-2.5" />
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
              // Closed first, so that the menu button gets the focus back when the dialog closes.
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

function SignedInUser({ user, className }: { user: CurrentUser; className?: string }) {
  return (
    <div className={cx("min-w-0 text-sm", className)}>
      <div className="truncate font-medium">{user.name}</div>
      <div className="truncate text-xs text-muted">{user.department}</div>
    </div>
  );
}

const THEME_CHOICES = [
  { theme: "system", label: "System" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
  { theme: "night", label: "Night" },
] as const;

type ThemeChoice = (typeof THEME_CHOICES)[number]["theme"];

const THEME_ICONS = { system: <Monitor />, light: <Sun />, dark: <Moon />, night: <Eclipse /> };

function ThemeSwitch({ theme }: { theme: ThemeChoice }) {
  const [chosen, setChosen] = useState(theme);
  return (
    <Menu label="Theme" align="end" trigger={<IconButton label="Theme" icon={THEME_ICONS[chosen]} />}>
      {THEME_CHOICES.map((choice) => (
        <MenuItem
          key={choice.theme}
          radio
          checked={choice.theme === chosen}
          icon={THEME_ICONS[choice.theme]}
          onSelect={() => {
            setChosen(choice.theme);
            applyTheme(choice.theme);
          }}
        >
          {choice.label}
        </MenuItem>
      ))}
    </Menu>
  );
}

const COOKIE = "odin-theme";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Applies the theme immediately and stores it in a cookie, so that the server renders the next page with it. */
function applyTheme(theme: ThemeChoice): void {
  document.documentElement.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
}
