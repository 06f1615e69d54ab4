// The tags of the OpenAPI document. Each endpoint table names the tag of its endpoints.

export const TAGS = {
  Account: "Signing in and out, and the caller's own password, second factors and sessions.",
  "Single sign-on": "Redirects to the identity provider of an agency and back. For browsers.",
  Search: "Searches reads in Rekor, Axon and Axis, and returns the stored results.",
  "Search history": "The caller's own searches.",
  Map: "Background map, and addresses of places.",
  Images: "Pictures of the caller's own results, through Odin.",
  "Alert groups": "Hotlist groups, their members and permissions.",
  Hotlists: "The plates of a group, imports and attachments.",
  Hits: "Alerts of the caller's groups, and what members found.",
  Push: "Devices that get push notifications, and quiet hours.",
  Exports: "Reports and archives of results, and the keys that verify them.",
  Users: "Users of the caller's agency.",
  "SCIM 2.0":
    "Users and groups, for the identity provider of an agency (RFC 7644), with the agency's SCIM token.",
  Agencies: "All agencies and their policies, for the owner.",
  Integrations: "Keys of vendors, and which agencies share their reads.",
  Cameras: "Locations of cameras, and addresses that cameras post to.",
  "Outgoing webhooks": "Addresses outside of Odin that get hits, dispositions and expiry notices.",
  "Incoming reads": "Webhooks of cameras and vendors, and the health of cameras.",
  "Audit log": "Who did what, and whether the log is unchanged.",
  Review: "Searches that a supervisor has to look at.",
  "Legal holds": "Reads that are kept for a case.",
  Transparency: "The transparency page that an agency may publish.",
  "Failed jobs": "Jobs that failed too often, to be retried or discarded.",
  Storage: "The databases of reads.",
  Backups: "Backups, and the calls that restore one into an empty installation.",
  Health: "Whether Odin works.",
  "API document": "This document.",
} as const;

export type Tag = keyof typeof TAGS;
