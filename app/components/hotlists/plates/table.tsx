import { Paperclip, Search } from "lucide-react";
import type { ReactNode } from "react";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { SearchPlate } from "#app/components/search/sighting/plate-actions.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { ACTIONS_COLUMN, Table, TableBox, TableHead } from "#app/components/ui/table.tsx";
import { expiryState, type HotlistPlate, LIST_PARTS } from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import type { PlatePages } from "./use-pages.ts";

export type PlateTableProps = {
  pages: PlatePages;
  now: number;
  /** The zone of the viewer's agency, in which expiry dates are entered. */
  zone: string;
  actions?: (plate: HotlistPlate) => ReactNode;
  /** Actions on all plates of the part that is shown. */
  partActions?: ReactNode;
  empty: ReactNode;
};

const PART_WORDS = {
  near: "These expire within a week and are not matched after that, unless they are renewed.",
  expired: "Expired, not matched: a read of one of these plates raises no alert.",
};

const EMPTY_WORDS = {
  "in-force": "No plate of this group is active.",
  near: "No plate of this group expires soon.",
  expired: "No plate of this group has expired.",
};

function emptyWords({
  busy,
  problem,
  search,
  part,
}: Pick<PlatePages, "busy" | "problem" | "search" | "part">) {
  if (busy) return "Loading…";
  if (problem) return "The plates cannot be shown now.";
  return search === "" ? EMPTY_WORDS[part] : "No plate in this part of the list matches.";
}

/** Belongs to no form, so that Enter does not submit the one around the table. */
const NO_FORM = "no-form-plates";

const COLUMNS = [
  "Plate",
  "State",
  "Reason",
  "Notes",
  "Case",
  "Expires",
  "Date Added",
  "Added By",
  "Agency",
  "Attachment",
];

/** A group's plates. The server searches and pages them, so a million plates open as fast as ten. */
export function PlateTable({ pages, now, zone, actions, partActions, empty }: PlateTableProps) {
  const { plates, counts, part, search, busy, problem, hasMore, more, retry } = pages;
  if (counts["in-force"] + counts.expired + plates.length === 0 && search === "") return <>{empty}</>;
  return (
    <div className="flex flex-col gap-2">
      <TableControls pages={pages} />
      {part !== "in-force" && counts[part] > 0 && (
        <div
          className={cx(
            "flex flex-wrap items-center gap-3 rounded-md px-3 py-2 text-sm",
            part === "expired" ? "bg-hit-soft text-hit" : "bg-warn-soft text-warn",
          )}
        >
          <p className="me-auto font-medium">{PART_WORDS[part]}</p>
          {partActions}
        </div>
      )}
      <TableBox label="Table of hotlist vehicles" cardsBelow="narrow" className="max-h-[70dvh]">
        <Table caption="Hotlist vehicles" density="compact">
          <TableHead columns={actions ? [...COLUMNS, ACTIONS_COLUMN] : COLUMNS} />
          <tbody>
            {plates.map((plate) => (
              <Row key={plate.id} plate={plate} now={now} zone={zone}>
                {actions && (
                  <td className="bg-raised whitespace-nowrap card:col-span-2 row:sticky row:end-0 row:border-s row:border-line">
                    {actions(plate)}
                  </td>
                )}
              </Row>
            ))}
          </tbody>
        </Table>
        {plates.length === 0 && (
          <div className="flex flex-col items-center gap-2 px-4 py-8 text-center text-muted">
            <p>{emptyWords({ busy, problem, search, part })}</p>
            {problem && (
              <Button pending={busy} onClick={retry}>
                Try again
              </Button>
            )}
          </div>
        )}
      </TableBox>
      {hasMore && (
        <Button className="self-start" pending={busy} onClick={more}>
          Show more
        </Button>
      )}
    </div>
  );
}

/** The part of the list that is shown, the plate to find in it, and how many plates there are. */
function TableControls({ pages }: { pages: PlatePages }) {
  const { plates, counts, part, choosePart, search, setSearch, busy, problem, hasMore } = pages;
  const find = useTypedBefore<HTMLInputElement>(setSearch);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Segmented
        label="Part of the list"
        form={NO_FORM}
        value={part}
        onSelect={choosePart}
        options={LIST_PARTS.map(({ value, label }) => ({
          value,
          label: (
            <>
              {label} <span className="tabular-nums text-muted">{numberText(counts[value])}</span>
            </>
          ),
        }))}
      />
      <Field label="Find a plate" hideLabel className="w-72 max-w-full">
        {(control) => (
          <span className="relative">
            <Search
              aria-hidden="true"
              className="pointer-events-none absolute start-2.5 top-1/2 size-4 -translate-y-1/2 text-muted"
            />
            <Input
              {...control}
              plate
              type="search"
              form={NO_FORM}
              className="!ps-8"
              placeholder="AB1 or *23*"
              ref={find}
              defaultValue=""
              maxLength={20}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      <p className="pb-1.5 text-sm text-muted" aria-live="polite">
        {search === ""
          ? counted(counts[part], "plate")
          : busy
            ? "Searching…"
            : problem === "" && `${numberText(plates.length)}${hasMore ? " or more" : ""} found`}
      </p>
      {problem && (
        <p role="alert" className="pb-1.5 text-sm font-medium text-hit">
          {problem}
        </p>
      )}
    </div>
  );
}

const LONG = "wrap-anywhere card:col-span-2";
/** Maximum number of characters that a cell shows without being opened: about two lines. */
const SHORT_TEXT = 60;

type RowProps = Pick<PlateTableProps, "now" | "zone"> & { plate: HotlistPlate; children: ReactNode };

/** A row of the table; a card on a narrow screen. */
function Row({ plate, now, zone, children }: RowProps) {
  return (
    <tr className="card:grid-cols-2">
      <td className="card:col-span-2">
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="flex items-center gap-1.5">
            <PlateChip text={plate.plate_number} size="sm" copyable />
            {/* With actions the table is part of a form, and the search is one of them. */}
            {!children && <SearchPlate plate={plate.plate_number} compact />}
          </span>
          {plate.priority === "high" && <Badge tone="hit">High</Badge>}
          {plate.match_policy === "lookalike" && <Badge>Look-alike</Badge>}
          {/[*?]/.test(plate.plate_number) && <Badge tone="warn">Wildcard</Badge>}
          {plate.also_in.length > 0 && <AlsoIn groups={plate.also_in} />}
        </span>
      </td>
      <td data-label="State">
        {plate.state || <span className="text-muted">{MESSAGES.missing}</span>}
        {plate.state_required && <span className="ms-1 text-xs text-muted">required</span>}
      </td>
      <td data-label="Reason" className={cx(LONG, "row:min-w-36 row:max-w-56")}>
        <LongText text={plate.reason} />
      </td>
      <td data-label="Notes" className={cx(LONG, "row:min-w-40 row:max-w-72")}>
        <LongText text={plate.notes} />
      </td>
      <td data-label="Case" className="row:whitespace-nowrap">
        {plate.case_number}
      </td>
      <td data-label="Expires">
        <Expiry iso={plate.expires_at} now={now} zone={zone} />
      </td>
      <td data-label="Added" className="card:col-span-2">
        <LocalTime at={plate.created_at} short />
      </td>
      <td data-label="By" className="card:col-span-2 row:whitespace-nowrap">
        {plate.added_by_name}
      </td>
      <td data-label="Agency" className={cx(LONG, "row:min-w-48 row:max-w-56")}>
        {plate.added_by_agency}
      </td>
      <td>
        {plate.attachment_path && (
          <a
            href={`/get-hotlist-attachment-url/${encodeURIComponent(plate.attachment_path)}?plate_id=${plate.id}`}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex items-center gap-1 underline"
            title={plate.attachment_name ?? undefined}
          >
            <Paperclip aria-hidden="true" className="size-3.5" />
            Attachment<span className="sr-only"> of {plate.plate_number} (new tab)</span>
          </a>
        )}
      </td>
      {children}
    </tr>
  );
}

/** A text of any length. A row shows two lines of it until it is opened; a card shows all of it. */
function LongText({ text }: { text: string }) {
  if (text.length <= SHORT_TEXT) return text;
  return (
    <details className="group/long">
      <summary className="list-none rounded-sm row:cursor-pointer">
        <span className="row:line-clamp-2 row:group-open/long:line-clamp-none">{text}</span>
        <span aria-hidden="true" className="text-xs text-muted underline group-open/long:hidden card:hidden">
          More
        </span>
      </summary>
    </details>
  );
}

/** The other groups that have the plate: the first by name, and all of them once opened. */
function AlsoIn({ groups }: { groups: readonly string[] }) {
  const [first, ...others] = groups;
  if (others.length === 0)
    return (
      <Badge tone="warn" named>
        Also in {first}
      </Badge>
    );
  return (
    <details className="text-xs">
      <summary className="min-h-target cursor-pointer content-center rounded-sm">
        <Badge tone="warn" named>
          <span className="row:line-clamp-2">Also in {first}</span>
          {/* Outside the name, which is cut off if it is long. */}
          <span className="whitespace-nowrap"> +{others.length}</span>
        </Badge>
      </summary>
      <ul aria-label="Also in" className="flex flex-col gap-0.5 py-1 wrap-anywhere">
        {groups.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </details>
  );
}

/** Shows when an entry expires; a badge marks an expiry that is soon or past. */
function Expiry({ iso, now, zone }: Pick<PlateTableProps, "now" | "zone"> & { iso: string | null }) {
  if (iso === null) return <span className="text-muted">Never</span>;
  const state = expiryState(Date.parse(iso), now);
  return (
    <span className="inline-flex items-center gap-1.5">
      <LocalTime at={iso} zone={zone} day />
      {state === "near" && <Badge tone="warn">Soon</Badge>}
      {state === "expired" && <Badge tone="hit">Expired</Badge>}
    </span>
  );
}
