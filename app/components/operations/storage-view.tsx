import { TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { Progress } from "#app/components/ui/progress.tsx";
import { ACTIONS_COLUMN, DataTable } from "#app/components/ui/table.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import type { StorageReport, StorageState, StoredDatabase } from "#app/entities/operations/storage.ts";
import { counted, numberText, sizeText } from "#app/lib/number-text.ts";
import { percentOf } from "./status-parts.tsx";

/** The polling interval while a database is drained. */
const POLL_MS = 10_000;
const FAILED = "The action failed.";

const STATES: Record<StorageState, { label: string; tone: Tone }> = {
  open: { label: "Open", tone: "ok" },
  "read-only": { label: "Read-only", tone: "neutral" },
  draining: { label: "Draining", tone: "accent" },
  removed: { label: "Removed", tone: "neutral" },
};

/** Shows the databases of reads and their space; the owner closes, drains and removes them here. */
export function StorageView({ report: loaded }: { report: StorageReport }) {
  const [report, setReport] = useState(loaded);
  const { databases, total, alarms, alarm_at } = report;
  const isDraining = databases.some(({ state, removable }) => state === "draining" && !removable);

  useEffect(() => setReport(loaded), [loaded]);
  useEffect(() => {
    if (!isDraining) return;
    const poll = async () => {
      const answer = await callApi<StorageReport>("/storage/data", { background: true });
      if (answer.ok) setReport(answer.value);
    };
    const timer = setInterval(poll, POLL_MS);
    return () => clearInterval(timer);
  }, [isDraining]);

  return (
    <Page width="7xl">
      <PageHead
        title="Storage"
        lead="Databases of Axis reads. Each UTC day is stored in one of them, chosen when its first read arrives. Open databases take new days; read-only ones keep the days they have. The days of a draining one are moved to the others while searches and cameras continue, and it can be removed when it is empty."
      />
      {alarms.length > 0 && (
        <div
          role="status"
          className="flex items-start gap-2 rounded-md border border-warn bg-warn-soft p-3 text-sm"
        >
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warn" />
          <ul>
            {alarms.map((alarm) => (
              <li key={alarm}>{alarm}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="text-sm">
        {databases.every(({ bytes }) => bytes === null)
          ? `Open databases have ${sizeText(total.limit_bytes)}.`
          : `Open databases use ${sizeText(total.bytes)} of ${sizeText(total.limit_bytes)} (${percentOf(total.fill)}).`}{" "}
        {total.full_at !== null ? (
          <>
            At the current rate they are full on <LocalTime at={total.full_at} short />.
          </>
        ) : total.bytes_per_day !== null ? (
          "They do not fill up at the current rate."
        ) : (
          "Their growth is shown once they have been measured on two days."
        )}
      </p>
      <DataTable
        label="Databases"
        caption="Databases of reads"
        density="compact"
        cardsBelow="medium"
        columns={[
          "Database",
          "State",
          "Size",
          { title: "Reads", numeric: true },
          { title: "Days", numeric: true },
          "Space runs out",
          ACTIONS_COLUMN,
        ]}
      >
        {databases.map((one) => (
          <DatabaseRow key={one.name} one={one} alarmAt={alarm_at} limit={report.limit_bytes} />
        ))}
      </DataTable>
    </Page>
  );
}

type DatabaseRowProps = { one: StoredDatabase; alarmAt: number; limit: number };

/** A row of the table; a card on a narrow screen. */
function DatabaseRow({ one, alarmAt, limit }: DatabaseRowProps) {
  const { name, state, bytes, fill, reads, bytes_per_day, full_at } = one;
  return (
    <tr className="card:grid-cols-2">
      <th scope="row" className="font-mono font-medium card:col-span-2">
        {name}
      </th>
      <td className="min-w-48 card:col-span-2">
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
          {!one.bound && <Badge tone="hit">Binding missing</Badge>}
        </span>
        {state === "draining" && !one.removable && (
          <Progress
            label={`Reads moved from ${name}`}
            value={reads === null ? undefined : Math.min(one.moved_reads, reads)}
            max={reads ?? undefined}
            className="mt-1.5"
          />
        )}
        <span className="text-xs text-muted">{progressOf(one)}</span>
        {one.drained_at !== null && !one.removable && (
          <span className="block text-xs text-muted">
            Done about <LocalTime at={one.drained_at} short />
          </span>
        )}
      </td>
      <td className="min-w-40 card:col-span-2">
        {bytes === null || fill === null ? (
          <span className="text-muted">Not measured yet</span>
        ) : (
          <>
            <Progress
              label={`Space used in ${name}`}
              value={bytes}
              max={limit}
              tone={fill >= alarmAt ? "warn" : "accent"}
            />
            <span className="text-xs">
              {sizeText(bytes)} ({percentOf(fill)})
            </span>
          </>
        )}
      </td>
      <td data-label="Reads" className="num">
        {reads === null ? "N/A" : numberText(reads)}
      </td>
      <td data-label="Days" className="num">
        {numberText(one.days)}
      </td>
      <td data-label="Space runs out" className="card:col-span-2">
        {full_at === null ? (
          <span className="text-muted">{bytes_per_day === null ? "Not known yet" : "Never"}</span>
        ) : (
          <LocalTime at={full_at} short />
        )}
      </td>
      <td className="card:col-span-2">
        <div className="flex flex-wrap items-center gap-2 row:justify-end">
          {one.removable && <RemoveForm name={name} />}
          {one.bound && ACTIONS[state].map((next) => <StateForm key={next.to} name={name} {...next} />)}
        </div>
      </td>
    </tr>
  );
}

function progressOf(one: StoredDatabase): string {
  const { state, days, leaving, arriving, moved_reads, reads, note } = one;
  if (state === "removed") return "Not used. Delete its binding from wrangler.toml and deploy.";
  if (one.removable) return "Empty. It can be removed.";
  const of = reads === null ? "" : ` of about ${numberText(Math.max(reads, moved_reads))}`;
  const facts = [
    state === "draining" && days > 0 && `${counted(days, "day")} left`,
    moved_reads > 0 && `${numberText(moved_reads)}${of} reads moved`,
    leaving > 0 && `deleting ${leaving} moved ${leaving === 1 ? "day" : "days"}`,
    arriving > 0 && "receiving a day",
    note,
  ];
  return facts.filter((fact) => fact !== false && fact !== "").join(" · ");
}

type NextState = { to: "open" | "read-only" | "draining"; label: string };

/** What the owner can do with a database, by its state. */
const ACTIONS: Record<StorageState, NextState[]> = {
  open: [
    { to: "read-only", label: "Close" },
    { to: "draining", label: "Drain" },
  ],
  "read-only": [
    { to: "open", label: "Open" },
    { to: "draining", label: "Drain" },
  ],
  draining: [{ to: "read-only", label: "Cancel drain" }],
  removed: [],
};

/** A form of its own for each state, so that the answer belongs to the button that was pressed. */
function StateForm({ name, to, label }: { name: string } & NextState) {
  const form = useScreenForm({
    intent: "state",
    of: { field: "form", value: `${name} ${to}` },
    failed: FAILED,
  });
  return (
    <ScreenForm state={form}>
      <input type="hidden" name="form" value={`${name} ${to}`} />
      <input type="hidden" name="name" value={name} />
      <input type="hidden" name="state" value={to} />
      <Button type="submit" size="sm" pending={form.pending}>
        {label}
        <span className="sr-only"> {name}</span>
      </Button>
    </ScreenForm>
  );
}

function RemoveForm({ name }: { name: string }) {
  const form = useScreenForm({ intent: "remove", of: { field: "name", value: name }, failed: FAILED });
  return (
    <ScreenForm state={form}>
      <input type="hidden" name="name" value={name} />
      <Button type="submit" size="sm" variant="danger" pending={form.pending} pendingLabel="Removing…">
        Remove<span className="sr-only"> {name}</span>
      </Button>
    </ScreenForm>
  );
}
