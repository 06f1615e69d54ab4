// Single sign-on: the OpenID Connect provider of an agency, its email domains, and the users of its persons.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { agencies, users } from "./accounts.ts";

/** An agency has at most one provider. */
export const signOnProviders = sqliteTable("sign_on_providers", {
  agencyId: text("agency_id")
    .primaryKey()
    .references(() => agencies.id),
  issuer: text().notNull(),
  clientId: text("client_id").notNull(),
  sealedSecret: text("sealed_secret").notNull(),
  buttonName: text("button_name").notNull(),
  enabled: integer({ mode: "boolean" }).notNull(),
  /** The button is on the sign-in page for everyone to see. */
  showButton: integer("show_button", { mode: "boolean" }).notNull(),
  createUsers: integer("create_users", { mode: "boolean" }).notNull(),
  /** Accepts addresses without `email_verified`, which some providers never send. */
  trustEmail: integer("trust_email", { mode: "boolean" }).notNull(),
  /** The provider's second factor counts as Odin's. */
  trustSecondFactor: integer("trust_second_factor", { mode: "boolean" }).notNull(),
  /** When the owner approved that: it then also meets a policy that requires a second factor. */
  secondFactorApprovedAt: integer("second_factor_approved_at"),
  /** Accepts sign-ins without `auth_time`, which some providers never send. */
  noAuthTime: integer("no_auth_time", { mode: "boolean" }).notNull(),
  /** Values of `acr`, besides `amr`, that prove a second factor. */
  acrValues: text("acr_values", { mode: "json" }).$type<string[]>().notNull(),
  groupsClaim: text("groups_claim").notNull(),
  /** Groups by what they grant; an empty list leaves the right to administrators. */
  memberGroups: text("member_groups", { mode: "json" }).$type<string[]>().notNull(),
  adminGroups: text("admin_groups", { mode: "json" }).$type<string[]>().notNull(),
  hotlistAdminGroups: text("hotlist_admin_groups", { mode: "json" }).$type<string[]>().notNull(),
  hotlistViewerGroups: text("hotlist_viewer_groups", { mode: "json" }).$type<string[]>().notNull(),
  /** Only this user of the agency may sign in with a password; null allows everyone. */
  breakGlassUserId: text("break_glass_user_id").references(() => users.id),
  /** When a test last found no problem with the present settings. */
  testedAt: integer("tested_at"),
  /** When a sign-in last failed before the provider had named a person, and why. */
  lastFailureAt: integer("last_failure_at"),
  lastFailure: text("last_failure"),
  changedAt: integer("changed_at").notNull(),
});

/** Email domains that agencies have requested. At most one agency has the owner's approval for a domain. */
export const signOnDomains = sqliteTable(
  "sign_on_domains",
  {
    domain: text().notNull(),
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    requestedAt: integer("requested_at").notNull(),
    requestedBy: text("requested_by").notNull(),
    approvedAt: integer("approved_at"),
  },
  (table) => [
    primaryKey({ columns: [table.domain, table.agencyId] }),
    index("sign_on_domains_agency").on(table.agencyId),
    uniqueIndex("sign_on_domains_approved").on(table.domain).where(sql`approved_at IS NOT NULL`),
  ],
);

/** The user of each person at a provider. Rows of deleted users stay, so that no sign-in creates those users again. */
export const signOnIdentities = sqliteTable(
  "sign_on_identities",
  {
    agencyId: text("agency_id")
      .notNull()
      .references(() => agencies.id),
    issuer: text().notNull(),
    subject: text().notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agencyId, table.issuer, table.subject] }),
    // A user is at most one person of a provider, so that no second person can be linked by email.
    uniqueIndex("sign_on_identities_user").on(table.userId, table.agencyId, table.issuer),
  ],
);

/** Messages of providers that work once: states of completed sign-ins and ids of logout tokens. */
export const usedSignOns = sqliteTable(
  "used_sign_ons",
  { id: text().primaryKey(), until: integer().notNull() },
  (table) => [index("used_sign_ons_until").on(table.until)],
);
