import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData, useRevalidator } from "@remix-run/react";
import { ArrowLeft, PlugZap } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { LoadFailed } from "#app/components/integrations/load-failed.tsx";
import { OutgoingActions, OutgoingEditForm } from "#app/components/integrations/outgoing-actions.tsx";
import { OutgoingDeliveries } from "#app/components/integrations/outgoing-deliveries.tsx";
import { OutgoingState } from "#app/components/integrations/outgoing-state.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import {
  changeOutgoingWebhook,
  outgoingDeliveriesOf,
  outgoingWebhook,
} from "#app/domain/integrations/outgoing-webhooks.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import {
  type OutgoingTest,
  OutgoingWebhookFields,
  outgoingFieldsOf,
} from "#app/entities/integrations/outgoing-webhooks.ts";
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

/** Sends a test message and shows the receiver's answer. */
function OutgoingTestButton({ id }: { id: string }) {
  const { revalidate } = useRevalidator();
  const [pending, setPending] = useState(false);
  const [tested, setTested] = useState<OutgoingTest>();

  async function test() {
    setPending(true);
    setTested(undefined);
    const answer = await callApi<OutgoingTest>(`/outgoing-webhooks/${encodeURIComponent(id)}/test`, {
      method: "POST",
      failed: MESSAGES.unknownError,
    });
    setPending(false);
    if (answer.ok) setTested(answer.value);
    else setTested({ ok: false, msg: answer.message, status: null, answer: "", took_ms: 0 });
    if (answer.ok) revalidate();
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Button
        icon={<PlugZap />}
        className="self-start"
        pending={pending}
        pendingLabel="Testing…"
        onClick={test}
      >
        Send a test
      </Button>
      <div role="status" className="flex min-w-0 flex-col gap-1 text-sm empty:hidden">
        {tested && (
          <>
            <p className={cx("font-medium", tested.ok ? "text-ok" : "text-hit")}>
              {tested.msg}
              {tested.status !== null && ` after ${(tested.took_ms / 1000).toFixed(1)} s`}
            </p>
            {tested.answer !== "" && (
              <code className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">
                {tested.answer}
              </code>
            )}
          </>
        )}
      </div>
    </div>
  );
}

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
