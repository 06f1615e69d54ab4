import { Ban } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { LineForm } from "#app/components/forms/line-form.tsx";
import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { WebhookRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";

type NewWebhook = { name: string; address: string };

const ADVICE = "Enter it as the URL of a webhook in Rekor Scout.";

export type Shown = { title: string; address: string; advice: string };

const ADDRESS_ONCE = "This address is shown only once: it contains the secret, and Odin stores only a hash.";

/** Shows an address that contains a secret. */
export function ShownAddressDialog({ shown, onClose }: { shown: Shown | undefined; onClose: () => void }) {
  return (
    <ShownOnceDialog
      open={shown !== undefined}
      onClose={onClose}
      title={shown?.title ?? ""}
      secret={shown?.address ?? ""}
      copyLabel="Copy the address"
    >
      {ADDRESS_ONCE} {shown?.advice}
    </ShownOnceDialog>
  );
}

/** The addresses that Rekor's webhooks post to: add one, show its secret once, revoke it. */
export function WebhookPanel({ webhooks }: { webhooks: readonly WebhookRow[] }) {
  const [shown, setShown] = useState<Shown>();

  const form = useScreenForm<NewWebhook>({
    intent: "add-webhook",
    keyed: "secret",
    failed: MESSAGES.unknownError,
    onDone: ({ result }) =>
      result && setShown({ title: `Address of ${result.name}`, address: result.address, advice: ADVICE }),
  });
  const posted = form.posted?.result;

  return (
    <>
      {posted && (
        <ShownOncePanel title={`Address of ${posted.name}`} secret={posted.address}>
          {ADDRESS_ONCE} {ADVICE}
        </ShownOncePanel>
      )}
      <LineForm
        state={form}
        name="name"
        label="New webhook"
        maxLength={120}
        placeholder="Where it is used, for example Scout, north side"
        button="Add webhook"
        pendingLabel="Adding…"
      />
      {webhooks.length > 0 && <WebhookTable webhooks={webhooks} />}
      <ShownAddressDialog shown={shown} onClose={() => setShown(undefined)} />
    </>
  );
}

function WebhookTable({ webhooks }: { webhooks: readonly WebhookRow[] }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const revoke = (webhook: WebhookRow) =>
    ask({
      title: `Revoke ${webhook.name}?`,
      body: "Requests to its address are refused from now on and cause no alerts. This cannot be undone.",
      confirm: "Revoke",
      danger: true,
      run: () =>
        mutate(
          callApi(`/rekor-webhooks/${encodeURIComponent(webhook.id)}`, {
            method: "DELETE",
            failed: MESSAGES.unknownError,
          }),
        ),
    });

  return (
    <>
      <DataTable
        label="Webhooks"
        caption="Webhooks, newest first"
        density="compact"
        cardsBelow="wide"
        columns={[
          "Name",
          "Secret",
          "Added",
          "Last read",
          "Last heartbeat",
          "Last test",
          "Last refused",
          "Actions",
        ]}
      >
        {webhooks.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row" className="min-w-32 font-medium wrap-anywhere">
              {webhook.name}
            </th>
            <td data-label="Secret" className="font-mono">
              ••••{webhook.last_four}
            </td>
            <td data-label="Added">
              <LocalTime at={webhook.created_at} short />
            </td>
            <td data-label="Last read">
              <Seen at={webhook.last_read_at} />
            </td>
            <td data-label="Last heartbeat">
              <Seen at={webhook.last_heartbeat_at} />
            </td>
            <td data-label="Last test">
              <Seen at={webhook.last_test_at} />
            </td>
            <td data-label="Last refused">
              <Seen at={webhook.last_refused_at} />
              {webhook.last_refusal && (
                <span className="block text-xs text-muted">{webhook.last_refusal}</span>
              )}
            </td>
            <td>
              {webhook.revoked_at === null ? (
                <IconButton
                  size="sm"
                  icon={<Ban />}
                  label={`Revoke ${webhook.name}`}
                  className="noscript:hidden"
                  onClick={() => revoke(webhook)}
                />
              ) : (
                <Badge tone="neutral">Revoked</Badge>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
      {dialog}
    </>
  );
}

/** Shows a time, or “Never”. */
export function Seen({ at }: { at: number | null }) {
  return at === null ? <span className="text-muted">Never</span> : <LocalTime at={at} short />;
}
