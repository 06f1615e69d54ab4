import { PageLinks } from "#app/components/forms/page-links.tsx";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { PlainImage } from "#app/components/search/sighting/plain-image.tsx";
import { matchText, orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { buttonClass } from "#app/components/ui/button.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { DataTable } from "#app/components/ui/table.tsx";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import {
  RESULT_PAGE_SIZE,
  type ResultSummary,
  resultPageAddress,
  sightingAddress,
} from "#app/entities/search/result-set.ts";
import { bodyTypeText, colorText, makeText } from "#app/entities/search/vehicle-text.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { ResultsEmpty } from "./notices.tsx";
import { SourceStatuses } from "./source-statuses.tsx";
import { refineAddress, TruncatedNotice, UnfinishedNotice } from "./toolbar.tsx";

export type PlainTableProps = {
  summary: ResultSummary;
  page: number;
  pages: number;
  rows: ResultRow[];
  timeZone: string;
};

/** A page of results that works without scripts: all columns, in the order of the search, each read linked to its own page. */
export function PlainTable({ summary, page, pages, rows, timeZone }: PlainTableProps) {
  const first = (page - 1) * RESULT_PAGE_SIZE + 1;
  const links = { page, pages, to: (to: number) => resultPageAddress(summary.id, to), reloadDocument: true };
  return (
    <div className="flex w-full flex-col gap-3 px-4 py-4">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="text-lg font-semibold">Search Results</h1>
        <p className="me-auto text-muted">
          {counted(summary.count, "read")}
          {rows.length > 0 && `, showing ${numberText(first)} to ${numberText(first + rows.length - 1)}`}
        </p>
        <a href={refineAddress(summary.id)} className={buttonClass("secondary", "sm")}>
          Refine Previous Search
        </a>
        <a
          href={`/results?id=${encodeURIComponent(summary.id)}`}
          className={`${buttonClass("secondary", "sm")} noscript:hidden`}
        >
          Table and map
        </a>
      </header>
      <SourceStatuses statuses={summary.statuses} />
      <UnfinishedNotice summary={summary} />
      {summary.truncated && <TruncatedNotice />}
      {rows.length === 0 ? (
        <ResultsEmpty summary={summary} />
      ) : (
        <>
          <PageLinks {...links} />
          <DataTable
            label="Search results"
            caption={summary.request.look_alikes ? "Reads, best matches first" : "Reads, newest first"}
            density="compact"
            cardsBelow="widest"
            columns={COLUMNS}
          >
            {rows.map((read) => (
              <Row key={read.row} read={read} resultId={summary.id} timeZone={timeZone} />
            ))}
          </DataTable>
          <PageLinks {...links} label="Pages, below the table" />
        </>
      )}
    </div>
  );
}

const COLUMNS = [
  "Program",
  "Plate",
  "State",
  "Make",
  "Color",
  "Body Type",
  "Agency",
  "Camera",
  "Timestamp",
  "Vehicle Image",
  "Plate Image",
];

/** The layout of a row that is a card. */
const CARD =
  "card:items-center card:grid-cols-[1fr_auto] card:[grid-template-areas:'vehicle_vehicle'_'plate_image'_'program_time'_'state_body'_'make_color'_'agency_agency'_'camera_camera']";
const AREAS = {
  state: "card:[grid-area:state]",
  make: "card:[grid-area:make]",
  color: "card:[grid-area:color]",
  body: "card:[grid-area:body]",
  agency: "min-w-20 card:[grid-area:agency]",
  camera: "min-w-20 card:[grid-area:camera]",
};

function Row({ read, resultId, timeZone }: { read: ResultRow; resultId: string; timeZone: string }) {
  const texts = [
    ["State", read.state, AREAS.state],
    ["Make", makeText(read.make), AREAS.make],
    ["Color", colorText(read.color), AREAS.color],
    ["Body Type", bodyTypeText(read.bodyType), AREAS.body],
    ["Agency", read.agency, AREAS.agency],
    ["Camera", read.camera, AREAS.camera],
  ] as const;
  return (
    <tr className={CARD}>
      <td className="card:[grid-area:program]">
        <ProgramMark program={read.program} named />
      </td>
      <td className="card:[grid-area:plate]">
        <a href={sightingAddress(resultId, read.row)} className="underline">
          {read.plate === "" ? orMissing("") : <PlateChip text={read.plate} size="sm" />}
          <span className="sr-only">, open the sighting</span>
        </a>
        {read.match && <span className="block text-muted">{matchText(read.match)}</span>}
      </td>
      {texts.map(([column, text, area]) => (
        <td key={column} data-label={column} className={`wrap-break-word row:max-w-56 ${area}`}>
          <bdi>{orMissing(text)}</bdi>
        </td>
      ))}
      <td className="whitespace-nowrap card:[grid-area:time]">{timeText(read.capturedAt, timeZone)}</td>
      <td className="card:[grid-area:vehicle]">
        <PlainImage
          read={read}
          resultId={resultId}
          kind="vehicle"
          timeZone={timeZone}
          className="h-[203px] w-[360px] max-w-none card:aspect-video card:h-auto card:w-full card:max-w-md"
        />
      </td>
      <td className="card:[grid-area:image]">
        <PlainImage
          read={read}
          resultId={resultId}
          kind="plate"
          timeZone={timeZone}
          className="w-[120px] max-w-none"
        />
      </td>
    </tr>
  );
}
