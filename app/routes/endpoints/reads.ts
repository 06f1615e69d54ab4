import * as z from "zod/mini";
import { findPastReads } from "#app/domain/archive/past-reads.ts";
import { takeAxisEvent } from "#app/domain/ingest/axis.ts";
import { listCameraHealth } from "#app/domain/ingest/camera-health.ts";
import { takeRekorEvent } from "#app/domain/ingest/rekor.ts";
import { PastReads } from "#app/entities/archive/answers.ts";
import { PastReadsQuestion } from "#app/entities/archive/past-reads.ts";
import { CameraHealthList, ReadTaken, RekorTaken } from "#app/entities/ingest/answers.ts";
import { about } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { readAxisPush, readRekorDocument } from "#app/http/webhook-body.ts";
import { challengingFailure, headerSecrets } from "#app/http/webhook-secret.ts";
import { described } from "#app/lib/json/named-schema.ts";

/** Addresses without a secret take it in a header. */
const BASIC_CHALLENGE = { failure: challengingFailure };

const AXIS = described(
  "An event of AXIS License Plate Verifier, a heartbeat, or a list of up to 5,000 events.",
  z.unknown(),
);
const AXIS_FORM = {
  fields: z.object({ event: described("The event as JSON.", z.string()) }),
  files: { image: "The vehicle image.", image2: "The plate image." },
};
const REKOR = described("A document of Rekor Scout.", z.looseObject({}));
const IN_HEADER =
  "The secret is a bearer token, the password of basic authentication, or the header `X-Webhook-Secret`.";

const { loader, action } = endpoints(
  "Incoming reads",
  endpoint(
    "POST /ingest/axis/:secret",
    "webhook",
    none,
    about("Takes an event, a heartbeat or a list of events of an Axis camera.", ReadTaken, {
      json: AXIS,
      form: AXIS_FORM,
    }),
    ({ app, params, request }) =>
      takeAxisEvent(app, { secrets: [params.secret], push: () => readAxisPush(request) }),
  ),
  endpoint(
    "POST /ingest/axis",
    "webhook",
    none,
    about("Takes an event of an Axis camera whose secret is in a header.", ReadTaken, {
      details: IN_HEADER,
      json: AXIS,
      form: AXIS_FORM,
    }),
    ({ app, request }) =>
      takeAxisEvent(app, { secrets: headerSecrets(request), push: () => readAxisPush(request) }),
    BASIC_CHALLENGE,
  ),
  endpoint(
    "POST /ingest/rekor/:secret",
    "webhook",
    none,
    about("Takes a document of Rekor Scout.", RekorTaken, { json: REKOR }),
    ({ app, params, request }) =>
      takeRekorEvent(app, { secrets: [params.secret], document: () => readRekorDocument(request) }),
  ),
  // The secret is in a header, or in the body as what Scout calls custom data.
  endpoint(
    "POST /ingest/rekor",
    "webhook",
    none,
    about("Takes a document of Rekor Scout whose secret is in a header or in its custom data.", RekorTaken, {
      details: IN_HEADER,
      json: REKOR,
    }),
    ({ app, request }) =>
      takeRekorEvent(app, {
        secrets: headerSecrets(request),
        mayBeWithin: true,
        document: () => readRekorDocument(request),
      }),
    BASIC_CHALLENGE,
  ),
  endpoint(
    "GET /camera-health",
    "admin",
    none,
    about("Returns when each camera of the agency last sent something.", CameraHealthList),
    ({ app, actor }) => listCameraHealth(app, actor),
  ),
  // Past reads of a plate that is or will be on a hotlist.
  endpoint(
    "POST /hotlist/past-reads",
    "hotlist-admin",
    PastReadsQuestion,
    about("Returns past reads of a plate that is or will be on a hotlist.", PastReads, {
      details: "Needs a case number if the agency requires one for every search.",
    }),
    ({ app, actor, body }) => findPastReads(app, actor, body),
  ),
);

export { action, loader };
