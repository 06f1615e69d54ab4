/** Alert groups as the API returns them. Request schemas are in calls.ts. */

import type * as z from "zod/mini";
import type { AgencyPart, NamedAgency } from "#app/entities/integrations/settings.ts";
import type * as answers from "./answers.ts";

/** Maximum number of characters of a group's name. */
export const GROUP_NAME_MAX = 120;
/** Maximum number of characters of a group's description. */
export const GROUP_DESCRIPTION_MAX = 2000;
/** Maximum number of one agency's invitations to another that may await an answer. */
export const MAX_WAITING_INVITATIONS = 20;
/** Maximum number of plates that one save adds. Larger lists are imported from a file. */
export const PLATES_PER_SAVE = 5000;

/** A group in the list of GET /alerts-data. */
export type GroupCard = z.infer<typeof answers.GroupCard>;

/** An archived group, listed below the others on /alerts. */
export type ArchivedGroup = {
  id: string;
  name: string;
  archived_at: string;
  archived_by: string;
  last_alert: string | null;
};

/** Maximum number of archived groups in the list, newest first. */
export const ARCHIVED_SHOWN = 200;

/** `hotlist` says whether the user may see hotlists. A member who may not gets no alerts. */
export type GroupMember = { id: string; name: string; email: string; agency: string; hotlist: boolean };

export type UsersOfAgency = z.infer<typeof answers.UsersOfAgency>;

/** A user who can become a member, with the name of the agency. */
export type Candidate = UsersOfAgency["users"][number] & { agency: string };

/** Maximum number of users that one search for members finds. */
export const MOST_FOUND = 50;

/** A page of the users that a search found, and whether there are more. */
export type FoundCandidates = { users: Candidate[]; more: boolean };

export type CandidateSearch = {
  /** The name of the actor's agency, whose users come first. */
  own: string;
  /** The text that was searched for. */
  find: string;
  found: FoundCandidates;
  /** Members, and users who are proposed as such. */
  chosen: Candidate[];
};

/** The users from whom a form chooses: all of them by agency, or a search. */
export type CandidateChoice =
  | { users: Record<string, UsersOfAgency["users"]>; search: null }
  | { users?: undefined; search: CandidateSearch };

/** An agency that was invited to a group, with the names of its users whom the owner proposed as members. */
type InvitedAgency = NamedAgency & { participates: boolean; proposed: string[] };

/** The other agencies in the form of a group; with many, a search finds them. */
export type GroupAgencies = {
  invited: AgencyPart<InvitedAgency>;
  invitable: AgencyPart<NamedAgency>;
  search: { find: string } | null;
};

export type GroupInvitation = z.infer<typeof answers.GroupInvitation>;

/** A user of another agency who becomes a member once that agency's hotlist admin accepts. */
export type PendingMember = { id: string; name: string; email: string; agency: string; agency_id: string };

/** One page of a group's plates, ordered by plate. `next` is the cursor of the next page. */
export type PlatePage = z.infer<typeof answers.PlatePage>;

export type GroupDetails = z.infer<typeof answers.GroupDetails>;

/** An agency user with the flags of /edit-alerts-permissions. */
export type AgencyUser = z.infer<typeof answers.AgencyUser>;

/** Plates on a page of a group's list, unless a client asks for another number. */
export const PLATE_PAGE_SIZE = 100;

/** Shown for groups without an image. */
export const DEFAULT_GROUP_IMAGE = "/group.svg";
