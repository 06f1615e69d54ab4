import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { OutgoingForm, OutgoingTable } from "#app/components/integrations/outgoing-list.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import {
  addOutgoingWebhook,
  groupsForWebhooks,
  outgoingWebhooksOf,
} from "#app/domain/integrations/outgoing-webhooks.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import { NewOutgoingWebhook, outgoingFieldsOf } from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Outgoing webhooks · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor }) => ({
  webhooks: await outgoingWebhooksOf(app, actor),
  groups: await groupsForWebhooks(app, actor),
  isAdmin: mayUse("admin", actor),
}));

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

export default function OutgoingScreen() {
  const { webhooks, groups, isAdmin } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Outgoing webhooks"
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
  return <LoadFailed message={MESSAGES.unknownError} />;
}
