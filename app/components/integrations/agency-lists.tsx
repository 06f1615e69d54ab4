import { useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Input } from "#app/components/ui/input.tsx";
import type { NamedAgency } from "#app/entities/integration.ts";
import { Panel } from "./integration-page.tsx";
import { useAct } from "./use-act.ts";
import { useConfirm } from "./use-confirm.tsx";

export type AgencyList = {
  title: string;
  lead: string;
  empty: string;
  agencies: readonly NamedAgency[];
  /** What moves an agency to the other list: its word, its URL, what it asks before. */
  move: { label: string; path: string; danger: boolean; failed: string; body: (name: string) => string };
};

/** Above so many agencies a list can be filtered. */
const FILTERED = 12;

/** Two lists of agencies beside each other; each agency moves to the other one at a button and a question. */
export function AgencyLists({ lists }: { lists: readonly [AgencyList, AgencyList] }) {
  const act = useAct();
  const { ask, dialog } = useConfirm();
  return (
    <div className="grid items-start gap-3 lg:grid-cols-2">
      {lists.map((list) => (
        <OneList
          key={list.title}
          list={list}
          onMove={({ id, name }) =>
            ask({
              title: `${list.move.label} ${name}?`,
              body: list.move.body(name),
              confirm: list.move.label,
              danger: list.move.danger,
              run: () =>
                act({
                  path: list.move.path,
                  call: { method: "POST", body: { agency_id: id } },
                  failed: list.move.failed,
                }),
            })
          }
        />
      ))}
      {dialog}
    </div>
  );
}

function OneList({ list, onMove }: { list: AgencyList; onMove: (agency: NamedAgency) => void }) {
  const { title, lead, empty, agencies, move } = list;
  const [filter, setFilter] = useState("");
  const wanted = filter.trim().toLowerCase();
  const shown = agencies.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Panel title={`${title} (${agencies.length})`} lead={lead}>
      {agencies.length > FILTERED && (
        <Input
          type="search"
          aria-label={`Filter ${title}`}
          placeholder="Filter by name"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {shown.length === 0 ? (
        <p className="text-sm text-muted">
          {agencies.length === 0 ? empty : "No agency has that in its name."}
        </p>
      ) : (
        <ul className="max-h-96 divide-y divide-line overflow-auto">
          {shown.map((agency) => (
            <li key={agency.id} className="flex items-center justify-between gap-3 py-1.5">
              <span className="min-w-0 truncate" title={agency.name}>
                {agency.name}
              </span>
              <Button size="sm" onClick={() => onMove(agency)}>
                {move.label}
                <span className="sr-only"> {agency.name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
