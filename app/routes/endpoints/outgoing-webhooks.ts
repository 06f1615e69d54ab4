import * as z from "zod/mini";
import {
  addOutgoingWebhook,
  changeOutgoingWebhook,
  deleteOutgoingWebhook,
  outgoingDeliveriesOf,
  outgoingWebhooksOf,
  retryOutgoingDeliveries,
  rotateOutgoingSecret,
  switchOutgoingWebhook,
  testOutgoingWebhook,
} from "#app/domain/integrations/outgoing-webhooks.ts";
import {
  DeliveryPage,
  OutgoingRetried,
  OutgoingTest,
  OutgoingWebhooks,
  ShownSecret,
} from "#app/entities/integrations/answers.ts";
import {
  NewOutgoingWebhook,
  OutgoingSwitch,
  OutgoingWebhookFields,
  RetryChoice,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { ADDS_SECRET_ONCE, about, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { described } from "#app/lib/json/named-schema.ts";

const STEP_UP = { stepUp: true };
const hostOf = (request: Request) => new URL(request.url).host;

// The domain limits hotlist administrators to the webhooks of groups.
const { loader, action } = endpoints(
  "Outgoing webhooks",
  endpoint(
    "GET /outgoing-webhooks",
    "hotlist-admin",
    none,
    about("Returns the outgoing webhooks that the caller may see.", OutgoingWebhooks),
    ({ app, actor }) => outgoingWebhooksOf(app, actor),
  ),
  endpoint(
    "POST /outgoing-webhooks",
    "hotlist-admin",
    NewOutgoingWebhook,
    about("Adds an outgoing webhook. Only this answer contains its secret.", ShownSecret, ADDS_SECRET_ONCE),
    ({ app, actor, body, request }) =>
      addOutgoingWebhook(app, actor, { webhook: body, host: hostOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "PUT /outgoing-webhooks/:id",
    "hotlist-admin",
    OutgoingWebhookFields,
    about("Changes an outgoing webhook. The `url` of the list keeps the values of its query.", Message),
    ({ app, actor, params, body, request }) =>
      changeOutgoingWebhook(app, actor, { id: params.id, fields: body, host: hostOf(request) }),
    STEP_UP,
  ),
  endpoint(
    "DELETE /outgoing-webhooks/:id",
    "hotlist-admin",
    none,
    about("Deletes an outgoing webhook and its messages.", Message),
    ({ app, actor, params }) => deleteOutgoingWebhook(app, actor, params.id),
    STEP_UP,
  ),
  endpoint(
    "POST /outgoing-webhooks/:id/secret",
    "hotlist-admin",
    none,
    about("Replaces the secret of an outgoing webhook. For 24 hours, both sign.", ShownSecret),
    ({ app, actor, params }) => rotateOutgoingSecret(app, actor, params.id),
    STEP_UP,
  ),
  endpoint(
    "POST /outgoing-webhooks/:id/on",
    "hotlist-admin",
    OutgoingSwitch,
    about("Turns an outgoing webhook on or off.", Message),
    ({ app, actor, params, body }) => switchOutgoingWebhook(app, actor, { id: params.id, on: body.on }),
    STEP_UP,
  ),
  endpoint(
    "POST /outgoing-webhooks/:id/test",
    "hotlist-admin",
    none,
    about("Sends a test message.", OutgoingTest),
    ({ app, actor, params }) => testOutgoingWebhook(app, actor, params.id),
  ),
  endpoint(
    "GET /outgoing-webhooks/:id/deliveries",
    "hotlist-admin",
    none,
    about("Returns the messages of an outgoing webhook, newest first.", DeliveryPage, {
      query: z.object({
        state: described("Only messages in this state.", z.optional(z.string())),
        before: described("The `next` of the page before.", z.optional(z.string())),
      }),
    }),
    ({ app, actor, params, query }) =>
      outgoingDeliveriesOf(app, actor, {
        id: params.id,
        state: query.get("state"),
        before: query.get("before"),
      }),
  ),
  endpoint(
    "POST /outgoing-webhooks/:id/retry",
    "hotlist-admin",
    RetryChoice,
    about("Sends failed messages again.", OutgoingRetried),
    ({ app, actor, params, body }) =>
      retryOutgoingDeliveries(app, actor, { id: params.id, deliveryId: body.delivery_id }),
  ),
);

export { action, loader };
