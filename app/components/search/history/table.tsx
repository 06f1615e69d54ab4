import { Link } from "@remix-run/react";
import { FolderOpen, Pencil, Pin, PinOff, RotateCw } from "lucide-react";
import { closeDetails } from "#app/components/forms/close-details.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { ACTIONS_COLUMN, DataTable } from "#app/components/ui/table.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { type PastSearch, SAVED_NAME_MAX } from "#app/entities/search/history/past-search.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";
import { counted } from "#app/lib/number-text.ts";

/** Searches with the actions for each; cards on a narrow screen. */
export function SearchTable({
  title,
  searches,
  onChange,
}: {
  title: string;
  searches: readonly PastSearch[];
  /** A search was named, pinned or unpinned. */
  onChange: () => void;
}) {
  return (
    <section className="flex flex-col gap-2">
      <h2 className="text-lg font-semibold">{title}</h2>
      <DataTable
        label={title}
        caption={title}
        cardsBelow="wide"
        columns={["Search", "Reason", "Reads", "Time", ACTIONS_COLUMN]}
      >
        {searches.map((search) => (
          <Row key={search.id} search={search} onChange={onChange} />
        ))}
      </DataTable>
    </section>
  );
}

function Row({ search, onChange }: { search: PastSearch; onChange: () => void }) {
  const { name, what, justification, purpose, case_number: caseNumber } = search;
  return (
    <tr className="align-top">
      <th scope="row" className="wrap-anywhere !align-top font-normal row:w-1/3 row:min-w-60">
        {name && <span className="block font-semibold">{name}</span>}
        <span className={name ? "text-muted" : "font-medium"}>{what}</span>
        {search.service_account && (
          <span className="block text-sm text-muted">
            Through the service account {search.service_account}
          </span>
        )}
      </th>
      <td className="wrap-anywhere !align-top row:w-1/3 row:min-w-48">
        {justification}
        <span className="block text-sm text-muted">
          {[purpose && purposeLabel(purpose), caseNumber && `case ${caseNumber}`].filter(Boolean).join(", ")}
        </span>
      </td>
      <td className="!align-top">
        <Outcome search={search} />
      </td>
      <td className="!align-top">
        <LocalTime at={search.searched_at} short />
      </td>
      <td className="!align-top">
        <Actions search={search} onChange={onChange} />
      </td>
    </tr>
  );
}

const STATES = {
  running: { label: "Running", tone: "accent" },
  canceled: { label: "Canceled", tone: "neutral" },
  failed: { label: "Failed", tone: "warn" },
} as const;

function Outcome({ search: { state, reads, truncated } }: { search: PastSearch }) {
  if (state !== "done") return <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>;
  return (
    <>
      <span className="whitespace-nowrap tabular-nums">{counted(reads ?? 0, "read")}</span>
      {truncated && <span className="block text-sm text-muted">Cut off at the limit</span>}
    </>
  );
}

function Actions({ search, onChange }: { search: PastSearch; onChange: () => void }) {
  const standing = useStanding();
  const { id, tool, pinned, name } = search;
  const isPermitted = tool === "search" || mayUse("investigator", standing);
  const which = <span className="sr-only"> {name || search.what}</span>;
  const key = encodeURIComponent(id);
  const [open, again] =
    tool === "search"
      ? [`/results?id=${key}`, `/search?again=${key}`]
      : [`/investigate/${key}`, `/investigate?tool=${tool}&again=${key}`];
  const intent = pinned ? "unpin" : "pin";
  const pin = useScreenForm({
    intent,
    of: { field: "id", value: id },
    onDone({ message }) {
      notify.success(message);
      onChange();
    },
  });
  return (
    <div className="flex flex-wrap items-start gap-1.5 lg:min-w-48 xl:min-w-92 card:[&_svg]:hidden">
      {search.results_until && isPermitted && (
        <Link to={open} className={buttonClass("secondary", "sm")}>
          <FolderOpen aria-hidden="true" />
          Open
          <span className="sr-only"> the results of</span>
          {which}
        </Link>
      )}
      {isPermitted && (
        <Link to={again} className={buttonClass("secondary", "sm")}>
          <RotateCw aria-hidden="true" />
          Run again
          {which}
        </Link>
      )}
      <ScreenForm state={pin} className="contents">
        <input type="hidden" name="id" value={id} />
        <Button
          type="submit"
          size="sm"
          variant="ghost"
          icon={pinned ? <PinOff /> : <Pin />}
          pending={pin.pending}
        >
          {pinned ? "Unpin" : "Pin"}
          {which}
        </Button>
      </ScreenForm>
      <NameSearch search={search} onChange={onChange} />
    </div>
  );
}

/** The form that names a search. It is folded, and opens without scripts too. */
function NameSearch({ search, onChange }: { search: PastSearch; onChange: () => void }) {
  const { id, name } = search;
  const form = useScreenForm({
    intent: "name",
    of: { field: "id", value: id },
    keep: true,
    onDone({ message }) {
      closeDetails(form.form.current);
      notify.success(message);
      onChange();
    },
  });
  return (
    <details className="group" open={form.message !== "" || form.problem("name") !== undefined || undefined}>
      <summary className={`${buttonClass("ghost", "sm")} cursor-pointer list-none`}>
        <Pencil aria-hidden="true" />
        {name ? "Rename" : "Name"}
        <span className="sr-only"> {name || search.what}</span>
      </summary>
      <ScreenForm state={form} className="mt-1.5 flex flex-col gap-2">
        <input type="hidden" name="id" value={id} />
        <Field
          label="Name"
          hint={name ? "Leave it empty to remove the name." : undefined}
          error={form.problem("name")}
        >
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                name="name"
                controlSize="sm"
                maxLength={SAVED_NAME_MAX}
                autoComplete="off"
                defaultValue={form.value("name", name)}
              />
              <Button type="submit" size="sm" pending={form.pending} pendingLabel="Saving…">
                Save
              </Button>
            </div>
          )}
        </Field>
      </ScreenForm>
    </details>
  );
}
