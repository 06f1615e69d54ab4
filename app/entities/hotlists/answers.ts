/** Response schemas of the hotlist endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { described, named } from "#app/lib/json/named-schema.ts";

export const GroupCard = named(
  "GroupCard",
  z.object({
    id: z.string(),
    name: z.string(),
    latest_image_url: z.nullable(z.string()),
    last_alert: z.nullable(z.string()),
    can_edit: described(
      "Odin's additions: whether the caller can edit the group, the owning agency, and the plate counts.",
      z.boolean(),
    ),
    agency: z.string(),
    plate_count: described("Plates in force. Expired plates are counted separately.", z.number()),
    expired_count: z.number(),
    has_members: described(
      "Whether anyone gets the group's alerts: it has a member who may see hotlists.",
      z.boolean(),
    ),
  }),
  "A group in the list of GET /alerts-data.",
);

export const GroupCards = z.array(GroupCard);

export const PushSwitch = named("PushSwitch", z.object({ push_alerts: z.boolean() }));

const Candidates = z.array(
  z.object({ id: z.string(), name: z.string(), email: z.string(), hotlist: z.boolean() }),
);

const Members = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    agency: z.string(),
    hotlist: described("Whether the member may see hotlists. One who may not gets no alerts.", z.boolean()),
  }),
);

export const GroupCandidates = named(
  "GroupCandidates",
  z.object({
    users_by_agency: z.record(z.string(), Candidates),
  }),
);

export const FoundMembers = named(
  "FoundMembers",
  z.object({
    users: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        email: z.string(),
        hotlist: z.boolean(),
        agency: z.string(),
      }),
    ),
    more: described("Whether there is a next page.", z.boolean()),
  }),
);

const PendingMember = named(
  "PendingMember",
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    agency: z.string(),
    agency_id: z.string(),
  }),
  "A user of another agency who becomes a member once that agency's hotlist admin accepts.",
);

export const GroupSaved = named(
  "GroupSaved",
  z.object({ message: z.string(), group_id: z.string(), pending: z.array(PendingMember) }),
  "`pending` are users of other agencies who become members once their agencies accept.",
);

export const GroupEdited = named(
  "GroupEdited",
  z.object({
    message: z.string(),
    group_id: z.string(),
    pending: z.array(PendingMember),
    version: z.number(),
  }),
);

export const GroupInvitation = named(
  "GroupInvitation",
  z.object({
    group_id: z.string(),
    group: z.string(),
    agency_id: z.string(),
    agency: z.string(),
    owner: described("The agency that owns the group.", z.string()),
    state: z.enum(["pending", "accepted", "declined", "withdrawn"]),
    invited_by: z.string(),
    invited_at: z.string(),
    proposed: described(
      "Names of users of the invited agency whom the owner proposed as members.",
      z.array(z.string()),
    ),
  }),
);

export const Invitations = named("Invitations", z.object({ invitations: z.array(GroupInvitation) }));

export const MemberCount = named("MemberCount", z.object({ members: z.number() }));

export const AgencyUser = named(
  "AgencyUser",
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    hotlist_admin: z.boolean(),
    hotlist_viewer: z.boolean(),
    role: z.enum(["admin", "user"]),
    is_self: z.boolean(),
  }),
  "An agency user with the flags of /edit-alerts-permissions.",
);

export const AgencyUsers = z.array(AgencyUser);

export const PlateAdded = named(
  "PlateAdded",
  z.object({
    message: z.string(),
    msg: z.string(),
    success: z.literal(true),
    plate: z.string(),
    group: z.string(),
    duplicates: z.array(z.string()),
  }),
);

export const PlateCheck = named(
  "PlateCheck",
  z.object({
    plate: z.string(),
    wildcard: z.boolean(),
    reads: described(
      "Reads that the entry would match; null if the user's agency has no archive to search.",
      z.nullable(z.number()),
    ),
    more: described("The count is a lower bound: a limit of the search was reached.", z.boolean()),
    days: z.number(),
    newest: z.nullable(z.string()),
    expiry_days: described("Days after which the entry expires if the user sets no expiry.", z.number()),
    common_reasons: described("Reasons to suggest for the entry.", z.array(z.string())),
    duplicates: z.array(
      z.object({
        group_id: z.string(),
        group: z.string(),
        state: z.string(),
        reason: z.string(),
        added_by: z.string(),
        added_at: z.string(),
        expired: described("On that list, but expired and not matched.", z.boolean()),
        in_this_group: z.boolean(),
      }),
    ),
  }),
);

export const PlateRemoved = named(
  "PlateRemoved",
  z.object({ success: z.literal(true), message: z.string() }),
);

/** A plate of a group as GET …/details-data and …/edit-data return it (specification section 3), with Odin's additions. */
export const HotlistPlate = named(
  "HotlistPlate",
  z.object({
    id: z.number(),
    plate_number: z.string(),
    state: z.string(),
    reason: z.string(),
    notes: z.string(),
    created_at: z.string(),
    added_by_name: z.string(),
    added_by_agency: z.string(),
    attachment_path: z.nullable(z.string()),
    expires_at: z.nullable(z.string()),
    case_number: z.string(),
    match_policy: z.enum(["exact", "lookalike"]),
    state_required: z.boolean(),
    make: z.string(),
    color: z.string(),
    body_type: z.string(),
    priority: z.enum(["high", "normal", "low"]),
    revision: z.number(),
    attachment_name: z.nullable(z.string()),
    also_in: described(
      "Names of other groups visible to the viewer that also watch the plate.",
      z.array(z.string()),
    ),
  }),
  "A plate of a group as GET \u2026/details-data and \u2026/edit-data return it (specification section 3), with Odin's additions.",
);

export const PlatePage = named(
  "PlatePage",
  z.object({
    plates: z.array(HotlistPlate),
    next: z.nullable(z.string()),
    counts: described(
      "Counts of the whole group, regardless of the filter.",
      z.object({ expired: z.number(), "in-force": z.number(), near: z.number() }),
    ),
  }),
  "One page of a group's plates, ordered by plate. `next` is the cursor of the next page.",
);

export const PlatesRenewed = named(
  "PlatesRenewed",
  z.object({ renewed: z.number(), expires_at: z.nullable(z.string()), message: z.string() }),
);

export const PlateEdited = named("PlateEdited", z.object({ plate: HotlistPlate }));

export const GroupDetails = named(
  "GroupDetails",
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    created_at: z.string(),
    image_url: z.nullable(z.string()),
    last_alert: z.nullable(z.string()),
    member_ids: z.array(z.string()),
    plate_count: z.number(),
    expired_count: z.number(),
    expiry_days: described(
      "Days after which an entry without its own expiry expires; 0 means never.",
      z.number(),
    ),
    agency: z.string(),
    can_edit: z.boolean(),
    archived_at: described("Null if the group is not archived.", z.nullable(z.string())),
    version: z.number(),
    changed_at: z.string(),
    changed_by: z.string(),
  }),
);

export const UsersOfAgency = named(
  "UsersOfAgency",
  z.object({
    agency: z.string(),
    agency_id: z.string(),
    users: Candidates,
  }),
);

const GroupDescription = named(
  "GroupDescription",
  z.object({
    group: GroupDetails,
    members: Members,
    own_users: z.nullable(UsersOfAgency),
    own_proposed: z.array(z.string()),
  }),
);

const GroupToEdit = named(
  "GroupToEdit",
  z.object({
    group: GroupDetails,
    members: Members,
    users_by_agency: z.record(z.string(), Candidates),
    pending_members: z.array(PendingMember),
    invitations: z.array(GroupInvitation),
    agencies: z.array(z.object({ id: z.string(), name: z.string() })),
  }),
);

/** A group with a page of its plates, or all of them. */
export const GroupPage = named("GroupPage", z.extend(GroupDescription, PlatePage.shape));

/** The same with everyone who can become a member. */
export const GroupEditPage = named("GroupEditPage", z.extend(GroupToEdit, PlatePage.shape));
