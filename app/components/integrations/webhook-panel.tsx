import { Ban } from "lucide-react";
import { type ReactNode, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { FindForm, type ListQuery, pageAddress, without } from "#app/components/forms/find-form.tsx";
import { LineForm } from "#app/components/forms/line-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { WebhookRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { numberText } from "#app/lib/number-text.ts";
import type { NumberedPage } from "#app/lib/pages.ts";

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

/** The names of the text and the pages of the lists of webhooks in the screen's query. */
export const WEBHOOKS = { find: "webhook", page: "webhooks", revoked: "revoked" };

type Webhooks = NumberedPage<WebhookRow>;

export type WebhookPanelProps = { webhooks: Webhooks; revoked: Webhooks; query: ListQuery };

/** The addresses that Rekor's webhooks post to: add one, show its secret once, revoke it. */
export function WebhookPanel(props: WebhookPanelProps) {
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
      <WebhookLists {...props} />
      <ShownAddressDialog shown={shown} onClose={() => setShown(undefined)} />
    </>
  );
}

/** The webhooks in use and, collapsed, the revoked ones, each in pages. One search finds in both. */
function WebhookLists({ webhooks, revoked, query }: WebhookPanelProps) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const find = query[WEBHOOKS.find] ?? "";
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

  const isLong = webhooks.pages > 1 || revoked.pages > 1;
  return (
    <>
      {(isLong || find !== "") && (
        <FindForm
          label="Find a webhook"
          placeholder="Name or last four characters"
          find={find}
          result={`${numberText(webhooks.found)} in use, ${numberText(revoked.found)} revoked${find === "" ? "" : " found"}.`}
          name={WEBHOOKS.find}
          kept={without(query, Object.values(WEBHOOKS))}
        />
      )}
      {webhooks.found > 0 && (
        <WebhookTable
          label="Webhooks"
          caption="Webhooks in use, newest first"
          webhooks={webhooks.rows}
          last="Actions"
        >
          {(webhook) => (
            <IconButton
              size="sm"
              icon={<Ban />}
              label={`Revoke ${webhook.name}`}
              className="noscript:hidden"
              onClick={() => revoke(webhook)}
            />
          )}
        </WebhookTable>
      )}
      <PageLinks
        page={webhooks.page}
        pages={webhooks.pages}
        label="Pages of webhooks"
        to={(to) => pageAddress(to, query, WEBHOOKS.page)}
        preventScrollReset
      />
      {revoked.found > 0 && (
        <Collapsible
          title="Revoked webhooks"
          aside={numberText(revoked.found)}
          defaultOpen={find !== "" || WEBHOOKS.revoked in query}
        >
          <div className="flex flex-col gap-3">
            <WebhookTable
              label="Revoked webhooks"
              caption="Revoked webhooks, the last revoked first"
              webhooks={revoked.rows}
              last="State"
            >
              {({ revoked_at }) => (
                <>
                  <Badge tone="neutral">Revoked</Badge> <Seen at={revoked_at} />
                </>
              )}
            </WebhookTable>
            <PageLinks
              page={revoked.page}
              pages={revoked.pages}
              label="Pages of revoked webhooks"
              to={(to) => pageAddress(to, query, WEBHOOKS.revoked)}
              preventScrollReset
            />
          </div>
        </Collapsible>
      )}
      {dialog}
    </>
  );
}

type WebhookTableProps = {
  label: string;
  caption: string;
  webhooks: readonly WebhookRow[];
  /** The title of the last column, and its content for a webhook. */
  last: string;
  children: (webhook: WebhookRow) => ReactNode;
};

function WebhookTable({ label, caption, webhooks, last, children }: WebhookTableProps) {
  return (
    <DataTable
      label={label}
      caption={caption}
      density="compact"
      cardsBelow="wide"
      columns={["Name", "Secret", "Added", "Last read", "Last heartbeat", "Last test", "Last refused", last]}
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
            {webhook.last_refusal && <span className="block text-xs text-muted">{webhook.last_refusal}</span>}
          </td>
          <td>{children(webhook)}</td>
        </tr>
      ))}
    </DataTable>
  );
}

/** Shows a time, or “Never”. */
export function Seen({ at }: { at: number | null }) {
  return at === null ? <span className="text-muted">Never</span> : <LocalTime at={at} short />;
}
