import { health, healthData } from "#app/domain/operations/health.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

const { loader, action } = endpoints(
  endpoint("GET /health", "public", none, ({ app }) => health(app)),
  endpoint("GET /health-data", "admin", none, ({ app }) => healthData(app)),
);

export { action, loader };
