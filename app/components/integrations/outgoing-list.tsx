import { Link } from "@remix-run/react";
import { Webhook } from "lucide-react";
import { useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Select } from "#app/components/ui/fields/select.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import { OUTGOING_EVENTS, type OutgoingWebhookRow } from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { OutgoingFields } from "./outgoing-fields.tsx";
import { OutgoingState, SECRET_ONCE } from "./outgoing-state.tsx";
import { Seen } from "./webhook-panel.tsx";

type Added = { id: string; secret: string; name: string };

/** Adds a webhook and shows its secret once. */
export function OutgoingForm({
  groups,
  isAdmin,
}: {
  groups: readonly { id: string; name: string }[];
  isAdmin: boolean;
}) {
  const [shown, setShown] = useState<Added>();
  const form = useScreenForm<Added>({
    intent: "add",
    failed: MESSAGES.unknownError,
    onDone: ({ result }) => result && setShown(result),
  });
  const posted = form.posted?.result;
  return (
    <>
      {posted && (
        <ShownOncePanel title={`Secret of ${posted.name}`} secret={posted.secret}>
          {SECRET_ONCE}
        </ShownOncePanel>
      )}
      <ScreenForm state={form} className="flex flex-col gap-3">
        <Field label="Events of" error={form.problem("group_id")} className="max-w-xl">
          {(control) => (
            <Select {...control} name="group_id" defaultValue={form.value("group_id")}>
              {isAdmin && <option value="">The whole agency</option>}
              {groups.map(({ id, name }) => (
                <option key={id} value={id}>
                  Group {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <OutgoingFields form={form} mayShowPlates={isAdmin} />
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={form.pending}
          pendingLabel="Adding…"
        >
          Add Webhook
        </Button>
      </ScreenForm>
      <ShownOnceDialog
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={`Secret of ${shown?.name ?? ""}`}
        secret={shown?.secret ?? ""}
        copyLabel="Copy the secret"
      >
        {SECRET_ONCE}
      </ShownOnceDialog>
    </>
  );
}

/** Returns the labels of a webhook's events. */
function eventLabels(events: OutgoingWebhookRow["events"]): string {
  return OUTGOING_EVENTS.filter(({ value }) => events.includes(value))
    .map(({ label }) => label)
    .join(", ");
}

/** The webhooks that the user manages. Each has a screen of its own. */
export function OutgoingTable({ webhooks }: { webhooks: readonly OutgoingWebhookRow[] }) {
  if (webhooks.length === 0)
    return (
      <EmptyState icon={<Webhook />} title="No outgoing webhooks">
        Add one above to have hits posted to another system.
      </EmptyState>
    );
  return (
    <TableBox label="Outgoing webhooks">
      <Table caption="Outgoing webhooks, by name">
        <thead>
          <tr>
            <ColumnHeader>Name</ColumnHeader>
            <ColumnHeader>Host</ColumnHeader>
            <ColumnHeader>Events of</ColumnHeader>
            <ColumnHeader>Events</ColumnHeader>
            <ColumnHeader>Content</ColumnHeader>
            <ColumnHeader>State</ColumnHeader>
            <ColumnHeader>Last accepted</ColumnHeader>
            <ColumnHeader numeric>Waiting</ColumnHeader>
            <ColumnHeader numeric>Failed</ColumnHeader>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <th scope="row" className="min-w-32 font-medium">
                <Link to={`/integrations/outgoing/${encodeURIComponent(webhook.id)}`} className="underline">
                  {webhook.name}
                </Link>
              </th>
              <td className="max-w-64 min-w-32 break-all">{new URL(webhook.url).host}</td>
              <td className="min-w-32">{webhook.group ? webhook.group.name : "The whole agency"}</td>
              <td className="min-w-32">{eventLabels(webhook.events)}</td>
              <td className="whitespace-nowrap">{webhook.plate_data ? "Plates" : "Ids only"}</td>
              <td className="min-w-32">
                <OutgoingState webhook={webhook} />
              </td>
              <td>
                <Seen at={webhook.last_ok_at} />
              </td>
              <td className="num">{webhook.pending.toLocaleString("en-US")}</td>
              <td className="num">{webhook.failed.toLocaleString("en-US")}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </TableBox>
  );
}
