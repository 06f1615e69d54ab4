import { Ban } from "lucide-react";
import { useState } from "react";
import { LocalTime } from "#app/components/account/local-time.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { NameForm } from "#app/components/ui/name-form.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import { type DoorRow, NewDoor } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { type Shown, ShownAddressDialog } from "./shown-address.tsx";
import { useAct } from "./use-act.ts";
import { useConfirm } from "./use-confirm.tsx";

/** The addresses that Rekor's webhooks post to: made, shown once, revoked. */
export function WebhookPanel({ doors }: { doors: readonly DoorRow[] }) {
  const act = useAct();
  const { ask, dialog } = useConfirm();
  const [shown, setShown] = useState<Shown>();

  async function add(typed: string) {
    const parsed = NewDoor.safeParse({ name: typed });
    if (!parsed.success) return parsed.error.issues[0]?.message;
    const { name } = parsed.data;
    const worked = await act<{ address: string; msg: string }>({
      path: "/rekor-webhooks",
      call: { method: "POST", body: parsed.data },
      failed: MESSAGES.unknownError,
      done: ({ address }) =>
        setShown({
          title: `Address of ${name}`,
          address,
          advice: "Enter it as the URL of a webhook in Rekor Scout.",
        }),
    });
    return worked ? undefined : "";
  }

  return (
    <>
      <NameForm
        label="New webhook"
        placeholder="Where it is used, for example Scout, north side"
        add="Add webhook"
        onAdd={add}
      />
      {doors.length > 0 && (
        <TableBox label="Webhooks">
          <Table caption="Webhooks, the newest first" density="compact">
            <thead>
              <tr>
                <ColumnHeader>Name</ColumnHeader>
                <ColumnHeader>Secret</ColumnHeader>
                <ColumnHeader>Added</ColumnHeader>
                <ColumnHeader>Last read</ColumnHeader>
                <ColumnHeader>Last heartbeat</ColumnHeader>
                <ColumnHeader>Last refused</ColumnHeader>
                <ColumnHeader>Actions</ColumnHeader>
              </tr>
            </thead>
            <tbody>
              {doors.map((door) => (
                <tr key={door.id}>
                  <th scope="row" className="font-medium">
                    {door.name}
                  </th>
                  <td className="font-mono">••••{door.last_four}</td>
                  <td>
                    <LocalTime at={door.created_at} short />
                  </td>
                  <td>
                    <Seen at={door.last_read_at} />
                  </td>
                  <td>
                    <Seen at={door.last_heartbeat_at} />
                  </td>
                  <td>
                    <Seen at={door.last_refused_at} />
                    {door.last_refusal && (
                      <span className="block text-xs text-muted">{door.last_refusal}</span>
                    )}
                  </td>
                  <td>
                    {door.revoked_at === null ? (
                      <IconButton
                        size="sm"
                        icon={<Ban />}
                        label={`Revoke ${door.name}`}
                        onClick={() =>
                          ask({
                            title: `Revoke ${door.name}?`,
                            body: "What posts to its address is refused from now on, and nothing that it sends makes an alert. The address cannot be brought back.",
                            confirm: "Revoke",
                            danger: true,
                            run: () =>
                              act({
                                path: `/rekor-webhooks/${encodeURIComponent(door.id)}`,
                                call: { method: "DELETE" },
                                failed: MESSAGES.unknownError,
                              }),
                          })
                        }
                      />
                    ) : (
                      <Badge tone="neutral">Revoked</Badge>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </TableBox>
      )}
      <ShownAddressDialog shown={shown} onClose={() => setShown(undefined)} />
      {dialog}
    </>
  );
}

/** When something was last seen, or that it never was. */
export function Seen({ at }: { at: number | null }) {
  return at === null ? <span className="text-muted">Never</span> : <LocalTime at={at} short />;
}
