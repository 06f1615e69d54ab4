import { Eclipse, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { Menu, MenuItem } from "#app/components/ui/menu.tsx";
import { applyTheme, THEME_CHOICES, type ThemeChoice } from "./theme.ts";

const ICONS = { system: <Monitor />, light: <Sun />, dark: <Moon />, night: <Eclipse /> };

export function ThemeSwitch({ theme }: { theme: ThemeChoice }) {
  const [chosen, setChosen] = useState(theme);
  return (
    <Menu label="Theme" align="end" trigger={<IconButton label="Theme" icon={ICONS[chosen]} />}>
      {THEME_CHOICES.map((choice) => (
        <MenuItem
          key={choice.theme}
          radio
          checked={choice.theme === chosen}
          icon={ICONS[choice.theme]}
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
