import { Link, useLoaderData } from "@remix-run/react";
import { Webhook } from "lucide-react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { SubmitButton } from "#app/components/forms/screen-form.tsx";
import { OutgoingFields, OutgoingState, SECRET_ONCE } from "#app/components/integrations/outgoing.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { SecretForm } from "#app/components/integrations/secret-form.tsx";
import { Seen } from "#app/components/integrations/webhook-panel.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { listGroupsToEdit } from "#app/domain/hotlists/groups.ts";
import { addOutgoingWebhook, outgoingWebhooksOf } from "#app/domain/integrations/outgoing-webhooks.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import {
  NewOutgoingWebhook,
  OUTGOING_EVENTS,
  type OutgoingWebhookRow,
  outgoingFieldsOf,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta = screenTitle("Outgoing Webhooks");

export const loader = screenLoader("hotlist-admin", async ({ app, actor }) => {
  const [webhooks, groups] = await Promise.all([
    outgoingWebhooksOf(app, actor),
    listGroupsToEdit(app, actor),
  ]);
  return { webhooks, groups, isAdmin: mayUse("admin", actor) };
});

export const action = screenAction("hotlist-admin", {
  add: screenForm(
    NewOutgoingWebhook,
    ({ app, actor, body, request }) =>
      addOutgoingWebhook(app, actor, { webhook: body, host: new URL(request.url).host }),
    {
      stepUp: true,
      shape: ({ fields, lists }) => outgoingFieldsOf(fields, lists),
      shows: ({ id, secret }, { name }) => ({ id, secret, name }),
    },
  ),
});

export const clientAction = screenClientAction;

type Added = { id: string; secret: string; name: string };

/** Adds a webhook and shows its secret once. */
function OutgoingForm({
  groups,
  isAdmin,
}: {
  groups: readonly { id: string; name: string }[];
  isAdmin: boolean;
}) {
  return (
    <SecretForm<Added>
      intent="add"
      keyed
      secretOf={({ name, secret }) => ({ title: `Secret of ${name}`, secret })}
      copyLabel="Copy the secret"
      advice={SECRET_ONCE}
    >
      {(form) => (
        <>
          <SelectField {...form.field("group_id")} label="Events of" className="max-w-xl">
            {isAdmin && <option value="">The whole agency</option>}
            {groups.map(({ id, name }) => (
              <option key={id} value={id}>
                Group {name}
              </option>
            ))}
          </SelectField>
          <OutgoingFields form={form} mayShowPlates={isAdmin} />
          <SubmitButton state={form} pendingLabel="Adding…">
            Add Webhook
          </SubmitButton>
        </>
      )}
    </SecretForm>
  );
}

/** Returns the labels of a webhook's events. */
function eventLabels(events: OutgoingWebhookRow["events"]): string {
  return OUTGOING_EVENTS.filter(({ value }) => events.includes(value))
    .map(({ label }) => label)
    .join(", ");
}

/** The webhooks that the user manages. Each has a screen of its own. */
function OutgoingTable({ webhooks }: { webhooks: readonly OutgoingWebhookRow[] }) {
  if (webhooks.length === 0)
    return (
      <EmptyState icon={<Webhook />} title="No outgoing webhooks">
        Add one above to have hits posted to another system.
      </EmptyState>
    );
  return (
    <DataTable
      label="Outgoing webhooks"
      caption="Outgoing webhooks, by name"
      cardsBelow="wide"
      columns={[
        "Name",
        "Host",
        "Events of",
        "Events",
        "Content",
        "State",
        "Last accepted",
        { title: "Waiting", numeric: true },
        { title: "Failed", numeric: true },
      ]}
    >
      {webhooks.map((webhook) => (
        <tr key={webhook.id} className="card:grid-cols-2">
          <th scope="row" className="min-w-32 font-medium wrap-anywhere card:col-span-2">
            <Link to={`/integrations/outgoing/${encodeURIComponent(webhook.id)}`} className="underline">
              {webhook.name}
            </Link>
          </th>
          <td data-label="Host" className="min-w-32 break-all card:col-span-2 row:max-w-64">
            {new URL(webhook.url).host}
          </td>
          <td data-label="Events of" className="min-w-32 wrap-anywhere card:col-span-2">
            {webhook.group ? webhook.group.name : "The whole agency"}
          </td>
          <td data-label="Events" className="min-w-32 card:col-span-2">
            {eventLabels(webhook.events)}
          </td>
          <td data-label="Content" className="whitespace-nowrap card:col-span-2">
            {webhook.plate_data ? "Plates" : "Ids only"}
          </td>
          <td className="min-w-32 card:col-span-2">
            <OutgoingState webhook={webhook} />
          </td>
          <td data-label="Last accepted" className="card:col-span-2">
            <Seen at={webhook.last_ok_at} />
          </td>
          <td data-label="Waiting" className="num">
            {webhook.pending.toLocaleString("en-US")}
          </td>
          <td data-label="Failed" className="num">
            {webhook.failed.toLocaleString("en-US")}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

export default function OutgoingScreen() {
  const { webhooks, groups, isAdmin } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Outgoing Webhooks"
      lead="Odin posts hits, dispositions and expiring plates to systems of your agency, each message signed by the Standard Webhooks specification. Failed messages are sent again for a day."
    >
      <Panel title="Add a webhook">
        {isAdmin || groups.length > 0 ? (
          <OutgoingForm groups={groups} isAdmin={isAdmin} />
        ) : (
          <p className="text-sm text-muted">
            Create a group first: your webhooks are for groups that you can edit.
          </p>
        )}
      </Panel>
      <OutgoingTable webhooks={webhooks} />
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.unknownError} />;
}
