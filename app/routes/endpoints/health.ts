import { health, healthData } from "#app/domain/operations/health.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { healthAnswer } from "#app/http/responses.ts";

const { loader, action } = endpoints(
  endpoint("GET /health", "public", none, async ({ app }) => healthAnswer(await health(app))),
  endpoint("GET /health-data", "admin", none, ({ app }) => healthData(app)),
);

export { action, loader };
