import { type ReactNode, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { Panel } from "./page.tsx";

export type AgencyList = {
  title: string;
  lead: string;
  empty: string;
  agencies: readonly ListedAgency[];
  /** What moves an agency to the other list. */
  move: Move;
  /** What else may be done with an agency of this list. */
  also?: Move;
};

/** An agency, and what stands below its name. */
export type ListedAgency = NamedAgency & { note?: ReactNode };

/** An act on an agency: its word, its URL, what it asks before, and fields of the question that go with the call. */
export type Move = {
  label: string;
  /** The question and the word that answers it, where the label alone does not make one. */
  title?: (name: string) => string;
  confirm?: string;
  path: string;
  danger: boolean;
  failed: string;
  body: (name: string) => string;
  fields?: { of: (agencyId: string) => ReactNode; read: (form: FormData) => object };
};

/** Above so many agencies a list can be filtered. */
const FILTERED = 12;

/** Two lists of agencies beside each other; each agency moves to the other one at a button and a question. */
export function AgencyLists({ lists }: { lists: readonly [AgencyList, AgencyList] }) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();
  const form = useRef<HTMLFormElement>(null);
  const start = (move: Move, { id, name }: NamedAgency) =>
    ask({
      title: move.title?.(name) ?? `${move.label} ${name}?`,
      body: (
        <>
          <p>{move.body(name)}</p>
          {move.fields && (
            <form
              ref={form}
              className="mt-3 flex flex-col gap-3"
              onSubmit={(event) => event.preventDefault()}
            >
              {move.fields.of(id)}
            </form>
          )}
        </>
      ),
      confirm: move.confirm ?? move.label,
      danger: move.danger,
      run: async () => {
        // Half a time would be sent as none.
        if (form.current?.reportValidity() === false) return false;
        const more = move.fields && form.current ? move.fields.read(new FormData(form.current)) : {};
        return mutate(callApi(move.path, { json: { agency_id: id, ...more }, failed: move.failed }));
      },
    });
  return (
    <div className="grid items-start gap-3 lg:grid-cols-2">
      {lists.map((list) => (
        <OneList key={list.title} list={list} onMove={start} />
      ))}
      {dialog}
    </div>
  );
}

function OneList({ list, onMove }: { list: AgencyList; onMove: (move: Move, agency: NamedAgency) => void }) {
  const { title, lead, empty, agencies, move, also } = list;
  const [filter, setFilter] = useState("");
  const field = useTypedBefore<HTMLInputElement>(setFilter);
  const wanted = filter.trim().toLowerCase();
  const shown = agencies.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Panel title={`${title} (${agencies.length})`} lead={lead}>
      {agencies.length > FILTERED && (
        <Input
          ref={field}
          type="search"
          aria-label={`Filter ${title}`}
          placeholder="Filter by name"
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
            <li key={agency.id} className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 py-1.5">
              <span className="min-w-0 flex-1 basis-56">
                <span className="block truncate" title={agency.name}>
                  {agency.name}
                </span>
                {agency.note && <span className="block text-sm text-muted">{agency.note}</span>}
              </span>
              <span className="flex gap-2">
                {[also, move].map(
                  (one) =>
                    one && (
                      <Button key={one.label} size="sm" onClick={() => onMove(one, agency)}>
                        {one.label}
                        <span className="sr-only"> {agency.name}</span>
                      </Button>
                    ),
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
