import { ListPlus, Printer, Route } from "lucide-react";
import { type ReactNode, Suspense, useContext, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { callApi } from "#app/components/forms/api.ts";
import type { AddPlateProps } from "#app/components/hotlists/plates/add-dialog.tsx";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { ImpossibleTripNote } from "#app/components/search/impossible-trips.tsx";
import { type ResultsStore, useResults } from "#app/components/search/results/state.ts";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { NeighborButtons, useNeighborKeys } from "#app/components/ui/keys/neighbors.tsx";
import { lazyPart } from "#app/components/ui/lazy-slot.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { ARRIVAL_TIME_NOTE, type ResultRow, rowAt } from "#app/entities/search/result-columns.ts";
import { imageReference, imageUrl, type ResultSummary } from "#app/entities/search/result-set.ts";
import { mappablePlace, type Place } from "#app/entities/search/sighting.ts";
import { numberText } from "#app/lib/number-text.ts";
import { Fact, GoogleMapsLink, VehicleFacts } from "./fact.tsx";
import { PlateActions } from "./plate-actions.tsx";
import { SightingPrint } from "./print.tsx";
import { ImageSourceContext, ReadImage } from "./read-image.tsx";
import { coordinateText, imageAlt, matchText, orMissing, spelled, timeText } from "./text.ts";

// Lazy-loaded, to keep the first load of /results within its budget.
const ImageLayer = lazyPart(async () => (await import("./image-layer.tsx")).ImageLayer);

export type SightingDetailProps = {
  store: ResultsStore;
  summary: ResultSummary;
  row: number;
  /** Opens another read of the view. */
  onMove: (row: number) => void;
  onClose: () => void;
  /** The nearest address; undefined shows no line. */
  address?: string;
  /** A small map of the location. */
  map?: ReactNode;
  /** Shows the track of a plate on the map of the results. */
  onTrack?: (plate: string) => void;
  /** More buttons for the read. */
  actions?: ReactNode;
};

/** The detail of one read; the arrow keys open its neighbors in the view. */
export function SightingDetail(props: SightingDetailProps) {
  const { store, summary, row, onMove, onClose, address, map, onTrack, actions } = props;
  const columns = useResults(store, (state) => state.columns);
  const places = useResults(store, (state) => state.places);
  const view = useResults(store, (state) => state.view);
  const read = rowAt(columns, row);
  const { map: printedMap, isDrawing, printWithMap } = usePrintMap(read);
  const content = useRef<HTMLDivElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const place = places[row] ?? -1;
  const before = place > 0 ? view[place - 1] : undefined;
  const after = place >= 0 ? view[place + 1] : undefined;

  // Keys may come faster than renders: each continues from the target of the previous one.
  const move = useRef({ row, view, places, onMove });
  move.current = { row, view, places, onMove };
  useNeighborKeys(content, (direction) => {
    const now = move.current;
    const at = now.places[now.row] ?? -1;
    const to = at < 0 ? undefined : now.view[at + (direction === "next" ? 1 : -1)];
    if (to === undefined) return;
    now.row = to;
    now.onMove(to);
  });

  return (
    <Dialog
      open
      onClose={onClose}
      size="xl"
      initialFocus={next}
      title={
        <span className="flex flex-wrap items-center gap-x-3">
          Sighting
          <span className="text-base font-normal text-muted" aria-live="polite">
            {place >= 0 ? `${numberText(place + 1)} of ${numberText(view.length)}` : "hidden by the filter"}
          </span>
          {/* Tells the reads apart: the plate below is not announced when a neighbor is opened. */}
          <span className="sr-only" aria-live="polite">
            {[spelled(read.plate), read.state].filter(Boolean).join(", ") || "no plate"}
          </span>
        </span>
      }
      footer={
        <>
          <NeighborButtons
            back="Previous"
            next="Next"
            onBack={before === undefined ? undefined : () => onMove(before)}
            onNext={after === undefined ? undefined : () => onMove(after)}
            nextRef={next}
          />
          <Button icon={<Printer />} pending={isDrawing} onClick={() => void printWithMap()}>
            Print
          </Button>
          {actions}
        </>
      }
    >
      <div
        ref={content}
        className="grid gap-x-4 gap-y-3 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] md:grid-rows-[auto_1fr]"
      >
        <Images read={read} resultId={summary.id} />
        <div className="min-w-0 md:col-start-2 md:row-span-2 md:row-start-1">
          <ImpossibleTripNote columns={columns} row={row} className="mb-3" />
          <Facts
            read={read}
            address={address}
            link={`/results?id=${encodeURIComponent(summary.id)}&read=${row}`}
            onTrack={onTrack}
          />
        </div>
        <div className="min-w-0">{mappablePlace(read) ? map : <NoPlace />}</div>
      </div>
      <SightingPrint read={read} summary={summary} address={address} map={printedMap} />
    </Dialog>
  );
}

/** The images of a read. The vehicle's can be shown full screen. */
function Images({ read, resultId }: { read: ResultRow; resultId: string }) {
  const [enlarged, setEnlarged] = useState(false);
  const vehicleUrl = imageUrl(read.program, imageReference(resultId, read.row, "vehicle"));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <ReadImage
        key={read.id}
        read={read}
        kind="vehicle"
        place={-2}
        whole
        className="aspect-video w-full"
        onEnlarge={() => setEnlarged(true)}
      />
      <Suspense>
        {enlarged && (
          <ImageLayer
            open
            onClose={() => setEnlarged(false)}
            src={vehicleUrl}
            alt={imageAlt("vehicle", read)}
          />
        )}
      </Suspense>
      <ReadImage
        key={`plate-${read.id}`}
        read={read}
        kind="plate"
        place={-1}
        className="h-24 w-full max-w-72"
      />
    </div>
  );
}

type FactsProps = { read: ResultRow; link: string } & Pick<SightingDetailProps, "address" | "onTrack">;

/**
 * The button on a read that adds its plate to a hotlist. Only hotlist admins see it (specification section 6);
 * administrators are hotlist admins.
 */
function HotlistAction({ plate, state }: { plate: string; state: string }) {
  const standing = useStanding();
  if (!mayUse("hotlist-admin", standing) || plate === "") return null;
  return <AddPlateButton plate={plate} state={state} />;
}

// Lazy-loaded, to keep the first load of /results within its budget.
const AddPlateDialog = lazyPart(
  async () => (await import("#app/components/hotlists/plates/add-dialog.tsx")).default,
);

/** The button with its dialog. */
function AddPlateButton(props: AddPlateProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" icon={<ListPlus />} onClick={() => setOpen(true)}>
        Add Plate to Hotlist
      </Button>
      <Suspense>{open && <AddPlateDialog {...props} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function Facts({ read, address, link, onTrack }: FactsProps) {
  const source = useContext(ImageSourceContext);
  const place = mappablePlace(read);
  return (
    <div className="flex min-w-0 flex-col gap-4" data-result={source?.resultId}>
      {read.plate === "" ? (
        <p className="text-2xl text-muted">{MESSAGES.missing}</p>
      ) : (
        <PlateChip
          text={read.plate}
          region={read.state || undefined}
          size="lg"
          copyable
          className="max-w-full"
        />
      )}
      <PlateActions
        plate={read.plate}
        hotlist={<HotlistAction key={read.id} plate={read.plate} state={read.state} />}
        track={
          onTrack && (
            <Button icon={<Route />} onClick={() => onTrack(read.plate)}>
              Track
            </Button>
          )
        }
      />
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
        <Fact name="Program">
          <ProgramMark program={read.program} named />
        </Fact>
        {read.match && <Fact name="Match">{matchText(read.match)}</Fact>}
        <Fact name="State">{orMissing(read.state)}</Fact>
        <Fact name="Timestamp">
          {timeText(read.capturedAt)}
          {read.timeIsArrival && <span className="block text-sm text-muted">{ARRIVAL_TIME_NOTE}</span>}
        </Fact>
        <Fact name="Camera">{orMissing(read.camera)}</Fact>
        <Fact name="Agency">{orMissing(read.agency)}</Fact>
        {address !== undefined && <Fact name="Nearest address">{address}</Fact>}
        <Fact name="Coordinates">{coordinateText(read.latitude, read.longitude)}</Fact>
        <VehicleFacts read={read} />
        {read.confidence !== null && <Fact name="Confidence">{`${read.confidence}%`}</Fact>}
      </dl>
      <div className="flex flex-wrap items-center gap-2">
        {place && <GoogleMapsLink {...place} />}
        <span className="inline-flex items-center text-sm text-muted">
          <CopyButton text={`${location.origin}${link}`} label="Copy the link to this read" />
          Copy link (expires with results)
        </span>
      </div>
    </div>
  );
}

/** As tall as the map, so that the layout does not shift between reads. */
function NoPlace() {
  return (
    <p className="grid h-64 place-items-center rounded-sm border border-dashed border-line-strong bg-sunken text-sm text-muted">
      This read has no location.
    </p>
  );
}

/** After this time the page is printed without a map. */
const MAP_TIMEOUT_MS = 3000;

/** Prints the open read with a map that the server draws, as in a report; without a map if that fails. */
function usePrintMap(read: ResultRow) {
  const { id } = read;
  const [drawn, setDrawn] = useState<{ id: string; source: string }>();
  const [isDrawing, setIsDrawing] = useState(false);
  async function printWithMap(): Promise<void> {
    const place = mappablePlace(read);
    if (drawn?.id !== id && place) {
      setIsDrawing(true);
      const source = await fetchSnapshot(place);
      flushSync(() => setIsDrawing(false));
      if (source) flushSync(() => setDrawn({ id, source }));
    }
    print();
  }
  return { map: drawn?.id === id ? drawn.source : undefined, isDrawing, printWithMap };
}

async function fetchSnapshot(place: Place): Promise<string | undefined> {
  try {
    const answer = await callApi<{ map_data_uri: string }>("/generate-map-snapshot", {
      json: place,
      handles401: true,
      signal: AbortSignal.timeout(MAP_TIMEOUT_MS),
    });
    if (!answer.ok) return undefined;
    const { map_data_uri } = answer.value;
    // Decoded before the page is printed.
    const image = new Image();
    image.src = map_data_uri;
    await image.decode();
    return map_data_uri;
  } catch {
    return undefined;
  }
}
