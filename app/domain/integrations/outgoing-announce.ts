// Queues webhooks that have new deliveries. The rows are the outbox: if the message is lost, the sweep queues the
// webhook again within a minute.

import type { AppContext } from "#app/context.ts";
import { logWarning } from "#app/lib/log.ts";
import { sendJobs } from "#app/store/queue.ts";

/** Queues webhooks to be sent their deliveries. Never throws. */
export async function announceToWebhooks(app: AppContext, webhookIds: readonly string[]): Promise<void> {
  const ids = [...new Set(webhookIds)];
  if (ids.length === 0) return;
  try {
    await sendJobs(
      app.webhookJobs,
      ids.map((id) => ({ v: 1, type: "webhook", id })),
    );
  } catch (error) {
    logWarning(`the queue did not accept ${ids.length} webhooks, which the sweep queues again`, error);
  }
}
