export const THEME_CHOICES = [
  { theme: "system", label: "System" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
  { theme: "night", label: "Night" },
] as const;

export type ThemeChoice = (typeof THEME_CHOICES)[number]["theme"];

const COOKIE = "odin-theme";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Applies the theme immediately and stores it in a cookie, so that the server renders the next page with it. */
export function applyTheme(theme: ThemeChoice): void {
  document.documentElement.dataset.theme = theme;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
}
