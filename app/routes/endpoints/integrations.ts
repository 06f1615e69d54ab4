import { addWebhook, closeWebhook } from "#app/domain/ingest/webhooks.ts";
import { addAxonIntegration, axonIntegration, deleteAxonIntegration } from "#app/domain/integrations/axon.ts";
import { testApiKey, testAxon } from "#app/domain/integrations/connection-test.ts";
import { API_KEYS_TEMPLATE, uploadApiKeys } from "#app/domain/integrations/key-upload.ts";
import { addApiKey, deleteApiKey } from "#app/domain/integrations/rekor-keys.ts";
import {
  addShare,
  addToBlacklist,
  axonSharing,
  endShare,
  removeFromBlacklist,
} from "#app/domain/integrations/sharing.ts";
import { rotateSecrets } from "#app/domain/operations/secret-rotation.ts";
import {
  AgencyChoice,
  AxonChoice,
  MOST_KEY_FILE_BYTES,
  NewApiKey,
  NewAxonIntegration,
  NewShare,
  NewWebhook,
} from "#app/entities/integrations/settings.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { csvFile, readUpload, uploadAnswer } from "#app/http/uploads.ts";
import { writeCsv } from "#app/lib/files/csv.ts";

const STEP_UP = { stepUp: true };
const hostOf = (request: Request) => new URL(request.url).host;
const originOf = (request: Request) => new URL(request.url).origin;

const { loader, action } = endpoints(
  endpoint(
    "POST /add-api-key",
    "admin",
    NewApiKey,
    ({ app, actor, body, request }) => addApiKey(app, actor, { key: body, host: hostOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "POST /bulk-upload-api-keys",
    "admin",
    none,
    async ({ app, actor, request }) =>
      uploadAnswer(
        await uploadApiKeys(app, actor, {
          bytes: await readUpload(request, { field: "file", mostBytes: MOST_KEY_FILE_BYTES }),
          host: hostOf(request),
        }),
      ),
    STEP_UP,
  ),
  endpoint("GET /download-api-keys-template", "admin", none, () =>
    csvFile("api-keys-template.csv", writeCsv(API_KEYS_TEMPLATE)),
  ),
  endpoint(
    "DELETE /delete-api-key/:id",
    "admin",
    none,
    ({ app, actor, params }) => deleteApiKey(app, actor, params.id),
    STEP_UP,
  ),
  endpoint("POST /test-api-key/:id", "admin", none, ({ app, actor, params }) =>
    testApiKey(app, actor, params.id),
  ),
  endpoint(
    "POST /rekor-webhooks",
    "admin",
    NewWebhook,
    ({ app, actor, body, request }) => addWebhook(app, actor, { webhook: body, origin: originOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /rekor-webhooks/:id",
    "admin",
    none,
    ({ app, actor, params }) => closeWebhook(app, actor, params.id),
    STEP_UP,
  ),
  endpoint("GET /axon-existing-integration", "admin", none, ({ app, actor }) => axonIntegration(app, actor)),
  endpoint(
    "POST /add-axon-integration",
    "admin",
    NewAxonIntegration,
    ({ app, actor, body, request }) =>
      addAxonIntegration(app, actor, { integration: body, host: hostOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /delete-axon-integration",
    "admin",
    none,
    ({ app, actor }) => deleteAxonIntegration(app, actor),
    STEP_UP,
  ),
  endpoint("POST /test-axon-integration", "admin", none, ({ app, actor }) => testAxon(app, actor)),
  endpoint("GET /get-authorized-and-blacklisted-agencies", "admin", none, ({ app, actor }) =>
    axonSharing(app, actor),
  ),
  endpoint(
    "POST /add-to-blacklist",
    "admin",
    AgencyChoice,
    ({ app, actor, body }) => addToBlacklist(app, actor, body.agency_id),
    STEP_UP,
  ),
  endpoint(
    "POST /remove-from-blacklist",
    "admin",
    AxonChoice,
    ({ app, actor, body }) => removeFromBlacklist(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /add-axis-share",
    "admin",
    NewShare,
    ({ app, actor, body }) => addShare(app, actor, { ...body, program: "Axis" }),
    STEP_UP,
  ),
  endpoint(
    "POST /remove-axis-share",
    "admin",
    AgencyChoice,
    ({ app, actor, body }) => endShare(app, actor, { ...body, program: "Axis" }),
    STEP_UP,
  ),
  endpoint(
    "POST /add-rekor-share",
    "admin",
    NewShare,
    ({ app, actor, body }) => addShare(app, actor, { ...body, program: "Rekor" }),
    STEP_UP,
  ),
  endpoint(
    "POST /remove-rekor-share",
    "admin",
    AgencyChoice,
    ({ app, actor, body }) => endShare(app, actor, { ...body, program: "Rekor" }),
    STEP_UP,
  ),
  endpoint("POST /rotate-keys", "owner", none, ({ app, actor }) => rotateSecrets(app, actor), STEP_UP),
);

export { action, loader };
