// Sets up an installation from a plan: the first agency and its owner in production, or all data of the demo. It runs
// on the operator's machine, never in a request.

import type { AppContext } from "#app/context.ts";
import { secretOf } from "#app/domain/accounts/single-sign-on.ts";
import type { Role } from "#app/entities/accounts/access.ts";
import { entryOf, type NewPlate } from "#app/entities/hotlists/calls.ts";
import { entryDigest, expiryOf } from "#app/entities/hotlists/entry.ts";
import { hashPassword } from "#app/lib/crypto/passwords.ts";
import { seal, sha256 } from "#app/lib/crypto/primitives.ts";
import { millionths } from "#app/lib/degrees.ts";
import { inOneStep } from "#app/store/database.ts";
import { setupGroupStatements } from "#app/store/hotlists/setup.ts";
import { secretOwner } from "#app/store/integrations/sources.ts";
import { setupSignOnStatements, setupStatements } from "#app/store/operations/setup.ts";

export type SetupPlan = {
  agencies: { id: string; name: string }[];
  users: {
    id: string;
    agencyId: string;
    username: string;
    name: string;
    email: string;
    role: Role;
    hotlistAdmin: boolean;
    hotlistViewer: boolean;
    password: string;
  }[];
  rekorKeys: { id: string; tenantId: string; agency: string; baseUrl: string; key: string }[];
  axonIntegrations: {
    id: string;
    agencyId: string;
    baseUrl: string;
    clientId: string;
    clientSecret: string;
    partnerId: string;
  }[];
  axonBlacklist: { integrationId: string; agencyId: string }[];
  axisCameras: {
    id: string;
    agencyId: string;
    name: string;
    latitude: number;
    longitude: number;
    secret: string;
  }[];
  axisShares: { ownerAgencyId: string; viewerAgencyId: string }[];
  /** Rekor webhooks. */
  webhooks?: { id: string; agencyId: string; name: string; secret: string; createdBy: string }[];
  /** Identity providers, with approved domains and the groups that grant rights. */
  signOn?: {
    agencyId: string;
    issuer: string;
    clientId: string;
    clientSecret: string;
    buttonName: string;
    domains: string[];
    groups: { members: string; admins: string; hotlistAdmins: string; hotlistViewers: string };
  }[];
  alertGroups?: {
    id: string;
    agencyId: string;
    name: string;
    description: string;
    createdBy: string;
    members: string[];
    plates: NewPlate[];
  }[];
};

/**
 * Applies a plan in one transaction. Applied again, it corrects addresses and keys and leaves people unchanged. `hashes`
 * holds password hashes by password, so that several calls hash a common password once.
 */
export async function setUp(
  app: AppContext,
  plan: SetupPlan,
  hashes = new Map<string, Promise<string>>(),
): Promise<void> {
  const { pepper, sealingKeys } = app.config;
  const createdAt = app.clock();
  const hashOf = (password: string) => {
    const hash = hashes.get(password) ?? hashPassword(password, pepper);
    hashes.set(password, hash);
    return hash;
  };
  const statements = setupStatements(app.db, {
    agencies: plan.agencies.map((agency) => ({ ...agency, createdAt })),
    users: await Promise.all(
      plan.users.map(async ({ password, username, ...user }) => ({
        ...user,
        username: username.toLowerCase(),
        passwordHash: await hashOf(password),
        createdAt,
      })),
    ),
    rekorKeys: await Promise.all(
      plan.rekorKeys.map(async ({ key, ...row }) => ({
        ...row,
        sealedKey: await seal(sealingKeys, secretOwner({ program: "Rekor", id: row.id }), key),
        keyLast4: key.slice(-4),
        createdAt,
      })),
    ),
    axonIntegrations: await Promise.all(
      plan.axonIntegrations.map(async ({ clientSecret, ...row }) => ({
        ...row,
        sealedSecret: await seal(sealingKeys, secretOwner({ program: "Axon", id: row.id }), clientSecret),
        createdAt,
      })),
    ),
    axonBlacklist: plan.axonBlacklist.map((row) => ({ ...row, createdAt })),
    axisCameras: await Promise.all(
      plan.axisCameras.map(async ({ secret, latitude, longitude, ...row }) => ({
        ...row,
        latitude: millionths(latitude),
        longitude: millionths(longitude),
        secretHash: await sha256(secret),
        createdAt,
      })),
    ),
    axisShares: plan.axisShares.map((row) => ({ ...row, createdAt })),
    webhooks: await Promise.all(
      (plan.webhooks ?? []).map(async ({ secret, ...row }) => ({
        ...row,
        program: "rekor" as const,
        secretHash: await sha256(secret),
        secretLast4: secret.slice(-4),
        createdAt,
      })),
    ),
  });
  for (const { clientSecret, domains, groups, ...row } of plan.signOn ?? []) {
    const sealedSecret = await seal(sealingKeys, secretOf(row.agencyId), clientSecret);
    statements.push(
      ...setupSignOnStatements(app.db, { ...row, sealedSecret, domains, groups, at: createdAt }),
    );
  }
  for (const group of plan.alertGroups ?? []) {
    const author = plan.users.find((user) => user.id === group.createdBy);
    const agency = plan.agencies.find(({ id }) => id === group.agencyId);
    const entries = group.plates.flatMap(({ number, ...details }) => {
      const { entry } = entryOf(number, details);
      if (!entry) return [];
      const expiresAt = expiryOf(details.expires, { now: createdAt, policyDays: 0, zone: "UTC" });
      return [{ ...entry, expiresAt, digest: entryDigest(entry), attachmentId: null }];
    });
    statements.push(
      ...setupGroupStatements(app.db, {
        group,
        entries,
        author: { id: group.createdBy, name: author?.name ?? "", agency: agency?.name ?? "" },
        at: createdAt,
      }),
    );
  }
  const [first, ...rest] = statements;
  if (first) await inOneStep(app.db, [first, ...rest]);
}
