import { useNavigate } from "@remix-run/react";
import { KeyRound, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { OutgoingWebhookRow } from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { OutgoingFields } from "./outgoing-fields.tsx";
import { SECRET_ONCE } from "./outgoing-state.tsx";

/** Edits a webhook. */
export function OutgoingEditForm({ webhook, isAdmin }: { webhook: OutgoingWebhookRow; isAdmin: boolean }) {
  const form = useScreenForm({ intent: "change", failed: MESSAGES.unknownError, keep: true });
  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <OutgoingFields form={form} webhook={webhook} mayShowPlates={isAdmin} />
      <SubmitButton state={form} pendingLabel="Saving…">
        Save Changes
      </SubmitButton>
    </ScreenForm>
  );
}

const OVERLAP =
  "For 24 hours, messages are signed with the former secret too, so that the receiver can change over.";

/** Turns a webhook on or off, replaces its secret, and deletes it. */
export function OutgoingActions({ webhook }: { webhook: OutgoingWebhookRow }) {
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
          Messages are signed with the former secret too until{" "}
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
