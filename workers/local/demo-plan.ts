import type { SetupPlan } from "#app/domain/operations/setup.ts";
import { EntryDetails, type NewPlate } from "#app/entities/hotlists/calls.ts";
import { at } from "#app/lib/at.ts";
import {
  axisCameraSecret,
  axonCredentials,
  identityClientSecret,
  rekorApiKey,
  rekorWebhookSecret,
} from "../vendors/credentials.ts";
import { DEMO_GROUPS } from "../vendors/identity/people.ts";
import { DEMO_CLIENT_ID } from "../vendors/identity/server.ts";
import { LIVE_WATCHED, makeFleet, PERSONS_OF_INTEREST } from "../vendors/world/fleet.ts";
import { AGENCIES, CAMERAS } from "../vendors/world/places.ts";

/** The password of every demo user. */
export const DEMO_PASSWORD = "Odin-Demo-2026!";

const HARTFORD = "hartford-pd";
const NEW_HAVEN = "new-haven-pd";

/** Synthetic people in two agencies, named after their permissions. */
export const DEMO_USERS: Omit<SetupPlan["users"][number], "password">[] = [
  person("owner", HARTFORD, "Olivia Owner", { role: "admin" }),
  person("admin", HARTFORD, "Adam Administrator", { role: "admin" }),
  person("hotadmin", HARTFORD, "Hanna Hotlist", { hotlistAdmin: true }),
  person("viewer", HARTFORD, "Victor Viewer", { hotlistViewer: true }),
  person("officer", HARTFORD, "Otis Officer", {}),
  person("admin2", NEW_HAVEN, "Ada Admin", { role: "admin" }),
  person("hotadmin2", NEW_HAVEN, "Hugo Hotlist", { hotlistAdmin: true }),
  person("officer2", NEW_HAVEN, "Opal Officer", {}),
];

type Permissions = { role?: "admin" | "user"; hotlistAdmin?: boolean; hotlistViewer?: boolean };

function person(username: string, agencyId: string, name: string, permissions: Permissions) {
  return {
    id: `user-${username}`,
    agencyId,
    username,
    name,
    email: `${username}@${agencyId}.example`,
    role: permissions.role ?? "user",
    hotlistAdmin: permissions.hotlistAdmin ?? false,
    hotlistViewer: permissions.hotlistViewer ?? false,
  } as const;
}

/** Vehicles of the simulated world. The demo's groups watch those that travel a lot, so that cameras read them. */
const FLEET = makeFleet({ seed: 1, count: 2500 });
const WATCHED = FLEET.filter(({ id }) => PERSONS_OF_INTEREST.some((one) => one === id));

function watched(index: number, details: Record<string, string>): NewPlate {
  const vehicle = WATCHED[index];
  if (!vehicle) throw new RangeError("no such vehicle");
  const { plate: number, state, make, color, bodyType: body_type } = vehicle;
  return { ...EntryDetails.parse({ state, make, color, body_type, ...details }), number };
}

/** Plates that pass the cameras while the demo runs, one per minute, so that a new user sees hits arrive. */
function livePlates(): NewPlate[] {
  return LIVE_WATCHED.map((id, n) => {
    const { plate, state, make, color, bodyType: body_type } = at(FLEET, id);
    // The first plate is only partly known; the second vehicle has changed its color.
    const number = n === 0 ? `${plate.slice(0, 3)}?${plate.slice(4)}` : plate;
    const known = { state, make, color: n === 1 ? "White" : color, body_type };
    const reason = ["Wanted vehicle", "Stolen vehicle", "Missing person", "Stolen plate"][n % 4];
    const priority = n % 5 === 0 ? "high" : n % 3 === 0 ? "low" : "normal";
    const rest = {
      reason,
      priority,
      case_number: `26-11${String(n).padStart(4, "0")}`,
      match_policy: "lookalike",
    };
    return { ...EntryDetails.parse({ ...known, ...rest }), number };
  });
}

/** One or two groups per agency, with members, look-alike matching and high-priority plates. */
function demoGroups(): NonNullable<SetupPlan["alertGroups"]> {
  return [
    {
      id: "demo-stolen-hfd",
      agencyId: HARTFORD,
      name: "Stolen vehicles",
      description: "Vehicles reported stolen in the city. Confirm with dispatch before any action.",
      createdBy: "user-hotadmin",
      members: ["user-hotadmin", "user-viewer"],
      plates: [
        watched(0, {
          reason: "Stolen vehicle",
          case_number: "26-104711",
          priority: "high",
          match_policy: "lookalike",
        }),
        watched(1, {
          reason: "Stolen vehicle",
          notes: "Seen with another car close ahead of it.",
          case_number: "26-104802",
        }),
        watched(2, { reason: "Stolen plate", case_number: "26-105190" }),
      ],
    },
    {
      id: "demo-watch-hfd",
      agencyId: HARTFORD,
      name: "Demo watch list",
      description: "Simulated vehicles: one of them passes a camera about every minute.",
      createdBy: "user-hotadmin",
      members: ["user-admin", "user-hotadmin", "user-viewer"],
      plates: livePlates(),
    },
    {
      id: "demo-missing-hfd",
      agencyId: HARTFORD,
      name: "Missing persons",
      description: "",
      createdBy: "user-hotadmin",
      members: ["user-hotadmin"],
      plates: [watched(3, { reason: "Missing person", case_number: "26-098340", priority: "high" })],
    },
    {
      id: "demo-stolen-nhpd",
      agencyId: NEW_HAVEN,
      name: "New Haven stolen vehicles",
      description: "Reported within New Haven.",
      createdBy: "user-hotadmin2",
      members: ["user-hotadmin2"],
      plates: [watched(4, { reason: "Stolen vehicle", case_number: "NH-26-3317" })],
    },
  ];
}

/**
 * Returns the demo's integrations and sharing: both tenants have Rekor keys, Axon is open except for one agency, Axis
 * is shared in part.
 */
export async function demoPlan(input: {
  vendors: string;
  /** The demo's identity provider. */
  issuer: string;
  secret: string;
}): Promise<SetupPlan> {
  const { vendors, issuer, secret } = input;
  const having = (program: (typeof CAMERAS)[number]["program"]) => {
    const ids = new Set(
      CAMERAS.filter((camera) => camera.program === program).map((camera) => camera.agencyId),
    );
    return AGENCIES.filter((agency) => ids.has(agency.id));
  };
  const rekorFor = (tenantId: string, agencies: typeof AGENCIES) =>
    agencies.map(async ({ id, name }) => ({
      id: `rekor-${tenantId}-${id}`,
      tenantId,
      agency: name,
      baseUrl: vendors,
      key: await rekorApiKey(secret, id),
    }));
  const rekor = having("rekor");
  const axis = having("axis");
  return {
    agencies: AGENCIES.map(({ id, name }) => ({ id, name })),
    users: DEMO_USERS.map((user) => ({ ...user, password: DEMO_PASSWORD })),
    rekorKeys: await Promise.all([
      ...rekorFor(HARTFORD, rekor),
      ...rekorFor(NEW_HAVEN, rekor.filter(({ id }) => id !== HARTFORD).slice(0, 2)),
    ]),
    axonIntegrations: await Promise.all(
      having("axon").map(async ({ id }) => ({
        id: `axon-${id}`,
        agencyId: id,
        baseUrl: `${vendors}/axon/${id}`,
        ...(await axonCredentials(secret, id)),
      })),
    ),
    axonBlacklist: [{ integrationId: "axon-hamden-pd", agencyId: HARTFORD }],
    axisCameras: await Promise.all(
      CAMERAS.filter((camera) => camera.program === "axis").map(async (camera) => ({
        id: camera.id,
        agencyId: camera.agencyId,
        name: camera.name,
        latitude: camera.latitude,
        longitude: camera.longitude,
        secret: await axisCameraSecret(secret, camera.id),
      })),
    ),
    webhooks: [
      {
        id: "demo-door-hfd",
        agencyId: HARTFORD,
        name: "Rekor Scout webhook",
        secret: await rekorWebhookSecret(secret, HARTFORD),
        createdBy: "user-admin",
      },
    ],
    signOn: [
      {
        agencyId: HARTFORD,
        issuer,
        clientId: DEMO_CLIENT_ID,
        clientSecret: await identityClientSecret(secret, HARTFORD),
        buttonName: "Hartford SSO",
        domains: ["hartford-pd.example"],
        groups: DEMO_GROUPS,
      },
    ],
    alertGroups: demoGroups(),
    axisShares: axis.flatMap(({ id }) => [
      ...(id === HARTFORD ? [] : [{ ownerAgencyId: id, viewerAgencyId: HARTFORD }]),
      ...(id === NEW_HAVEN || id === "meriden-pd" ? [] : [{ ownerAgencyId: id, viewerAgencyId: NEW_HAVEN }]),
    ]),
  };
}
