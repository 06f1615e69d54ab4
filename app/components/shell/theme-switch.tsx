import { Eclipse, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";

const THEME_CHOICES = [
  { theme: "system", label: "System" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
  { theme: "night", label: "Night" },
] as const;

export type ThemeChoice = (typeof THEME_CHOICES)[number]["theme"];

const THEME_ICONS = { system: <Monitor />, light: <Sun />, dark: <Moon />, night: <Eclipse /> };

/** Chooses the theme. */
export function ThemeSwitch({ theme }: { theme: ThemeChoice }) {
  const [chosen, setChosen] = useState(theme);
  return (
    <Menu label="Theme" trigger={<IconButton label="Theme" icon={THEME_ICONS[chosen]} />}>
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
