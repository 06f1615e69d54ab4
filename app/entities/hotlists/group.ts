/** Alert groups as calls answer them. What calls send is in hotlist-calls.ts. */

import type { HotlistPlate, ListPart } from "./entry.ts";

export const GROUP_NAME_MAX = 120;
export const GROUP_DESCRIPTION_MAX = 2000;
/** Most plates that one save adds; more come as a file. */
export const PLATES_PER_SAVE = 5000;

/** A group as the list of GET /alerts-data gives it. */
export type GroupCard = {
  id: string;
  name: string;
  latest_image_url: string | null;
  last_alert: string | null;
  /** Ours: whether the caller may change it, whose it is, how much is in it. */
  can_edit: boolean;
  agency: string;
  /** Plates in force; those that have expired stand beside. */
  plate_count: number;
  expired_count: number;
};

/** A group that was archived, as /alerts lists it beneath the others. */
export type ArchivedGroup = {
  id: string;
  name: string;
  archived_at: string;
  archived_by: string;
  last_alert: string | null;
};

/** Archived groups that the list names, the latest of them. */
export const ARCHIVED_SHOWN = 200;

export type GroupMember = { id: string; name: string; email: string; agency: string };

export type UsersOfAgency = {
  agency: string;
  agency_id: string;
  users: { id: string; name: string; email: string; hotlist: boolean }[];
};

export type GroupInvitation = {
  group_id: string;
  group: string;
  agency_id: string;
  agency: string;
  /** The agency that owns the group. */
  owner: string;
  state: "pending" | "accepted" | "declined" | "withdrawn";
  invited_by: string;
  invited_at: string;
  /** Names of users of the invited agency whom the owner wants as members. */
  proposed: string[];
};

/** A user of another agency who becomes a member once that agency's hotlist admin accepts. */
export type PendingMember = { id: string; name: string; email: string; agency: string; agency_id: string };

/** Part of a group's plates, in the order of the plates; `next` asks for what follows. */
export type PlatePage = {
  plates: HotlistPlate[];
  next: string | null;
  /** Of the whole group, whatever is asked for. */
  counts: Record<ListPart, number>;
};

export type GroupDetails = {
  id: string;
  name: string;
  description: string;
  created_at: string;
  image_url: string | null;
  last_alert: string | null;
  member_ids: string[];
  plate_count: number;
  expired_count: number;
  /** Days after which an entry that names no day expires; 0 means never. */
  expiry_days: number;
  agency: string;
  can_edit: boolean;
  /** Null while the group is in use. */
  archived_at: string | null;
  version: number;
  changed_at: string;
  changed_by: string;
};

/** An agency user with the flags of /edit-alerts-permissions. */
export type AgencyUser = {
  id: string;
  name: string;
  email: string;
  hotlist_admin: boolean;
  hotlist_viewer: boolean;
  role: "admin" | "user";
  is_self: boolean;
};

export const PLATE_PAGE_SIZE = 100;

/** The image of a group that has none. */
export const DEFAULT_GROUP_IMAGE = "/group.svg";
