// Writes the first rows of an installation. Every insert is an upsert by id, so that a plan can be applied again: it
// corrects vendors' addresses and keys, and leaves alone what people have changed since (passwords, roles).

import { sql } from "drizzle-orm";
import type { ControlDb, Statement } from "#app/store/database.ts";
import { agencies, users } from "#app/store/schema/accounts.ts";
import { axisCameras } from "#app/store/schema/cameras.ts";
import {
  axisShares,
  axonBlacklist,
  axonIntegrations,
  rekorKeys,
  webhooks,
} from "#app/store/schema/integrations.ts";
import { signOnDomains, signOnProviders } from "#app/store/schema/single-sign-on.ts";

export type SetupRows = {
  agencies: (typeof agencies.$inferInsert)[];
  users: (typeof users.$inferInsert)[];
  rekorKeys: (typeof rekorKeys.$inferInsert)[];
  axonIntegrations: (typeof axonIntegrations.$inferInsert)[];
  axonBlacklist: (typeof axonBlacklist.$inferInsert)[];
  axisCameras: (typeof axisCameras.$inferInsert)[];
  axisShares: (typeof axisShares.$inferInsert)[];
  webhooks: (typeof webhooks.$inferInsert)[];
};

/** Returns the statements of a plan, parents first. */
export function setupStatements(db: ControlDb, rows: SetupRows): Statement[] {
  return [
    ...rows.agencies.map((row) => db.insert(agencies).values(row).onConflictDoNothing()),
    ...rows.users.map((row) => db.insert(users).values(row).onConflictDoNothing()),
    ...rows.rekorKeys.map((row) =>
      db
        .insert(rekorKeys)
        .values(row)
        .onConflictDoUpdate({
          target: rekorKeys.id,
          set: { baseUrl: row.baseUrl, sealedKey: row.sealedKey, keyLast4: row.keyLast4 },
        }),
    ),
    ...rows.axonIntegrations.map((row) =>
      db
        .insert(axonIntegrations)
        .values(row)
        .onConflictDoUpdate({
          target: axonIntegrations.id,
          set: { baseUrl: row.baseUrl, sealedSecret: row.sealedSecret },
        }),
    ),
    ...rows.axonBlacklist.map((row) => db.insert(axonBlacklist).values(row).onConflictDoNothing()),
    ...rows.axisCameras.map((row) => db.insert(axisCameras).values(row).onConflictDoNothing()),
    ...rows.axisShares.map((row) => db.insert(axisShares).values(row).onConflictDoNothing()),
    ...rows.webhooks.map((row) => db.insert(webhooks).values(row).onConflictDoNothing()),
  ];
}

/** Returns the statements of an identity provider with approved domains. */
export function setupSignOnStatements(
  db: ControlDb,
  row: {
    agencyId: string;
    issuer: string;
    clientId: string;
    sealedSecret: string;
    buttonName: string;
    domains: string[];
    groups: { members: string; admins: string; hotlistAdmins: string; hotlistViewers: string };
    at: number;
  },
): Statement[] {
  const { agencyId, issuer, clientId, sealedSecret, buttonName, domains, groups, at } = row;
  return [
    db
      .insert(signOnProviders)
      .values({
        ...{ agencyId, issuer, clientId, sealedSecret, buttonName },
        enabled: true,
        showButton: true,
        createUsers: true,
        trustEmail: false,
        trustSecondFactor: true,
        secondFactorApprovedAt: at,
        noAuthTime: false,
        acrValues: [],
        groupsClaim: "groups",
        memberGroups: [groups.members],
        adminGroups: [groups.admins],
        hotlistAdminGroups: [groups.hotlistAdmins],
        hotlistViewerGroups: [groups.hotlistViewers],
        changedAt: at,
      })
      .onConflictDoUpdate({ target: signOnProviders.agencyId, set: { issuer, clientId, sealedSecret } }),
    ...domains.map((domain) =>
      db
        .insert(signOnDomains)
        .values({ domain, agencyId, requestedAt: at, requestedBy: "", approvedAt: at })
        .onConflictDoNothing(),
    ),
  ];
}

/** Returns the number of agencies; 0 means that the installation is not set up. */
export async function countAgencies(db: ControlDb): Promise<number> {
  const [row] = await db.select({ count: sql<number>`count(*)` }).from(agencies);
  return row?.count ?? 0;
}
