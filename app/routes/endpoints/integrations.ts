import { addWebhook, closeWebhook } from "#app/domain/ingest/webhooks.ts";
import {
  addAxonIntegration,
  axonIntegration,
  changeAxonCredentials,
  deleteAxonIntegration,
} from "#app/domain/integrations/axon.ts";
import { testApiKey, testAxon } from "#app/domain/integrations/connection-test.ts";
import { API_KEYS_TEMPLATE, uploadApiKeys } from "#app/domain/integrations/key-upload.ts";
import { addApiKey, deleteApiKey } from "#app/domain/integrations/rekor-keys.ts";
import {
  addServiceAccount,
  changeServiceAccount,
  deleteServiceAccount,
  rotateServiceAccount,
  serviceAccountsOf,
  switchServiceAccount,
} from "#app/domain/integrations/service-accounts.ts";
import {
  addShare,
  addToBlacklist,
  axonSharing,
  endShare,
  removeFromBlacklist,
} from "#app/domain/integrations/sharing.ts";
import { rotateSecrets } from "#app/domain/operations/secret-rotation.ts";
import { ShownAddress } from "#app/entities/ingest/answers.ts";
import {
  AxonIntegration,
  AxonSharing,
  ConnectionTested,
  KeysUploaded,
  ServiceAccounts,
  ServiceToken,
} from "#app/entities/integrations/answers.ts";
import {
  NewServiceAccount,
  ServiceAccountFields,
  ServiceRotation,
  ServiceSwitch,
} from "#app/entities/integrations/service-accounts.ts";
import {
  AgencyChoice,
  AxonChoice,
  AxonCredentials,
  MAX_KEY_FILE_BYTES,
  NewApiKey,
  NewAxonIntegration,
  NewShare,
  NewWebhook,
} from "#app/entities/integrations/settings.ts";
import { KeysRotated } from "#app/entities/operations/answers.ts";
import { ADDS_ONCE, ADDS_SECRET_ONCE, about, Created, file, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { UploadFailure } from "#app/http/openapi/failures.ts";
import { csvFile, readUpload, UploadFields, uploadAnswer } from "#app/http/uploads.ts";
import { writeCsv } from "#app/lib/files/csv.ts";

const STEP_UP = { stepUp: true };
const hostOf = (request: Request) => new URL(request.url).host;
const originOf = (request: Request) => new URL(request.url).origin;

const { loader, action } = endpoints(
  "Integrations",
  endpoint(
    "POST /add-api-key",
    "admin",
    NewApiKey,
    about("Adds a Rekor API key.", Created, ADDS_ONCE),
    ({ app, actor, body, request }) => addApiKey(app, actor, { key: body, host: hostOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "POST /bulk-upload-api-keys",
    "admin",
    (request) => readUpload(request, { field: "file", mostBytes: MAX_KEY_FILE_BYTES }),
    about("Adds Rekor API keys from a CSV file.", KeysUploaded, {
      ...ADDS_ONCE,
      form: { fields: UploadFields, files: { file: "CSV with the columns of the template." } },
      failure: UploadFailure,
    }),
    async ({ app, actor, body, request }) =>
      uploadAnswer(await uploadApiKeys(app, actor, { ...body, host: hostOf(request) })),
    STEP_UP,
  ),
  endpoint(
    "GET /download-api-keys-template",
    "admin",
    none,
    about("Returns the CSV template for Rekor API keys.", file({ "text/csv": "The template." })),
    () => csvFile("api-keys-template.csv", writeCsv(API_KEYS_TEMPLATE)),
  ),
  endpoint(
    "DELETE /delete-api-key/:id",
    "admin",
    none,
    about("Deletes a Rekor API key.", Message),
    ({ app, actor, params }) => deleteApiKey(app, actor, params.id),
    STEP_UP,
  ),
  endpoint(
    "POST /test-api-key/:id",
    "admin",
    none,
    about("Tests a Rekor API key.", ConnectionTested),
    ({ app, actor, params }) => testApiKey(app, actor, params.id),
  ),
  endpoint(
    "POST /rekor-webhooks",
    "admin",
    NewWebhook,
    about(
      "Adds a webhook for Rekor Scout. Only this answer contains its address.",
      ShownAddress,
      ADDS_SECRET_ONCE,
    ),
    ({ app, actor, body, request }) => addWebhook(app, actor, { webhook: body, origin: originOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /rekor-webhooks/:id",
    "admin",
    none,
    about("Revokes a webhook of Rekor Scout. Hits that it caused are kept.", Message),
    ({ app, actor, params }) => closeWebhook(app, actor, params.id),
    STEP_UP,
  ),
  endpoint(
    "GET /axon-existing-integration",
    "admin",
    none,
    about("Returns the agency's Axon integration, without its secrets.", AxonIntegration),
    ({ app, actor }) => axonIntegration(app, actor),
  ),
  endpoint(
    "POST /add-axon-integration",
    "admin",
    NewAxonIntegration,
    about("Adds the agency's Axon integration.", Message),
    ({ app, actor, body, request }) =>
      addAxonIntegration(app, actor, { integration: body, host: hostOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "POST /change-axon-credentials",
    "admin",
    AxonCredentials,
    about("Replaces the credentials of the agency's Axon integration.", Message),
    ({ app, actor, body }) => changeAxonCredentials(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "DELETE /delete-axon-integration",
    "admin",
    none,
    about("Deletes the agency's Axon integration.", Message),
    ({ app, actor }) => deleteAxonIntegration(app, actor),
    STEP_UP,
  ),
  endpoint(
    "POST /test-axon-integration",
    "admin",
    none,
    about("Tests the agency's Axon integration.", ConnectionTested),
    ({ app, actor }) => testAxon(app, actor),
  ),
  endpoint(
    "GET /get-authorized-and-blacklisted-agencies",
    "admin",
    none,
    about("Returns which agencies may search the agency's Axon cameras.", AxonSharing),
    ({ app, actor }) => axonSharing(app, actor),
  ),
  endpoint(
    "POST /add-to-blacklist",
    "admin",
    AgencyChoice,
    about("Ends another agency's right to search the agency's Axon cameras.", Message),
    ({ app, actor, body }) => addToBlacklist(app, actor, body.agency_id),
    STEP_UP,
  ),
  endpoint(
    "POST /remove-from-blacklist",
    "admin",
    AxonChoice,
    about("Lets another agency search the agency's Axon cameras.", Message),
    ({ app, actor, body }) => removeFromBlacklist(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "POST /add-axis-share",
    "admin",
    NewShare,
    about("Lets another agency search the agency's Axis cameras.", Message),
    ({ app, actor, body }) => addShare(app, actor, { ...body, program: "Axis" }),
    STEP_UP,
  ),
  endpoint(
    "POST /remove-axis-share",
    "admin",
    AgencyChoice,
    about("Ends another agency's right to search the agency's Axis cameras.", Message),
    ({ app, actor, body }) => endShare(app, actor, { ...body, program: "Axis" }),
    STEP_UP,
  ),
  endpoint(
    "POST /add-rekor-share",
    "admin",
    NewShare,
    about("Lets the hotlists of another agency match reads of the agency's Rekor webhooks.", Message),
    ({ app, actor, body }) => addShare(app, actor, { ...body, program: "Rekor" }),
    STEP_UP,
  ),
  endpoint(
    "POST /remove-rekor-share",
    "admin",
    AgencyChoice,
    about(
      "Ends the matching of another agency's hotlists with reads of the agency's Rekor webhooks.",
      Message,
    ),
    ({ app, actor, body }) => endShare(app, actor, { ...body, program: "Rekor" }),
    STEP_UP,
  ),
  endpoint(
    "POST /rotate-keys",
    "owner",
    none,
    about("Encrypts stored secrets with the newest key.", KeysRotated, { internal: true }),
    ({ app, actor }) => rotateSecrets(app, actor),
    STEP_UP,
  ),
  endpoint(
    "GET /service-accounts",
    "admin",
    none,
    about("Lists the agency's service accounts, without their tokens.", ServiceAccounts),
    ({ app, actor }) => serviceAccountsOf(app, actor),
  ),
  endpoint(
    "POST /service-accounts",
    "admin",
    NewServiceAccount,
    about(
      "Adds a service account and returns its token, which is never shown again.",
      ServiceToken,
      ADDS_SECRET_ONCE,
    ),
    ({ app, actor, body }) => addServiceAccount(app, actor, body),
    STEP_UP,
  ),
  endpoint(
    "PUT /service-accounts/:id",
    "admin",
    ServiceAccountFields,
    about("Changes the name, permissions, addresses and limit of a service account.", Message),
    ({ app, actor, params, body }) => changeServiceAccount(app, actor, { id: params.id, fields: body }),
    STEP_UP,
  ),
  endpoint(
    "POST /service-accounts/:id/rotate",
    "admin",
    ServiceRotation,
    about("Creates a new token. The current one still works for the chosen number of hours.", ServiceToken),
    ({ app, actor, params, body }) => rotateServiceAccount(app, actor, { id: params.id, rotation: body }),
    STEP_UP,
  ),
  endpoint(
    "POST /service-accounts/:id/on",
    "admin",
    ServiceSwitch,
    about("Enables or disables a service account at once.", Message),
    ({ app, actor, params, body }) => switchServiceAccount(app, actor, { id: params.id, on: body.on }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /service-accounts/:id",
    "admin",
    none,
    about("Deletes a service account with its tokens.", Message),
    ({ app, actor, params }) => deleteServiceAccount(app, actor, params.id),
    STEP_UP,
  ),
);

export { action, loader };
