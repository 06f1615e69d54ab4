import type { SetupPlan } from "#app/domain/setup.ts";
import { axisCameraSecret, axonCredentials, rekorApiKey } from "../vendors/credentials.ts";
import { AGENCIES, CAMERAS } from "../vendors/world/places.ts";

/** The password of every demo user. */
export const DEMO_PASSWORD = "Odin-Demo-2026!";

const HARTFORD = "hartford-pd";
const NEW_HAVEN = "new-haven-pd";

/** Synthetic people, two agencies; what each may do follows from its name. */
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

type Standing = { role?: "admin" | "user"; hotlistAdmin?: boolean; hotlistViewer?: boolean };

function person(username: string, agencyId: string, name: string, standing: Standing) {
  return {
    id: `user-${username}`,
    agencyId,
    username,
    name,
    email: `${username}@${agencyId}.example`,
    role: standing.role ?? "user",
    hotlistAdmin: standing.hotlistAdmin ?? false,
    hotlistViewer: standing.hotlistViewer ?? false,
  } as const;
}

/** Who may search what in the demo: both tenants hold Rekor keys, Axon is open but for one, Axis is shared in part. */
export async function demoPlan(input: { vendors: string; secret: string }): Promise<SetupPlan> {
  const { vendors, secret } = input;
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
    axisShares: axis.flatMap(({ id }) => [
      ...(id === HARTFORD ? [] : [{ ownerAgencyId: id, viewerAgencyId: HARTFORD }]),
      ...(id === NEW_HAVEN || id === "meriden-pd" ? [] : [{ ownerAgencyId: id, viewerAgencyId: NEW_HAVEN }]),
    ]),
  };
}
