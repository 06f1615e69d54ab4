import { Trash2 } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import type { AxonIntegrationRow } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { HealthState } from "./health-state.tsx";
import { TestButton } from "./test-button.tsx";

/** The agency's Axon integration as it stands, with the way to end it. */
export function AxonExisting({ integration }: { integration: AxonIntegrationRow }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const { agency_name, base_url, client_id, partner_id, health } = integration;
  const facts = [
    ["Agency", agency_name],
    ["Base URL", base_url],
    ["Client ID", client_id],
    ["Partner ID", partner_id],
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-sm text-muted">{label}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
        <dt className="text-sm text-muted">Health</dt>
        <dd>
          <HealthState health={health} />
        </dd>
      </dl>
      <div className="flex flex-wrap items-center gap-2">
        <TestButton path="/test-axon-integration" of="the Axon integration" />
        <Button
          size="sm"
          variant="danger"
          icon={<Trash2 />}
          onClick={() =>
            ask({
              title: "Delete the Axon integration?",
              body: `No agency can search the Axon reads of ${agency_name} from now on. The client secret and the list of blacklisted agencies are deleted with it.`,
              confirm: "Delete",
              danger: true,
              run: () =>
                mutate(
                  callApi("/delete-axon-integration", { method: "DELETE", failed: MESSAGES.unknownError }),
                ),
            })
          }
        >
          Delete
        </Button>
      </div>
      {dialog}
    </>
  );
}
