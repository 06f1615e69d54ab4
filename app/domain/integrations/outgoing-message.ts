// Writes the messages of outgoing webhooks (docs/api.md). By default they contain only ids, with which the receiver
// fetches the rest as a signed-in user; the plate and the read only if the agency allowed that for the webhook.

import type { AppContext } from "#app/context.ts";
import { MAX_EXPIRING_PLATES } from "#app/entities/integrations/outgoing-webhooks.ts";
import { degrees } from "#app/lib/degrees.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { findExpiringIn } from "#app/store/hotlists/expiry-notices.ts";
import type { findToSend, OutgoingDelivery } from "#app/store/integrations/outgoing-deliveries.ts";

type Facts = NonNullable<Awaited<ReturnType<typeof findToSend>>>;
type StoredAlert = NonNullable<Facts["alert"]>;

/** A message's body, or the reason why it is no longer sent. */
export type OutgoingMessage = { body: string } | { cancelled: string };

/** Returns the message of a delivery, with current data. */
export async function outgoingMessage(
  app: AppContext,
  delivery: OutgoingDelivery,
  facts: Facts,
): Promise<OutgoingMessage> {
  if (!facts.isEntitled)
    return { cancelled: "The group was archived, or the agency no longer participates in it." };
  if (delivery.event === "expiring") return expiringMessage(app, delivery, facts);
  const { alert, webhook } = facts;
  if (!alert) return { cancelled: "The hit is no longer stored." };
  const ids = { alert_id: alert.id, group_id: alert.groupId };
  if (delivery.event === "hit")
    return message("hit", delivery, { ...ids, ...(webhook.plateData && readOf(alert)) });
  return message("disposition", delivery, {
    ...ids,
    disposition: delivery.detail.disposition ?? null,
    ...(webhook.plateData && { plate: alert.plate, state: alert.plateState }),
  });
}

function message(type: string, delivery: OutgoingDelivery, data: object): OutgoingMessage {
  return { body: outgoingBody({ type, at: delivery.createdAt, data }) };
}

/** Returns a body in the form that Standard Webhooks recommends. */
export function outgoingBody({ type, at, data }: { type: string; at: number; data: object }): string {
  return JSON.stringify({ type, timestamp: isoTime(at), data });
}

function readOf(alert: StoredAlert) {
  return {
    plate: alert.plate,
    state: alert.plateState,
    captured_at: isoTime(alert.capturedAt),
    camera: alert.cameraName,
    agency: alert.cameraAgency,
    latitude: degrees(alert.latitude),
    longitude: degrees(alert.longitude),
    source_program: alert.program,
    make: alert.make,
    color: alert.color,
    body_type: alert.bodyType,
    confidence: alert.confidence,
    match_kind: alert.matchKind,
    differences: alert.differences,
    listed_plate: alert.listedPlate,
    listed_state: alert.listedState,
    reason: alert.reason,
    case_number: alert.caseNumber,
    priority: alert.priority,
  };
}

async function expiringMessage(
  app: AppContext,
  delivery: OutgoingDelivery,
  { webhook }: Facts,
): Promise<OutgoingMessage> {
  const { stage = "", expires_after: after = 0, expires_until: until = 0 } = delivery.detail;
  const { entries, plates } = await findExpiringIn(app.db, {
    groupId: delivery.groupId,
    after,
    until,
    platesMost: webhook.plateData ? MAX_EXPIRING_PLATES : 0,
  });
  if (entries === 0) return { cancelled: "The plates were renewed or removed." };
  return message("expiring", delivery, {
    group_id: delivery.groupId,
    stage,
    expires_after: isoTime(after),
    expires_until: isoTime(until),
    entries,
    ...(webhook.plateData && {
      plates: plates.map(({ plate, state, expiresAt }) => ({ plate, state, expires_at: isoTime(expiresAt) })),
    }),
  });
}
