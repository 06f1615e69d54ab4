import { KeyRound, Trash2 } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { ColumnHeader, Table, TableBox } from "#app/components/ui/table.tsx";
import type { RekorKeyRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { HealthState } from "./health-state.tsx";
import { TestButton } from "./test-button.tsx";

/** The agency's keys: whose reads each opens, where, how it answers. */
export function RekorKeyTable({ keys }: { keys: readonly RekorKeyRow[] }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  if (keys.length === 0) {
    return (
      <EmptyState icon={<KeyRound />} title={MESSAGES.noApiKeys}>
        Add a key above, and its agency can be searched at once.
      </EmptyState>
    );
  }
  return (
    <>
      <TableBox label="API keys">
        <Table caption="API keys, sorted by agency">
          <thead>
            <tr>
              <ColumnHeader>Agency</ColumnHeader>
              <ColumnHeader>API Key</ColumnHeader>
              <ColumnHeader>Source</ColumnHeader>
              <ColumnHeader>Host</ColumnHeader>
              <ColumnHeader>Health</ColumnHeader>
              <ColumnHeader>Actions</ColumnHeader>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <tr key={key.id}>
                <th scope="row" className="min-w-32 font-medium">
                  {key.agency}
                </th>
                <td className="font-mono whitespace-nowrap">{key.api_key}</td>
                <td>{key.source_program}</td>
                <td className="max-w-64 min-w-40 break-all">{key.base_url.replace("https://", "")}</td>
                <td>
                  <HealthState health={key.health} />
                </td>
                <td>
                  <span className="flex flex-wrap items-center gap-1">
                    <TestButton path={`/test-api-key/${encodeURIComponent(key.id)}`} of={key.agency} />
                    <IconButton
                      size="sm"
                      icon={<Trash2 />}
                      label={`Delete the key of ${key.agency}`}
                      onClick={() => ask(deletion(key))}
                    />
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </TableBox>
      {dialog}
    </>
  );

  function deletion({ id, agency, api_key }: RekorKeyRow) {
    return {
      title: `Delete the key of ${agency}?`,
      body: `Nobody in your agency can search ${agency} with the key ${api_key} from now on. Searches that are done keep their results until these are purged, without the images.`,
      confirm: "Delete",
      danger: true,
      run: () =>
        mutate(
          callApi(`/delete-api-key/${encodeURIComponent(id)}`, {
            method: "DELETE",
            failed: MESSAGES.apiKeyDeleteFailed,
          }),
        ),
    };
  }
}
