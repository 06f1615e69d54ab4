import { type Access, mayUse, type Standing } from "#app/entities/accounts/access.ts";

/** A screen of the navigation, and who may open it. */
export type Destination = {
  label: string;
  to: string;
  access: Access;
  /** The other URLs of its area; those below each belong to it too. */
  area?: readonly string[];
};

/** Several screens under one button. */
export type DestinationGroup = { label: string; screens: readonly Destination[] };

/** The navigation bar, in order. The specification names every entry but the two groups. */
const NAVIGATION: readonly (Destination | DestinationGroup)[] = [
  { label: "Search", to: "/search", access: "signed-in", area: ["/results", "/searches", "/investigate"] },
  {
    label: "Alerts",
    to: "/alerts",
    access: "hotlist-viewer",
    area: ["/groups", "/create-group", "/alert-history-detail", "/edit-alerts-permissions"],
  },
  { label: "Admin", to: "/admin", access: "admin", area: ["/single-sign-on"] },
  { label: "Integrations", to: "/api-keys", access: "admin", area: ["/integrations"] },
  { label: "Audit Log", to: "/audit-log", access: "admin" },
  {
    label: "Oversight",
    screens: [
      { label: "Review", to: "/review", access: "admin" },
      { label: "Legal Holds", to: "/legal-holds", access: "admin" },
      { label: "Transparency Page", to: "/public-figures", access: "admin" },
    ],
  },
  {
    label: "Operations",
    screens: [
      { label: "Status", to: "/status", access: "owner" },
      { label: "Failed Jobs", to: "/dead-jobs", access: "owner" },
      { label: "Backups", to: "/backups", access: "owner" },
      { label: "Storage", to: "/storage", access: "owner" },
      { label: "System Health", to: "/system-health", access: "admin" },
    ],
  },
  { label: "Owner", to: "/owner", access: "owner", area: ["/rekor-camera-management"] },
  {
    label: "Profile",
    to: "/profile",
    access: "signed-in",
    area: ["/change-password", "/second-factor", "/docs"],
  },
  { label: "Terms", to: "/terms", access: "public" },
  { label: "Privacy", to: "/privacy", access: "public" },
];

/** Returns the part of the navigation that a user with these permissions may open. */
export function navigationFor(standing: Standing | null): readonly (Destination | DestinationGroup)[] {
  return NAVIGATION.flatMap((entry): (Destination | DestinationGroup)[] => {
    if (!("screens" in entry)) return mayUse(entry.access, standing) ? [entry] : [];
    const screens = entry.screens.filter(({ access }) => mayUse(access, standing));
    return screens.length > 0 ? [{ ...entry, screens }] : [];
  });
}

/** Returns `aria-current` of a screen's link: `page` on the screen itself, `true` elsewhere in its area. */
export function currentOf({ to, area = [] }: Destination, pathname: string): "page" | "true" | undefined {
  if (pathname === to) return "page";
  return [to, ...area].some((path) => pathname === path || pathname.startsWith(`${path}/`))
    ? "true"
    : undefined;
}
