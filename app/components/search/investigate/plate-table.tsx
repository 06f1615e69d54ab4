import { Search } from "lucide-react";
import { pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { openSearchFor } from "#app/components/search/form/hand-plate.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import {
  type ConvoyAnswer,
  type ConvoyPlate,
  chanceText,
  type EvidenceRead,
  type InvestigationAnswer,
  type PlacePlate,
  type PlacesAnswer,
  placeName,
} from "#app/entities/search/investigate/answer.ts";
import { imageReference, imageUrl } from "#app/entities/search/result-set.ts";
import { numberText } from "#app/lib/number-text.ts";
import { pageOfRows } from "#app/lib/pages.ts";

/** Plates of a page; each may have sixty pairs of reads. */
const PAGE_SIZE = 10;

/** Returns the rows of a plate's evidence, in a convoy including those of the given plate beside it. */
export function rowsOfPlate(answer: InvestigationAnswer, index: number): Set<number> {
  if (answer.tool === "places") return new Set(answer.plates[index]?.places.flatMap(({ rows }) => rows));
  return new Set(answer.plates[index]?.pairs.flatMap(({ anchor_row, row }) => [anchor_row, row]));
}

/** Returns the rows of a plate's own reads. */
export function ownRowsOfPlate(answer: InvestigationAnswer, index: number): Set<number> {
  if (answer.tool === "places") return rowsOfPlate(answer, index);
  return new Set(answer.plates[index]?.pairs.map(({ row }) => row));
}

/** A page of the plates, least likely by chance first, each with its evidence. Needs no scripts. */
export function PlateTable({ answer, page: wanted }: { answer: InvestigationAnswer; page: number }) {
  const items =
    answer.tool === "places"
      ? answer.plates.map((plate, i) => (
          <PlateItem
            key={plate.plate}
            number={i + 1}
            plate={plate}
            fact={`${plate.places.length} places`}
            chance={expectedText(plate.expected_by_chance)}
          >
            <PlaceEvidence answer={answer} plate={plate} />
          </PlateItem>
        ))
      : answer.plates.map((plate, i) => (
          <PlateItem
            key={plate.plate}
            number={i + 1}
            plate={plate}
            fact={`${plate.pairs_found} times at ${plate.cameras} cameras, ${plate.trips === 1 ? "1 trip" : `${plate.trips} trips`}`}
            chance={`${roundedText(plate.lift)} times as often as by chance`}
          >
            <PairEvidence answer={answer} plate={plate} />
          </PlateItem>
        ));
  const { rows, page, pages } = pageOfRows(items, { page: wanted, size: PAGE_SIZE });
  return (
    <>
      <ol aria-label="Plates" className="flex flex-col gap-3">
        {rows}
      </ol>
      <PageLinks page={page} pages={pages} to={(to) => pageAddress(to)} />
    </>
  );
}

function PlateItem({
  number,
  plate,
  fact,
  chance,
  children,
}: {
  number: number;
  plate: PlacePlate | ConvoyPlate;
  fact: string;
  chance: string;
  children: React.ReactNode;
}) {
  return (
    <li className="rounded-md border border-line bg-raised">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
        <span className="w-6 text-end text-sm text-muted">{number}</span>
        <PlateChip text={plate.plate} region={plate.states[0]} />
        <span className="min-w-0 flex-1 basis-40">
          <span className="block wrap-anywhere">{plate.vehicle || "Vehicle not described"}</span>
          {plate.states.length > 1 && (
            <span className="block text-xs text-warn">{`Read with several states: ${plate.states.join(", ")}`}</span>
          )}
        </span>
        <span className="basis-72 max-sm:basis-full">
          <span className="block font-medium">{fact}</span>
          <span className="block text-xs text-muted">
            {chance} · chance {chanceText(plate.log10_chance)}
          </span>
        </span>
        <Button
          size="sm"
          icon={<Search />}
          className="noscript:hidden"
          aria-label={`Search this plate: ${plate.plate}`}
          onClick={() => openSearchFor(plate.plate)}
        >
          Search this plate
        </Button>
      </div>
      <details className="border-t border-line" open={number <= 3}>
        <summary className="min-h-target px-3 py-2 text-sm font-medium hover:bg-hover">Evidence</summary>
        <div className="flex flex-col gap-3 px-3 pb-3">
          {children}
          {plate.left_out > 0 && (
            <p className="text-sm text-muted">{`${plate.left_out} more are not listed.`}</p>
          )}
        </div>
      </details>
    </li>
  );
}

function PlaceEvidence({ answer, plate }: { answer: PlacesAnswer; plate: PlacePlate }) {
  return plate.places.map(({ place, rows }) => (
    <section key={place}>
      <h3 className="mb-1 text-sm font-semibold">
        {placeName(answer.request.places[place] ?? { name: "" }, place)}
      </h3>
      <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {rows.map((row) => (
          <li key={row}>
            <Read answer={answer} read={answer.reads[row]} />
          </li>
        ))}
      </ul>
    </section>
  ));
}

function PairEvidence({ answer, plate }: { answer: ConvoyAnswer; plate: ConvoyPlate }) {
  return (
    <ul className="flex flex-col gap-3">
      {plate.pairs.map(({ anchor_row, row, seconds }) => (
        <li
          key={`${anchor_row} ${row}`}
          className="grid grid-cols-[minmax(0,1fr)] items-center gap-2 sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]"
        >
          <Read answer={answer} read={answer.reads[anchor_row]} />
          <span className="text-sm text-muted">{apartText(seconds)}</span>
          <Read answer={answer} read={answer.reads[row]} />
        </li>
      ))}
    </ul>
  );
}

function Read({ answer, read }: { answer: InvestigationAnswer; read: EvidenceRead | undefined }) {
  if (!read) return null;
  const id = answer.result_id;
  return (
    <div className="flex min-w-0 gap-2 rounded-sm border border-line p-1.5">
      {read.image && (
        <img
          src={imageUrl(read.program, imageReference(id, read.row, read.image))}
          alt={read.image === "vehicle" ? `Vehicle with plate ${read.plate}` : `Plate ${read.plate}`}
          loading="lazy"
          className="h-14 w-24 shrink-0 rounded-sm bg-sunken object-cover"
        />
      )}
      <div className="min-w-0 text-sm">
        <a
          href={`/results/${encodeURIComponent(id)}/sightings/${read.row}`}
          className="flex min-h-target flex-wrap items-center gap-x-1 font-medium underline"
        >
          <span className="plate-text">{read.plate}</span> <LocalTime at={read.at} />
        </a>
        <span className="flex min-w-0 items-center gap-1 text-muted">
          <ProgramMark program={read.program} />
          <span className="min-w-0 wrap-anywhere">{read.camera}</span>
        </span>
      </div>
    </div>
  );
}

function apartText(seconds: number): string {
  const many = Math.abs(seconds);
  const apart = many < 60 ? `${many} s` : `${Math.floor(many / 60)} min ${many % 60} s`;
  return seconds < 0 ? `${apart} before` : `${apart} after`;
}

function expectedText(expected: number): string {
  return expected < 0.1
    ? "under 0.1 vehicles expected by chance"
    : `${roundedText(expected)} vehicles expected by chance`;
}

/** Returns a number without decimals from 10 on, and with one below. */
function roundedText(value: number): string {
  return value >= 10 ? numberText(Math.round(value)) : value.toFixed(1);
}
