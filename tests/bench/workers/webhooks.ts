// Runs the product in workerd, with an agency that has a camera and a webhook.

import { type AppContext, createAppContext, type Env } from "#app/context.ts";
import { setUp } from "#app/domain/operations/setup.ts";
import product from "../../../workers/app.ts";
import { AGENCY, listPlates } from "./plates.ts";
import { WEBHOOK_SECRETS } from "./webhook-secrets.ts";

async function start(app: AppContext): Promise<void> {
  const agency = { id: AGENCY, name: "Bench" };
  const camera = { id: "camera", agencyId: agency.id, name: "Main St", latitude: 41.7, longitude: -72.7 };
  await setUp(app, {
    agencies: [agency],
    axisCameras: [{ ...camera, secret: WEBHOOK_SECRETS.axis }],
    users: [],
    rekorKeys: [],
    axonIntegrations: [],
    axonBlacklist: [],
    axisShares: [],
    webhooks: [
      { id: "webhook", agencyId: agency.id, name: "Scout", secret: WEBHOOK_SECRETS.rekor, createdBy: "" },
    ],
  });
}

export default {
  async fetch(request, env, lifetime) {
    const { pathname, searchParams } = new URL(request.url);
    // Fan-out of alerts is not part of this bench, so the queue discards its messages.
    const taking = { ...env, ALERTS: { send: async () => {}, sendBatch: async () => {} } } as unknown as Env;
    if (pathname === "/bench/start") {
      await start(createAppContext(taking, lifetime));
      return Response.json({});
    }
    if (pathname === "/bench/list") {
      const number = (name: string) => Number(searchParams.get(name));
      await listPlates(env.DB, { from: number("from"), count: number("count") });
      return Response.json({});
    }
    return product.fetch(request as Parameters<typeof product.fetch>[0], taking, lifetime);
  },
} satisfies ExportedHandler<Env>;
