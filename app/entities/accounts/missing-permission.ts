import type { Access } from "./access.ts";

/** The permission that a user lacks for a level, and who can grant it. */
export type MissingPermission = { missing_permission: string; granted_by: string };

const HOTLIST_GRANT =
  "A hotlist admin or administrator of your agency can grant it under Edit Alerts Permissions.";

const MISSING: Partial<Record<Access, MissingPermission>> = {
  "hotlist-viewer": { missing_permission: "Hotlist Viewer", granted_by: HOTLIST_GRANT },
  "hotlist-admin": { missing_permission: "Hotlist Admin", granted_by: HOTLIST_GRANT },
  investigator: {
    missing_permission: "Investigations",
    granted_by: "The owner of this installation can grant it in the agency's policy.",
  },
  admin: {
    missing_permission: "Administrator",
    granted_by: "An administrator of your agency can grant it in the Admin Panel, under Edit Role.",
  },
  owner: {
    missing_permission: "Owner",
    granted_by: "Only the owner of this installation has it, and no one can grant it.",
  },
};

/**
 * Returns the permission that a user without this level lacks, and who can grant it; undefined for levels that need no
 * grant.
 */
export function missingPermission(access: Access): MissingPermission | undefined {
  return MISSING[access];
}
