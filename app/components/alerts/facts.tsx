import { useState } from "react";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { Fact } from "#app/components/search/sighting/fact.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import type { Alert } from "#app/entities/alerts/hit.ts";
import { orMissing } from "./text.ts";
import { AlertTime } from "./time.tsx";

const PANELS = [
  { value: "read", label: "Details" },
  { value: "entry", label: "Hotlist entry" },
] as const;

/** Facts of the read and, in a second panel, of the hotlist entry. */
export function AlertFacts({ alert, address }: { alert: Alert; address: string }) {
  const [panel, setPanel] = useState<(typeof PANELS)[number]["value"]>("read");
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Segmented
        label="Details panel"
        options={PANELS}
        value={panel}
        onSelect={setPanel}
        size="sm"
        className="noscript:hidden"
      />
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        {panel === "read" ? <ReadFacts alert={alert} address={address} /> : <EntryFacts alert={alert} />}
      </dl>
      {/* Without scripts, both panels are shown. */}
      <noscript>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
          <EntryFacts alert={alert} />
        </dl>
      </noscript>
    </div>
  );
}

function ReadFacts({ alert, address }: { alert: Alert; address: string }) {
  return (
    <>
      <Fact name="Source">
        <ProgramMark program={alert.source_program} named />
      </Fact>
      <Fact name="Plate">
        <span className="plate-text">{orMissing(alert.plate)}</span>
      </Fact>
      <Fact name="State">{orMissing(alert.state)}</Fact>
      <Fact name="Timestamp">
        <AlertTime iso={alert.timestamp} />
      </Fact>
      <Fact name="Camera">{orMissing(alert.camera)}</Fact>
      <Fact name="Agency">{orMissing(alert.agency)}</Fact>
      <Fact name="Reason">{orMissing(alert.justification)}</Fact>
      <Fact name="Nearest Address">{address}</Fact>
      <Fact name="Vehicle">
        {orMissing([alert.color, alert.make, alert.body_type].filter(Boolean).join(", "))}
      </Fact>
    </>
  );
}

function EntryFacts({ alert }: { alert: Alert }) {
  return (
    <>
      <Fact name="Added to Hotlist">
        <AlertTime iso={alert.date_added} />
      </Fact>
      <Fact name="Notes">
        <span className="whitespace-pre-line">{orMissing(alert.notes)}</span>
      </Fact>
      <Fact name="Group">{alert.group.name}</Fact>
      <Fact name="Added by">
        {orMissing([alert.added_by, alert.added_by_agency].filter(Boolean).join(", "))}
      </Fact>
      <Fact name="Case">{orMissing(alert.case_number)}</Fact>
      <Fact name="Priority">
        {alert.priority === "high" ? (
          <Badge tone="hit">High</Badge>
        ) : alert.priority === "low" ? (
          "Low"
        ) : (
          "Normal"
        )}
      </Fact>
    </>
  );
}
