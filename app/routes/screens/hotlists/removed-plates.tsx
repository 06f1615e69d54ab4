import { Link, useLoaderData, useParams } from "@remix-run/react";
import { ListX } from "lucide-react";
import { FilterField } from "#app/components/forms/filter-field.tsx";
import { OlderPages } from "#app/components/forms/older-pages.tsx";
import { revalidateUnlessFind, screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import { pageRemovedPlates } from "#app/domain/hotlists/removed-plates.ts";
import { FindRemovedPlates } from "#app/entities/hotlists/calls.ts";
import type { RemovedPlate, RemovedPlates } from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { counted } from "#app/lib/number-text.ts";

export const meta = screenTitle("Removed Plates");

export const loader = screenLoader("hotlist-admin", ({ app, actor, params }) =>
  pageRemovedPlates(app, actor, { groupId: params.id ?? "", find: "", after: null }),
);

export const action = screenAction("hotlist-admin", {
  // Sent as a form, to keep plates out of URLs.
  find: screenForm(
    FindRemovedPlates,
    ({ app, actor, params, body }) => pageRemovedPlates(app, actor, { groupId: params.id ?? "", ...body }),
    { keeps: true },
  ),
});

export const clientAction = screenClientAction;
export const shouldRevalidate = revalidateUnlessFind;

const FORM_ID = "find-removed-plates";

/** The plates that were removed from a group, with a filter and pages. */
export default function RemovedPlatesScreen() {
  const first = useLoaderData<typeof loader>();
  const { id = "" } = useParams();
  const form = useScreenForm<RemovedPlates>({
    intent: "find",
    failed: "The removed plates could not be loaded.",
    keep: true,
    onDone: () => {},
  });
  const found = form.answer?.ok ? form.answer.result : undefined;
  const { plates, older, next, searched_to } = found ?? first;
  return (
    <Page width="8xl">
      <PageHead
        title="Removed Plates"
        lead={
          <>
            Plates that are no longer on{" "}
            <Link to={`/groups/${encodeURIComponent(id)}`} className="underline">
              {first.group}
            </Link>
            . They are kept as long as its agency keeps records. Looking up a plate is recorded in the audit
            log.
          </>
        }
      />
      <ScreenForm
        state={form}
        id={FORM_ID}
        aria-label="Filter removed plates"
        className="flex flex-col gap-2"
      >
        <FilterField
          error={form.problem("find")}
          pending={form.pending}
          maxLength={40}
          placeholder="Beginning of a plate, or * and ?"
          defaultValue={form.value("find", "")}
        />
      </ScreenForm>
      {plates.length > 0 ? (
        <RemovedTable plates={plates} />
      ) : (
        <Nothing isFiltered={Boolean(found && form.value("find"))} hasMore={next !== null} />
      )}
      <OlderPages
        form={FORM_ID}
        isOlder={older}
        next={next}
        searchedTo={searched_to}
        pending={form.pending}
      />
      <p role="status" className="sr-only">
        {found && !form.pending && `${counted(plates.length, "plate")} listed`}
      </p>
    </Page>
  );
}

function RemovedTable({ plates }: { plates: readonly RemovedPlate[] }) {
  return (
    <DataTable
      label="Removed plates"
      caption="Removed plates, the latest removal first"
      cardsBelow="wide"
      columns={["Plate", "State", "Reason", "Added", "Removed"]}
    >
      {plates.map((plate) => (
        <tr key={plate.id} className="align-top">
          <th scope="row" className="!align-top font-normal">
            <PlateChip text={plate.plate} size="sm" />
          </th>
          <td className="!align-top card:empty:hidden">{plate.state}</td>
          <td className="wrap-anywhere !align-top row:min-w-48">
            {plate.reason}
            {plate.case_number && <span className="block text-sm text-muted">case {plate.case_number}</span>}
          </td>
          <td className="wrap-anywhere !align-top">
            <When word="Added" at={plate.added_at} by={[plate.added_by, plate.added_by_agency]} />
          </td>
          <td className="wrap-anywhere !align-top">
            <When word="Removed" at={plate.removed_at} by={[plate.removed_by]} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** A time and who. `word` is shown on cards, which have no column heads. */
function When({ word, at, by }: { word: string; at: string; by: string[] }) {
  return (
    <>
      <span className="text-muted row:hidden">{word} </span>
      <LocalTime at={at} short />
      <span className="block text-sm text-muted">{by.filter(Boolean).join(", ")}</span>
    </>
  );
}

function Nothing({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (isFiltered)
    return (
      <EmptyState icon={<ListX />} title="No removed plates match">
        {hasMore
          ? "Choose Older to look further."
          : "A text finds the plates that begin with it; * and ? stand for other characters."}
      </EmptyState>
    );
  return (
    <EmptyState icon={<ListX />} title="No removed plates">
      Plates are listed here once they are removed from the group, or replaced by an import.
    </EmptyState>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.groupNotFound} />;
}
