import { type ReactNode, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { AGENCY, FindForm, type ListQuery, without } from "#app/components/forms/find-form.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import type { NamedAgency } from "#app/entities/integrations/settings.ts";
import { counted } from "#app/lib/number-text.ts";
import { Panel } from "./page.tsx";

export type AgencyList = {
  title: string;
  lead: string;
  empty: string;
  /** The listed agencies; `found` and `total` also count the others. */
  agencies: readonly ListedAgency[];
  found: number;
  total: number;
  /** The action that moves an agency to the other list. */
  move: Move;
  /** A further action on an agency in this list. */
  also?: Move;
};

/** An agency with an optional note below its name. */
export type ListedAgency = NamedAgency & { note?: ReactNode };

/** An action on an agency: its label, URL and confirmation, with form fields that are sent with the call. */
export type Move = {
  label: string;
  /** Title and button of the confirmation, if the label alone is not enough. */
  title?: (name: string) => string;
  confirm?: string;
  path: string;
  danger: boolean;
  failed: string;
  body: (name: string) => string;
  fields?: { of: (agencyId: string) => ReactNode; read: (form: FormData) => object };
};

/** Lists with more agencies than this have a filter. */
const FILTER_ABOVE = 12;

export type AgencyListsProps = {
  lists: readonly [AgencyList, AgencyList];
  /** The search on the server, if there are too many agencies to list. */
  search: { find: string } | null;
  /** The query of the screen, with its other lists. */
  query: ListQuery;
};

/** Two lists of agencies side by side. A button, after a confirmation, moves an agency to the other list. */
export function AgencyLists({ lists, search, query }: AgencyListsProps) {
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
        // An incomplete time would be sent as empty.
        if (form.current?.reportValidity() === false) return false;
        const more = move.fields && form.current ? move.fields.read(new FormData(form.current)) : {};
        return mutate(callApi(move.path, { json: { agency_id: id, ...more }, failed: move.failed }));
      },
    });
  return (
    <>
      {search && (
        <FindForm
          label="Find an agency"
          placeholder="Name"
          name={AGENCY}
          find={search.find}
          kept={without(query, [AGENCY])}
          result={
            search.find === ""
              ? `${counted(lists[0].total + lists[1].total, "agency", "agencies")}.`
              : `${counted(lists[0].found + lists[1].found, "agency", "agencies")} found.`
          }
        />
      )}
      <p className="hidden text-sm text-muted noscript:block">Changing these lists needs JavaScript.</p>
      <div className="grid items-start gap-3 lg:grid-cols-2">
        {lists.map((list) => (
          <OneList key={list.title} list={list} isSearched={search !== null} onMove={start} />
        ))}
        {dialog}
      </div>
    </>
  );
}

type OneListProps = {
  list: AgencyList;
  isSearched: boolean;
  onMove: (move: Move, agency: NamedAgency) => void;
};

function OneList({ list, isSearched, onMove }: OneListProps) {
  const { title, lead, empty, agencies, found, total, move, also } = list;
  const [filter, setFilter] = useState("");
  const field = useTypedBefore<HTMLInputElement>(setFilter);
  const wanted = filter.trim().toLowerCase();
  const shown = agencies.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Panel title={`${title} (${total})`} lead={lead}>
      {!isSearched && total > FILTER_ABOVE && (
        <Input
          ref={field}
          type="search"
          className="noscript:hidden"
          aria-label={`Filter ${title}`}
          placeholder="Filter by name"
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {agencies.length < found && (
        <p className="text-sm text-muted">
          The first {agencies.length} of {counted(found, "agency", "agencies")}, by name.
        </p>
      )}
      {shown.length === 0 ? (
        <p className="text-sm text-muted">{total === 0 ? empty : "No agency name matches."}</p>
      ) : (
        <ul className="max-h-96 divide-y divide-line overflow-auto">
          {shown.map((agency) => (
            <li key={agency.id} className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 py-1.5">
              <span className="min-w-0 flex-1 basis-56">
                <span className="block wrap-anywhere">{agency.name}</span>
                {agency.note && <span className="block text-sm text-muted">{agency.note}</span>}
              </span>
              <span className="flex gap-2 noscript:hidden">
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
