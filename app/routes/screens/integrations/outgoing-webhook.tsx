import { Link, useLoaderData, useNavigate, useRevalidator } from "@remix-run/react";
import { ArrowLeft, KeyRound, PlugZap, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { OutgoingFields, OutgoingState, SECRET_ONCE } from "#app/components/integrations/outgoing.tsx";
import { OutgoingDeliveries } from "#app/components/integrations/outgoing-deliveries.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import {
  changeOutgoingWebhook,
  outgoingDeliveriesOf,
  outgoingWebhook,
} from "#app/domain/integrations/outgoing-webhooks.ts";
import { keptAnswers } from "#app/domain/operations/idempotency.ts";
import { mayUse } from "#app/entities/accounts/access.ts";
import {
  type OutgoingTest,
  OutgoingWebhookFields,
  type OutgoingWebhookRow,
  outgoingFieldsOf,
} from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm, settingsVersion } from "#app/http/screen-form.ts";

export const meta = screenTitle("Outgoing Webhook");

/** Returns the settings that the form replaces. */
const settingsOf = ({ name, url, events, plate_data }: OutgoingWebhookRow) => ({
  name,
  url,
  events,
  plate_data,
});

export const loader = screenLoader("hotlist-admin", async ({ app, actor, params, query }) => {
  const id = params.id ?? "";
  const state = query.get("state") ?? "";
  const [webhook, page] = await Promise.all([
    outgoingWebhook(app, actor, id),
    outgoingDeliveriesOf(app, actor, { id, state, before: query.get("before") }),
  ]);
  return {
    webhook,
    version: settingsVersion(settingsOf(webhook)),
    page,
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
    {
      stepUp: true,
      shape: ({ fields, lists }) => outgoingFieldsOf(fields, lists),
      answers: keptAnswers,
      replaces: async ({ app, actor, params }) =>
        settingsOf(await outgoingWebhook(app, actor, params.id ?? "")),
    },
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
      <div role="status" className="flex min-w-0 flex-col gap-1 text-sm empty:sr-only">
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
  const { webhook, version, page, state, isAdmin } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title={webhook.name}
      lead={webhook.group ? `Events of the group ${webhook.group.name}` : "Events of the whole agency"}
    >
      <Link to="/integrations/outgoing" className={`${buttonClass("ghost", "sm")} self-start`}>
        <ArrowLeft aria-hidden="true" />
        Outgoing Webhooks
      </Link>
      <div className="grid items-start gap-3 lg:grid-cols-[1.4fr_1fr]">
        <Panel title="Settings">
          <OutgoingEditForm key={webhook.id} webhook={webhook} version={version} isAdmin={isAdmin} />
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
  return <LoadErrorBoundary message={MESSAGES.unknownError} />;
}

/** Edits a webhook. */
function OutgoingEditForm({
  webhook,
  version,
  isAdmin,
}: {
  webhook: OutgoingWebhookRow;
  version: string;
  isAdmin: boolean;
}) {
  const form = useScreenForm({ intent: "change", keyed: true, failed: MESSAGES.unknownError, keep: true });
  return (
    <ScreenForm state={form} version={version} className="flex flex-col gap-3">
      <OutgoingFields form={form} webhook={webhook} mayShowPlates={isAdmin} />
      <SubmitButton state={form} pendingLabel="Saving…">
        Save Changes
      </SubmitButton>
    </ScreenForm>
  );
}

const OVERLAP =
  "For 24 hours, messages are signed with the previous secret too, so that the receiver can change over.";

/** Turns a webhook on or off, replaces its secret, and deletes it. */
function OutgoingActions({ webhook }: { webhook: OutgoingWebhookRow }) {
  const { mutate, pending } = useMutation();
  const { ask, dialog } = useConfirm();
  const [secret, setSecret] = useState<string>();
  const navigate = useNavigate();
  const path = `/outgoing-webhooks/${encodeURIComponent(webhook.id)}`;
  const { name, state } = webhook;
  const isOff = state === "off";

  const turn = (on: boolean) =>
    mutate(callApi(`${path}/on`, { json: { on }, failed: MESSAGES.unknownError }), { key: "on" });
  const turnOff = () =>
    ask({
      title: `Turn off ${name}?`,
      body: "Events from now on are not sent, not even after it is turned on again. What is waiting is canceled.",
      confirm: "Turn off",
      run: () => turn(false),
    });
  const renew = () =>
    ask({
      title: `Create a new secret for ${name}?`,
      body: `The new secret is shown once. ${OVERLAP}`,
      confirm: "Create",
      run: () =>
        mutate(
          callApi<{ secret: string }>(`${path}/secret`, { method: "POST", failed: MESSAGES.unknownError }),
          { done: (value) => setSecret(value.secret) },
        ),
    });
  const remove = () =>
    ask({
      title: `Delete ${name}?`,
      body: "It gets no more events, and the list of its deliveries is deleted. This cannot be undone.",
      confirm: "Delete",
      danger: true,
      run: async () => {
        const done = await mutate(callApi(path, { method: "DELETE", failed: MESSAGES.unknownError }));
        if (done) navigate("/integrations/outgoing");
        return done;
      },
    });

  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button icon={<Power />} pending={pending === "on"} onClick={isOff ? () => turn(true) : turnOff}>
          {isOff ? "Turn on" : "Turn off"}
        </Button>
        <Button icon={<KeyRound />} onClick={renew}>
          New secret
        </Button>
        <Button icon={<Trash2 />} onClick={remove}>
          Delete
        </Button>
      </div>
      {webhook.former_secret_until !== null && (
        <p className="text-sm text-muted">
          Messages are signed with the previous secret too until{" "}
          <LocalTime at={webhook.former_secret_until} short />.
        </p>
      )}
      <ShownOnceDialog
        open={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={`New secret of ${name}`}
        secret={secret ?? ""}
        copyLabel="Copy the secret"
      >
        {SECRET_ONCE} {OVERLAP}
      </ShownOnceDialog>
      {dialog}
    </div>
  );
}
