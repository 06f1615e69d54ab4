// All endpoint tables, from which the OpenAPI document is generated. A test compares this list with the folder.

import type { ApiDocument } from "#app/entities/integrations/open-api.ts";
import { about, file } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { apiDocument } from "#app/http/openapi/document.ts";
import { versionedJson } from "#app/http/responses.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import { loader as account } from "#app/routes/endpoints/account.ts";
import { loader as agencies } from "#app/routes/endpoints/agencies.ts";
import { loader as alertGroups } from "#app/routes/endpoints/alert-groups.ts";
import { loader as alerts } from "#app/routes/endpoints/alerts.ts";
import { loader as audit } from "#app/routes/endpoints/audit.ts";
import { loader as backups } from "#app/routes/endpoints/backups.ts";
import { loader as cameras } from "#app/routes/endpoints/cameras.ts";
import { loader as exports } from "#app/routes/endpoints/exports.ts";
import { loader as health } from "#app/routes/endpoints/health.ts";
import { loader as hotlists } from "#app/routes/endpoints/hotlists.ts";
import { loader as images } from "#app/routes/endpoints/images.ts";
import { loader as integrations } from "#app/routes/endpoints/integrations.ts";
import { loader as jobs } from "#app/routes/endpoints/jobs.ts";
import { loader as legalHolds } from "#app/routes/endpoints/legal-holds.ts";
import { loader as map } from "#app/routes/endpoints/map.ts";
import { loader as outgoingWebhooks } from "#app/routes/endpoints/outgoing-webhooks.ts";
import { loader as push } from "#app/routes/endpoints/push.ts";
import { loader as reads } from "#app/routes/endpoints/reads.ts";
import { loader as review } from "#app/routes/endpoints/review.ts";
import { loader as scim } from "#app/routes/endpoints/scim/v2.ts";
import { loader as search } from "#app/routes/endpoints/search.ts";
import { loader as searches } from "#app/routes/endpoints/searches.ts";
import { loader as singleSignOn } from "#app/routes/endpoints/single-sign-on.ts";
import { loader as storage } from "#app/routes/endpoints/storage.ts";
import { loader as transparency } from "#app/routes/endpoints/transparency.ts";
import { loader as users } from "#app/routes/endpoints/users.ts";

/** The endpoint that serves the document, which describes it as well. */
export const ownTable = endpoints(
  "API document",
  endpoint(
    "GET /openapi.json",
    "signed-in",
    none,
    about(
      "Returns this document.",
      file(
        { "application/json": "An OpenAPI 3.1 document." },
        { headers: { etag: "The version of the document." }, bare: { 304: "The caller has this version." } },
      ),
    ),
    ({ request }) => versionedJson(request, generatedDocument()),
  ),
);

/** In the order of the document, starting with the calls that programs and phones use most. */
const LOADERS = [
  ...[account, singleSignOn, search, searches, map, images, exports],
  ...[alertGroups, hotlists, alerts, push],
  ...[outgoingWebhooks, reads, integrations, cameras],
  ...[audit, review, legalHolds, transparency, users, agencies, scim],
  ...[jobs, storage, backups, health, ownTable.loader],
];

type Generated = { document: ApiDocument; text: string; version: string };

let generated: Generated | undefined;

/** Generates the document at the first call: it never changes while the program runs. */
function generatedDocument(): Generated {
  if (!generated) {
    const document = apiDocument(LOADERS.map(({ documented }) => documented));
    const text = JSON.stringify(document);
    generated = { document, text, version: stableId(text) };
  }
  return generated;
}

/** Returns the OpenAPI document. */
export function openApiDocument(): ApiDocument {
  return generatedDocument().document;
}
