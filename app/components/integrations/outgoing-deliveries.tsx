import { Link } from "@remix-run/react";
import { Send } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import {
  type DeliveryPage,
  OUTGOING_EVENTS,
  type OutgoingDeliveryRow,
  type OutgoingWebhookRow,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { DELIVERY_STATES, DeliveryStateBadge } from "./outgoing.tsx";

const EVENT_LABELS = Object.fromEntries(OUTGOING_EVENTS.map(({ value, label }) => [value, label]));

export type OutgoingDeliveriesProps = {
  webhook: OutgoingWebhookRow;
  page: DeliveryPage;
  /** The state that the list shows; empty for all. */
  state: string;
};

/** The deliveries of a webhook, newest first. Failed ones can be retried. */
export function OutgoingDeliveries({ webhook, page, state }: OutgoingDeliveriesProps) {
  const { mutate, pending } = useMutation({ refresh: "always" });
  const address = (query: Record<string, string>) =>
    `?${new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""))}#deliveries`;
  const retry = (key: string, body: object) =>
    mutate(
      callApi(`/outgoing-webhooks/${encodeURIComponent(webhook.id)}/retry`, {
        json: body,
        failed: MESSAGES.unknownError,
      }),
      { key },
    );
  const canRetry = webhook.state !== "off";

  return (
    <section id="deliveries" aria-labelledby="deliveries-title" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 id="deliveries-title" className="text-lg font-semibold">
          Deliveries
        </h2>
        <nav aria-label="State of the deliveries" className="flex flex-wrap gap-1">
          {DELIVERY_STATES.map(({ value, label }) => (
            <Link
              key={value}
              to={address({ state: value })}
              preventScrollReset
              aria-current={value === state ? "page" : undefined}
              className={cx(
                buttonClass("ghost", "sm"),
                value === state && "bg-accent-soft text-accent-strong",
              )}
            >
              {label}
            </Link>
          ))}
        </nav>
        {webhook.failed > 0 && canRetry && (
          <Button
            size="sm"
            className="ms-auto"
            pending={pending === "all"}
            pendingLabel="Retrying…"
            onClick={() => retry("all", {})}
          >
            Retry all {webhook.failed.toLocaleString("en-US")} failed
          </Button>
        )}
      </div>
      {page.deliveries.length === 0 ? (
        <EmptyState icon={<Send />} title="No deliveries">
          Deliveries are kept for 30 days.
        </EmptyState>
      ) : (
        <DataTable
          caption="Deliveries, newest first"
          density="compact"
          cardsBelow="wide"
          columns={[
            "Event",
            "Group",
            "Created",
            "State",
            "Response",
            { title: "Attempts", numeric: true },
            "Next attempt",
            "Id",
            "Actions",
          ]}
        >
          {page.deliveries.map((delivery) => (
            <Delivery
              key={delivery.id}
              delivery={delivery}
              pending={pending === delivery.id}
              onRetry={canRetry ? () => retry(delivery.id, { delivery_id: delivery.id }) : undefined}
            />
          ))}
        </DataTable>
      )}
      {page.next && (
        <Link to={address({ state, before: page.next })} className={cx(buttonClass(), "self-start")}>
          Older deliveries
        </Link>
      )}
    </section>
  );
}

function Delivery({
  delivery,
  pending,
  onRetry,
}: {
  delivery: OutgoingDeliveryRow;
  pending: boolean;
  onRetry: (() => void) | undefined;
}) {
  const { id, event, group, state, attempts, status, reason, created_at, next_at } = delivery;
  return (
    <tr className="card:grid-cols-[minmax(0,1fr)_auto]">
      <th scope="row" className="font-medium row:whitespace-nowrap">
        {EVENT_LABELS[event]}
      </th>
      <td className="min-w-32 wrap-anywhere card:order-1 card:col-span-2">{group}</td>
      <td data-label="Created" className="card:order-1 card:col-span-2">
        <LocalTime at={created_at} />
      </td>
      <td>
        <DeliveryStateBadge state={state} />
      </td>
      <td data-label="Response" className="min-w-40 card:order-1 card:col-span-2">
        {reason || (status === null ? "" : `Status ${status}`)}
      </td>
      <td data-label="Attempts" className="num card:order-1 card:col-span-2">
        {attempts}
      </td>
      <td data-label="Next attempt" className="card:order-1 card:col-span-2">
        {state === "pending" && next_at !== null && <LocalTime at={next_at} />}
      </td>
      <td data-label="Id" className="font-mono text-xs break-all card:order-1 card:col-span-2">
        {id}
      </td>
      <td className="card:order-1 card:col-span-2">
        {state === "failed" && onRetry && (
          <Button size="sm" pending={pending} onClick={onRetry}>
            Retry<span className="sr-only"> {id}</span>
          </Button>
        )}
      </td>
    </tr>
  );
}
