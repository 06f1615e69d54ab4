import { addressWords } from "#app/components/map/use-address.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { MESSAGES } from "#app/entities/messages.ts";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import {
  imageReference,
  imageUrl,
  RESULT_PAGE_SIZE,
  resultPageAddress,
  sightingAddress,
} from "#app/entities/search/result-set.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { AddPlateForm } from "./add-plate-form.tsx";
import { Fact, GoogleMapsLink } from "./fact.tsx";
import { PlainImage } from "./plain-image.tsx";
import { coordinateText, numberText, orMissing, timeText } from "./text.ts";

export type PlainSightingProps = {
  resultId: string;
  count: number;
  read: ResultRow;
  address: { address: string | null; approximate: boolean; attribution: string };
  timeZone: string;
  /** What the user may add the plate to; null for users who may not. */
  groups: { id: string; name: string }[] | null;
};

/** One read as a page that needs no scripts. */
export function PlainSighting({ resultId, count, read, address, timeZone, groups }: PlainSightingProps) {
  const { row } = read;
  const image = (
    <PlainImage
      read={read}
      resultId={resultId}
      kind="vehicle"
      timeZone={timeZone}
      className="aspect-video w-full"
    />
  );
  const link = buttonClass("secondary", "sm");
  return (
    <Page width="5xl">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight">Sighting</h1>
        <p className="me-auto text-muted">
          {numberText(row + 1)} of {numberText(count)}
        </p>
        <nav aria-label="Sightings" className="flex flex-wrap gap-2">
          <a href={resultPageAddress(resultId, Math.floor(row / RESULT_PAGE_SIZE) + 1)} className={link}>
            Back to the results
          </a>
          {row > 0 && (
            <a href={sightingAddress(resultId, row - 1)} className={link}>
              Previous
            </a>
          )}
          {row + 1 < count && (
            <a href={sightingAddress(resultId, row + 1)} className={link}>
              Next
            </a>
          )}
        </nav>
      </header>
      <div className="grid gap-4 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-3">
          {read.hasVehicleImage ? (
            <a
              href={imageUrl(read.program, imageReference(resultId, row, "vehicle"))}
              aria-label="Vehicle image, full size"
            >
              {image}
            </a>
          ) : (
            image
          )}
          <PlainImage
            read={read}
            resultId={resultId}
            kind="plate"
            timeZone={timeZone}
            className="w-full max-w-72"
          />
        </div>
        <div className="flex min-w-0 flex-col items-start gap-4">
          {read.plate === "" ? (
            <p className="text-2xl text-muted">{MESSAGES.missing}</p>
          ) : (
            <PlateChip text={read.plate} region={read.state || undefined} size="lg" className="max-w-full" />
          )}
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
            <Fact name="Program">
              <ProgramMark program={read.program} named />
            </Fact>
            <Fact name="Plate">{orMissing(read.plate)}</Fact>
            <Fact name="State">{orMissing(read.state)}</Fact>
            <Fact name="Agency">{orMissing(read.agency)}</Fact>
            <Fact name="Nearest address">{addressWords(address)}</Fact>
            <Fact name="Timestamp">{timeText(read.capturedAt, timeZone)}</Fact>
            <Fact name="Camera">{orMissing(read.camera)}</Fact>
            <Fact name="Coordinates">{coordinateText(read.latitude, read.longitude)}</Fact>
            <Fact name="Make">{orMissing(read.make)}</Fact>
            <Fact name="Color">{orMissing(read.color)}</Fact>
            <Fact name="Body type">{orMissing(read.bodyType)}</Fact>
          </dl>
          {isMappable(read.latitude, read.longitude) && (
            <GoogleMapsLink latitude={read.latitude as number} longitude={read.longitude as number} />
          )}
        </div>
      </div>
      {groups && read.plate !== "" && <AddPlateForm read={read} groups={groups} />}
    </Page>
  );
}
