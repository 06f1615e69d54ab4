/** Response schemas of the integration endpoints, for the OpenAPI document. Handlers must return these types. */

import * as z from "zod/mini";
import { SERVICE_SCOPE_NAMES } from "#app/entities/accounts/service-scopes.ts";
import { RowProblem } from "#app/entities/users/answers.ts";
import { described, named } from "#app/lib/json/named-schema.ts";

export const NamedAgency = named("NamedAgency", z.object({ id: z.string(), name: z.string() }));

export const ConnectionTested = named(
  "ConnectionTested",
  z.object({ ok: z.boolean(), msg: z.string() }),
  "A vendor's answer to a test of the credentials.",
);

const VendorHealth = named(
  "VendorHealth",
  z.object({
    state: z.enum(["unknown", "ok", "failing", "paused"]),
    last_ok_at: z.nullable(z.number()),
    last_failure_at: z.nullable(z.number()),
    last_failure: z.nullable(z.string()),
  }),
  "How an integration has responded recently.",
);

export const AxonIntegrationRow = named(
  "AxonIntegrationRow",
  z.object({
    agency_name: z.string(),
    base_url: z.string(),
    client_id: z.string(),
    partner_id: z.string(),
    created_at: z.number(),
    health: VendorHealth,
  }),
  "The response of GET /axon-existing-integration. It does not contain the secret.",
);

export const AxonIntegration = named(
  "AxonIntegration",
  z.object({ existing_integration: z.nullable(AxonIntegrationRow) }),
);

const AxonAgency = named(
  "AxonAgency",
  z.union([
    NamedAgency,
    z.object({
      id: z.string(),
      name: z.string(),
      declaration: z.string(),
      valid_until: z.nullable(z.number()),
      expired: z.boolean(),
    }),
  ]),
  "An agency, with the terms of its sharing if it has any.",
);

export const AxonSharing = named(
  "AxonSharing",
  z.object({ authorized_agencies: z.array(AxonAgency), blacklisted_agencies: z.array(AxonAgency) }),
);

export const OutgoingWebhookRow = named(
  "OutgoingWebhookRow",
  z.object({
    id: z.string(),
    name: z.string(),
    url: described(
      "Without the values of its query, for each of which it has ***. Only administrators get the path of a webhook whose messages contain plates.",
      z.string(),
    ),
    group: described(
      "Null for the whole agency.",
      z.nullable(z.object({ id: z.string(), name: z.string(), archived: z.boolean() })),
    ),
    events: z.array(z.enum(["disposition", "hit", "expiring"])),
    plate_data: z.boolean(),
    created_at: z.number(),
    state: z.enum(["on", "paused", "off"]),
    off_reason: z.string(),
    paused_until: z.nullable(z.number()),
    former_secret_until: described(
      "Until when the former secret signs too; null if it does not.",
      z.nullable(z.number()),
    ),
    last_ok_at: z.nullable(z.number()),
    last_failure_at: z.nullable(z.number()),
    last_failure: z.string(),
    pending: z.number(),
    failed: z.number(),
  }),
  "A webhook as its screens show it, without its secret.",
);

export const OutgoingWebhooks = z.array(OutgoingWebhookRow);

export const ShownSecret = named(
  "ShownSecret",
  z.object({ id: z.string(), secret: z.string(), msg: z.string() }),
  "A secret for the only response that contains it.",
);

export const OutgoingTest = named(
  "OutgoingTest",
  z.object({
    ok: z.boolean(),
    msg: z.string(),
    status: described("Null if there was no answer.", z.nullable(z.number())),
    answer: described("The beginning of the answer's text; empty if the address has a query.", z.string()),
    took_ms: z.number(),
  }),
  "What the test button shows.",
);

export const OutgoingDeliveryRow = named(
  "OutgoingDeliveryRow",
  z.object({
    id: z.string(),
    event: z.enum(["disposition", "hit", "expiring"]),
    group: z.string(),
    state: z.enum(["failed", "cancelled", "pending", "delivered"]),
    attempts: z.number(),
    status: z.nullable(z.number()),
    reason: z.string(),
    created_at: z.number(),
    updated_at: z.number(),
    next_at: z.nullable(z.number()),
  }),
);

export const DeliveryPage = named(
  "DeliveryPage",
  z.object({
    deliveries: z.array(OutgoingDeliveryRow),
    next: described("The value of `before` for the next page; null on the last one.", z.nullable(z.string())),
  }),
);

export const OutgoingRetried = named(
  "OutgoingRetried",
  z.object({ msg: z.string(), deliveries: z.number() }),
);

export const RekorKeyRow = named(
  "RekorKeyRow",
  z.object({
    id: z.string(),
    agency: z.string(),
    api_key: z.string(),
    source_program: z.literal("Rekor"),
    base_url: z.string(),
    created_at: z.number(),
    health: VendorHealth,
  }),
  "A row of the table of keys. Of a key itself, only the last four characters are shown.",
);

export const KeysUploaded = named(
  "KeysUploaded",
  z.union([
    z.object({ problems: z.array(RowProblem) }),
    z.object({ problems: z.tuple([]), added: z.number() }),
  ]),
);

const ServiceAccount = named(
  "ServiceAccount",
  z.object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SERVICE_SCOPE_NAMES)),
    addresses: described("Addresses that it may call from; empty for any.", z.array(z.string())),
    per_minute: z.number(),
    token_last_four: z.string(),
    state: described(
      "Suspended: the responsible user may no longer grant its permissions.",
      z.enum(["on", "expired", "disabled", "suspended"]),
    ),
    responsible: described("The name of the user who created the present token.", z.string()),
    created_at: z.number(),
    created_by: z.string(),
    rotated_at: z.nullable(z.number()),
    expires_at: z.number(),
    former_until: described(
      "Until when the former token works; null if it does not.",
      z.nullable(z.number()),
    ),
    last_used_at: z.nullable(z.number()),
    last_used_ip: z.string(),
    last_refused_at: z.nullable(z.number()),
    last_refused_ip: z.string(),
    last_refusal: z.string(),
  }),
);

export const ServiceAccounts = named("ServiceAccounts", z.array(ServiceAccount));

export const ServiceToken = named(
  "ServiceToken",
  z.object({ id: z.string(), token: z.string(), expires_at: z.number(), msg: z.string() }),
  "A new token of a service account. It is never shown again.",
);
