import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { ArrowLeft } from "lucide-react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { OutgoingActions, OutgoingEditForm } from "#app/components/integrations/outgoing-actions.tsx";
import { OutgoingDeliveries } from "#app/components/integrations/outgoing-deliveries.tsx";
import { OutgoingState } from "#app/components/integrations/outgoing-state.tsx";
import { OutgoingTestButton } from "#app/components/integrations/outgoing-test.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import {
  changeOutgoingWebhook,
  outgoingDeliveriesOf,
  outgoingWebhook,
} from "#app/domain/integrations/outgoing-webhooks.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import { OutgoingWebhookFields, outgoingFieldsOf } from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Outgoing webhook · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor, params, query }) => {
  const id = params.id ?? "";
  const state = query.get("state") ?? "";
  return {
    webhook: await outgoingWebhook(app, actor, id),
    page: await outgoingDeliveriesOf(app, actor, { id, state, before: query.get("before") }),
    state,
    isAdmin: mayUse("admin", actor),
  };
});

export const action = screenAction("hotlist-admin", {
  change: screenForm(
    OutgoingWebhookFields,
    ({ app, actor, params, body, request }) =>
      changeOutgoingWebhook(app, actor, {
        id: params.id ?? "",
        fields: body,
        host: new URL(request.url).host,
      }),
    { stepUp: true, shape: ({ fields, lists }) => outgoingFieldsOf(fields, lists) },
  ),
});

export const clientAction = screenClientAction;

export default function OutgoingWebhookScreen() {
  const { webhook, page, state, isAdmin } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title={webhook.name}
      lead={webhook.group ? `Events of the group ${webhook.group.name}` : "Events of the whole agency"}
    >
      <Link to="/integrations/outgoing" className={`${buttonClass("ghost", "sm")} self-start`}>
        <ArrowLeft aria-hidden="true" />
        Outgoing webhooks
      </Link>
      <div className="grid items-start gap-3 lg:grid-cols-[1.4fr_1fr]">
        <Panel title="Settings">
          <OutgoingEditForm key={webhook.id} webhook={webhook} isAdmin={isAdmin} />
        </Panel>
        <Panel title="State">
          <div>
            <OutgoingState webhook={webhook} />
          </div>
          <OutgoingTestButton id={webhook.id} />
          <OutgoingActions webhook={webhook} />
        </Panel>
      </div>
      <OutgoingDeliveries webhook={webhook} page={page} state={state} />
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadFailed message={MESSAGES.unknownError} />;
}
