import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { type Access, mayUse, type Standing } from "#app/entities/accounts/access.ts";
import type { GroupCard } from "#app/entities/hotlists/group.ts";
import type { CameraHealth, RekorCamera } from "#app/entities/ingest/camera.ts";
import { parsePlatePattern } from "#app/entities/search/plate.ts";
import type { ManagedUser } from "#app/entities/users/directory.ts";
import { type Destination, navigationFor } from "./destinations.ts";
import { useStanding } from "./use-standing.ts";

const KINDS = ["Screens", "Groups", "Cameras", "Users"] as const;

/** Maximum number of entries of one kind that are listed; typing more finds the others. */
const MAX_PER_KIND = 8;

/** An entry of the command palette. */
export type Command = {
  kind: (typeof KINDS)[number] | "Plate";
  label: string;
  /** Shown beside the label, and searched too. */
  note: string;
  to: string;
  /** The text for the filter of the opened screen. */
  find?: string;
  /** The plate for the search form. */
  plate?: string;
};

/** Screens that the navigation bar does not name. */
const MORE_SCREENS: readonly Destination[] = [
  { label: "Search History", to: "/searches", access: "signed-in" },
  { label: "Investigate Places and Convoys", to: "/investigate", access: "investigator" },
  { label: "Create Group", to: "/create-group", access: "hotlist-admin" },
  { label: "Edit Alerts Permissions", to: "/edit-alerts-permissions", access: "hotlist-admin" },
  { label: "Hit Quality", to: "/alerts/quality", access: "admin" },
  { label: "Single Sign-On", to: "/single-sign-on", access: "admin" },
  { label: "Email Domains", to: "/owner/email-domains", access: "owner" },
  { label: "Rekor Integration", to: "/integrations/rekor", access: "admin" },
  { label: "Axon Integration", to: "/integrations/axon", access: "admin" },
  { label: "Axis Integration", to: "/integrations/axis", access: "admin" },
  { label: "Outgoing Webhooks", to: "/integrations/outgoing", access: "hotlist-admin" },
  { label: "Service Accounts", to: "/integrations/service-accounts", access: "admin" },
  { label: "Rekor Camera Management", to: "/rekor-camera-management", access: "owner" },
  { label: "API Documentation", to: "/docs/api", access: "signed-in" },
  { label: "Verify an Export", to: "/verify", access: "public" },
];

function screensFor(standing: Standing | null): Command[] {
  const screens = navigationFor(standing).flatMap((entry) =>
    "screens" in entry ? entry.screens.map((screen) => ({ ...screen, note: entry.label })) : [entry],
  );
  const more = MORE_SCREENS.filter(({ access }) => mayUse(access, standing));
  return [...screens, ...more].map((screen) => ({ kind: "Screens", note: "", ...screen }));
}

/** A list that the server returns, and who may see it. It contains only what the user may open. */
type Source = { access: Access; load: () => Promise<Command[] | undefined> };

function source<T>(access: Access, path: string, read: (body: T) => Command[]): Source {
  const load = async () => {
    const answer = await callApi<T>(path);
    return answer.ok ? read(answer.value) : undefined;
  };
  return { access, load };
}

const toUser =
  (to: string) =>
  ({ name, username, department }: ManagedUser): Command => ({
    kind: "Users",
    label: name,
    note: `${username}, ${department}`,
    to,
    find: username,
  });

const SOURCES: readonly Source[] = [
  source<GroupCard[]>("hotlist-viewer", "/alerts-data", (groups) =>
    groups.flatMap(({ id, name, agency }): Command[] => [
      {
        kind: "Groups",
        label: name,
        note: `Alert history, ${agency}`,
        to: `/alerts/group/${encodeURIComponent(id)}`,
      },
      { kind: "Groups", label: name, note: `Details, ${agency}`, to: `/groups/${encodeURIComponent(id)}` },
    ]),
  ),
  source<CameraHealth[]>("admin", "/camera-health", (cameras) =>
    cameras.map(({ camera_name, source_program }) => ({
      kind: "Cameras",
      label: camera_name,
      note: source_program,
      to: `/integrations/${source_program.toLowerCase()}?${new URLSearchParams({ find: camera_name })}`,
    })),
  ),
  source<RekorCamera[]>("owner", "/rekor-cameras", (cameras) =>
    cameras.map(({ camera_id, camera_name, site_name }) => ({
      kind: "Cameras",
      label: camera_name,
      note: `Location, ${site_name}`,
      to: `/rekor-camera-management?${new URLSearchParams({ find: camera_id })}`,
    })),
  ),
  source<{ users: ManagedUser[] }>("admin", "/admin-data", ({ users }) => users.map(toUser("/admin"))),
  source<{ users: ManagedUser[] }>("owner", "/owner-data", ({ users }) => users.map(toUser("/owner"))),
];

/** Returns the screens that the user may open, and soon after, groups, cameras and users from the server. */
export function useCommands(): { commands: Command[]; failed: boolean; isLoading: boolean } {
  const standing = useStanding();
  const [loaded, setLoaded] = useState<(Command[] | undefined)[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: loaded once, each time the palette opens
  useEffect(() => {
    let isClosed = false;
    const mine = SOURCES.filter(({ access }) => mayUse(access, standing));
    void Promise.all(mine.map(({ load }) => load())).then((lists) => !isClosed && setLoaded(lists));
    return () => {
      isClosed = true;
    };
  }, []);
  return {
    commands: [...screensFor(standing), ...(loaded ?? []).flatMap((list) => list ?? [])],
    failed: loaded?.includes(undefined) ?? false,
    isLoading: loaded === undefined,
  };
}

/**
 * Returns the commands that contain every typed word, by kind, those that start with the text first; and the search of a
 * plate if the text can be one.
 */
export function findCommands(commands: readonly Command[], text: string): Command[] {
  const typed = text.trim().toLowerCase();
  if (typed === "") return commands.filter(({ kind }) => kind === "Screens");
  const words = typed.split(/\s+/);
  const matches = commands.filter(({ kind, label, note }) => {
    const searched = `${label} ${note} ${kind}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const startsSo = ({ label }: Command) => label.toLowerCase().startsWith(typed);
  const found = KINDS.flatMap((kind) => {
    const all = matches.filter((command) => command.kind === kind);
    return [...all.filter(startsSo), ...all.filter((command) => !startsSo(command))].slice(0, MAX_PER_KIND);
  });
  const plate = plateIn(text);
  if (plate === undefined) return found;
  const label = `Search plate ${plate}`;
  return [...found, { kind: "Plate", label, note: "Asks for a justification", to: "/search", plate }];
}

/** Returns the plate of `search plate ABC123`, of `plate ABC123`, or of a text with a digit that can be a plate. */
function plateIn(text: string): string | undefined {
  const typed = text.trim();
  const plate = typed.replace(/^(search\s+plate|search|plate)(\s+|$)/i, "");
  if (!/[\p{L}\p{N}]/u.test(plate) || parsePlatePattern(plate) === undefined) return undefined;
  return plate !== typed || /\d/.test(plate) ? plate.toUpperCase() : undefined;
}
