import { ListPlus, Route } from "lucide-react";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { StateOptions } from "#app/components/hotlists/plates/fields.tsx";
import { addressWords } from "#app/components/map/use-address.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { NOTES_MAX, REASON_MAX } from "#app/entities/hotlists/entry.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NearestAddress } from "#app/entities/search/address.ts";
import { ARRIVAL_TIME_NOTE, type ResultRow } from "#app/entities/search/result-columns.ts";
import {
  imageReference,
  imageUrl,
  RESULT_PAGE_SIZE,
  resultPageAddress,
  sightingAddress,
} from "#app/entities/search/result-set.ts";
import { mappablePlace } from "#app/entities/search/sighting.ts";
import { counted, numberText } from "#app/lib/number-text.ts";
import { Fact, GoogleMapsLink, VehicleFacts } from "./fact.tsx";
import { PlainImage } from "./plain-image.tsx";
import { PlateActions } from "./plate-actions.tsx";
import { coordinateText, matchText, orMissing, timeText } from "./text.ts";

export type PlainSightingProps = {
  resultId: string;
  count: number;
  read: ResultRow;
  /** The reads of the same plate in these results, newest first. */
  track: ResultRow[];
  address: NearestAddress;
  timeZone: string;
  /** The hotlist groups that the user may add the plate to; null for users without that right. */
  groups: { id: string; name: string }[] | null;
};

/** One read as a page that works without scripts. */
export function PlainSighting(props: PlainSightingProps) {
  const { resultId, count, read, track, address, timeZone, groups } = props;
  const { row } = read;
  const place = mappablePlace(read);
  const image = (
    <PlainImage
      read={read}
      resultId={resultId}
      kind="vehicle"
      timeZone={timeZone}
      className="aspect-video w-full"
    />
  );
  return (
    <Page width="5xl">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <PageTitle>Sighting</PageTitle>
        <p className="me-auto text-muted">
          {numberText(row + 1)} of {numberText(count)}
        </p>
        <SightingLinks resultId={resultId} row={row} count={count} />
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
          <PlateActions
            plate={read.plate}
            hotlist={
              groups && (
                <a href="#add-plate" className={buttonClass()}>
                  <ListPlus aria-hidden="true" />
                  Add Plate to Hotlist
                </a>
              )
            }
            track={
              <a href="#track" className={buttonClass()}>
                <Route aria-hidden="true" />
                Track
              </a>
            }
          />
          <PlainFacts read={read} address={address} timeZone={timeZone} />
          {place && <GoogleMapsLink {...place} />}
        </div>
      </div>
      {read.plate !== "" && <TrackTable row={row} resultId={resultId} track={track} timeZone={timeZone} />}
      {groups && read.plate !== "" && <AddPlateForm read={read} groups={groups} />}
    </Page>
  );
}

type SightingLinksProps = Pick<PlainSightingProps, "resultId" | "count"> & { row: number };

/** Links to the results and to the neighboring reads. */
function SightingLinks({ resultId, row, count }: SightingLinksProps) {
  const link = buttonClass("secondary", "sm");
  return (
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
  );
}

type PlainFactsProps = Pick<PlainSightingProps, "read" | "address" | "timeZone">;

function PlainFacts({ read, address, timeZone }: PlainFactsProps) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
      <Fact name="Program">
        <ProgramMark program={read.program} named />
      </Fact>
      <Fact name="Plate">
        <span className="plate-text">{orMissing(read.plate)}</span>
      </Fact>
      {read.match && <Fact name="Match">{matchText(read.match)}</Fact>}
      <Fact name="State">{orMissing(read.state)}</Fact>
      <Fact name="Agency">{orMissing(read.agency)}</Fact>
      <Fact name="Nearest address">{addressWords(address)}</Fact>
      <Fact name="Timestamp">
        {timeText(read.capturedAt, timeZone)}
        {read.timeIsArrival && <span className="block text-sm text-muted">{ARRIVAL_TIME_NOTE}</span>}
      </Fact>
      <Fact name="Camera">{orMissing(read.camera)}</Fact>
      <Fact name="Coordinates">{coordinateText(read.latitude, read.longitude)}</Fact>
      <VehicleFacts read={read} />
      {read.confidence !== null && <Fact name="Confidence">{`${read.confidence}%`}</Fact>}
    </dl>
  );
}

type TrackTableProps = Pick<PlainSightingProps, "resultId" | "track" | "timeZone"> & { row: number };

/** Where and when the results have the same plate; the map that shows it needs scripts. */
function TrackTable({ row, resultId, track, timeZone }: TrackTableProps) {
  return (
    <section aria-labelledby="track" className="rounded-md border border-line bg-raised p-4">
      <h2 id="track" className="mb-3 text-lg font-semibold">
        Track: {counted(track.length, "read")} of this plate in these results
      </h2>
      <ol className="flex flex-col gap-1">
        {track.map((read) => (
          <li key={read.row} className="wrap-anywhere">
            <a
              href={sightingAddress(resultId, read.row)}
              aria-current={read.row === row ? "true" : undefined}
              className="inline-block py-0.5 underline aria-[current]:font-semibold"
            >
              {timeText(read.capturedAt, timeZone)}, {orMissing(read.camera)}
            </a>
            {read.timeIsArrival && <span className="text-sm text-muted"> {ARRIVAL_TIME_NOTE}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

type AddPlateFormProps = {
  read: { plate: string; state: string };
  groups: { id: string; name: string }[];
};

/** Adds the plate of a sighting to a hotlist. Works without scripts. */
function AddPlateForm({ read, groups }: AddPlateFormProps) {
  const form = useScreenForm({ intent: "add-plate", failed: MESSAGES.hotlistFailed });
  return (
    <section aria-labelledby="add-plate" className="rounded-md border border-line bg-raised p-4">
      <h2 id="add-plate" className="mb-3 text-lg font-semibold">
        Add Plate to Hotlist
      </h2>
      <ScreenForm state={form} aria-labelledby="add-plate" className="flex max-w-xl flex-col gap-3">
        <input type="hidden" name="plate_number" value={read.plate} />
        <SelectField
          {...form.field("group_id", "")}
          label="Group"
          required
          hint={groups.length === 0 ? "Your agency has no group yet. Create one under Alerts." : undefined}
        >
          <option value="">Select a group</option>
          {groups.map((group) => (
            <option key={group.id} value={group.id}>
              {group.name}
            </option>
          ))}
        </SelectField>
        <InputField {...form.field("reason")} label="Reason" required maxLength={REASON_MAX} />
        <SelectField {...form.field("state", read.state)} label="State" hint="Optional">
          <option value="">Any state</option>
          <StateOptions current={read.state} />
        </SelectField>
        <TextareaField
          {...form.field("notes")}
          label="Notes"
          hint="Optional"
          rows={3}
          maxLength={NOTES_MAX}
        />
        <SubmitButton state={form} pendingLabel="Saving...">
          Add Plate to Hotlist
        </SubmitButton>
      </ScreenForm>
    </section>
  );
}
