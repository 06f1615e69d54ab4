import { health, healthData } from "#app/domain/operations/health.ts";
import { HealthData } from "#app/entities/operations/answers.ts";
import { about, file } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { healthAnswer } from "#app/http/responses.ts";

const { loader, action } = endpoints(
  "Health",
  endpoint(
    "GET /health",
    "public",
    none,
    about(
      "Answers uptime probes: 200 if all is well, otherwise 503.",
      file({ "text/plain": "`ok`, or what is wrong." }),
      { failure: "text" },
    ),
    async ({ app }) => healthAnswer(await health(app)),
  ),
  endpoint(
    "GET /health-data",
    "admin",
    none,
    about("Returns late jobs, invalid settings and alarms of the storage.", HealthData),
    ({ app }) => healthData(app),
  ),
);

export { action, loader };
