import { type Access, mayUse, type Standing } from "#app/entities/accounts/access.ts";

type Destination = { label: string; to: string; access: Access };

/** The links of the navigation bar in their order; a new screen that belongs there is one line. */
const DESTINATIONS: readonly Destination[] = [
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

/** The links that somebody of this standing may follow. */
export function destinationsFor(standing: Standing | null): readonly Destination[] {
  return DESTINATIONS.filter((destination) => mayUse(destination.access, standing));
}
