import { TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { LazySmallMap } from "#app/components/map/lazy.tsx";
import { addressWords } from "#app/components/map/use-address.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { ImpossibleTripText } from "#app/components/search/impossible-trips.tsx";
import { EnlargeButton } from "#app/components/search/sighting/enlarge-button.tsx";
import { Fact, GoogleMapsLink } from "#app/components/search/sighting/fact.tsx";
import { ImageLayer } from "#app/components/search/sighting/image-layer.tsx";
import { SearchPlate } from "#app/components/search/sighting/plate-actions.tsx";
import { orMissing, timeText } from "#app/components/search/sighting/text.ts";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import { useViewerZone } from "#app/components/ui/local-time.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { type Alert, VERIFY_FIRST } from "#app/entities/alerts/hit.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { NearestAddress } from "#app/entities/search/address.ts";
import { tripWords } from "#app/entities/search/analysis/impossible-trips.ts";
import { mappablePlace } from "#app/entities/search/sighting.ts";
import { vehicleText } from "#app/entities/search/vehicle-text.ts";
import { DispositionForm } from "./disposition-form.tsx";
import { AlertImage } from "./image.tsx";
import { HitAge, HitMark, PriorityBadge } from "./summary.tsx";
import { imageAlt, plateText } from "./text.ts";
import { AlertTime, useSeconds } from "./time.tsx";

export type AlertDetailProps = {
  alert: Alert;
  /** The nearest address, if the server rendered it with the page. */
  address?: NearestAddress;
  onChange: (alert: Alert) => void;
};

/** One hit: comparison, vehicle image, facts, disposition and map. Used in the modal and on the hit's own page. */
export function AlertDetail({ alert, address: rendered, onChange }: AlertDetailProps) {
  const address = useAlertAddress(alert.id, rendered);
  const standing = useStanding();
  const zone = useViewerZone();
  return (
    <div className="flex flex-col gap-4">
      <AlertSummary alert={alert} />
      <AlertComparison alert={alert} />
      {alert.impossible_trips.map((trip) => (
        <ImpossibleTripText
          key={trip.to.row}
          words={tripWords(trip, (time) => timeText(time, zone).slice(11, 16))}
        />
      ))}
      <div className="grid gap-4 md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <VehicleImage key={alert.image_url} alert={alert} />
        <AlertFacts alert={alert} address={address} />
      </div>
      <DispositionForm
        key={alert.id}
        alert={alert}
        mayClear={mayUse("hotlist-admin", standing)}
        onChange={onChange}
      />
      <Place alert={alert} />
    </div>
  );
}

function VehicleImage({ alert }: { alert: Alert }) {
  const [enlarged, setEnlarged] = useState(false);
  const [failed, setFailed] = useState(false);
  const alt = imageAlt("vehicle", alert);
  const image = (
    <AlertImage
      url={alert.image_url}
      alt={alt}
      whole
      className="aspect-video w-full"
      onFail={() => setFailed(true)}
    />
  );
  if (alert.image_url === null || failed) return image;
  return (
    <>
      <EnlargeButton kind="vehicle" onEnlarge={() => setEnlarged(true)}>
        {image}
      </EnlargeButton>
      <ImageLayer open={enlarged} onClose={() => setEnlarged(false)} src={alert.image_url} alt={alt} />
    </>
  );
}

function Place({ alert }: { alert: Alert }) {
  const place = mappablePlace(alert);
  return (
    <div className="flex flex-col gap-3">
      <LazySmallMap
        latitude={alert.latitude}
        longitude={alert.longitude}
        program={alert.source_program}
        label={plateText(alert)}
      />
      <div className="flex flex-wrap items-center gap-2">
        {place ? (
          <GoogleMapsLink {...place} />
        ) : (
          <p className="text-muted">The location of the camera is unknown.</p>
        )}
        <span className="inline-flex items-center text-sm text-muted noscript:hidden">
          <AlertLink id={alert.id} />
          Link to this hit
        </span>
      </div>
    </div>
  );
}

function AlertLink({ id }: { id: string }) {
  const path = `/alert-history-detail/${encodeURIComponent(id)}`;
  const origin = typeof location === "undefined" ? "" : location.origin;
  return <CopyButton text={`${origin}${path}`} label="Copy the link to this hit" />;
}

/**
 * The first facts: why the plate is listed, how urgent it is, where the camera is and how long ago it read the plate.
 */
function AlertSummary({ alert }: { alert: Alert }) {
  const now = useSeconds(true);
  return (
    <div
      className={cx(
        "flex flex-col gap-1 border-s-4 ps-3",
        alert.priority === "high" ? "border-s-hit" : "border-s-accent",
      )}
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <HitMark />
        <PriorityBadge priority={alert.priority} />
        <span>{alert.match}</span>
      </p>
      <p className="text-lg font-semibold wrap-anywhere">{orMissing(alert.justification)}</p>
      <p className="text-muted wrap-anywhere">
        {alert.group.name} · {alert.camera || "camera unknown"} · <HitAge hit={alert} now={now} />
      </p>
    </div>
  );
}

/** The read next to the hotlist entry, and the differences between them. */
function AlertComparison({ alert }: { alert: Alert }) {
  return (
    <section
      aria-labelledby="verify"
      className="flex flex-col gap-3 rounded-md border border-warn bg-warn-soft px-4 py-3"
    >
      <h2 id="verify" className="flex items-center gap-2 text-lg font-semibold text-warn">
        <TriangleAlert aria-hidden="true" className="size-5 shrink-0" />
        {VERIFY_FIRST}
      </h2>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <Side label="Read image">
          <AlertImage
            url={alert.plate_image_url}
            alt={imageAlt("plate", alert)}
            missing="Plate image unavailable"
            whole
            className="h-16 w-full max-w-56"
          />
        </Side>
        <Side label="Camera read">
          <Plate text={alert.plate} region={alert.state} />
          {alert.confidence !== null && <span className="text-sm">Confidence {alert.confidence}%</span>}
        </Side>
        <Side label="Hotlist entry">
          <Plate text={alert.listed_plate} region={alert.listed_state} />
          <span className="text-sm">{alert.match}</span>
        </Side>
      </div>
      {alert.differences.length > 0 ? (
        <ul aria-label="Differences" className="flex list-disc flex-col gap-0.5 ps-5 font-medium">
          {alert.differences.map((difference) => (
            <li key={difference} className="wrap-anywhere">
              {difference}
            </li>
          ))}
        </ul>
      ) : (
        <p>Read matches the hotlist entry.</p>
      )}
      <PlateSearches read={alert.plate} listed={alert.listed_plate} />
    </section>
  );
}

/** Searches the plate that was read, and the listed one if it differs. */
function PlateSearches({ read, listed }: { read: string; listed: string }) {
  const isSame = read === "" || read === listed;
  return (
    <div className="flex flex-wrap gap-2">
      {isSame ? (
        <SearchPlate plate={listed} size="sm" />
      ) : (
        <>
          <SearchPlate plate={read} size="sm" label={`Search this plate: ${read}`} />
          <SearchPlate plate={listed} size="sm" label={`Search the listed plate: ${listed}`} />
        </>
      )}
    </div>
  );
}

function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex max-w-full min-w-52 flex-1 basis-auto flex-col gap-1">
      <span className="text-xs font-medium">{label}</span>
      {children}
    </div>
  );
}

/** A plate that is wider than the window continues on the next line: cut off, it would look like another plate. */
const WHOLE_PLATE = "max-w-full whitespace-normal wrap-anywhere text-start";

function Plate({ text, region }: { text: string; region: string }) {
  if (text === "") return <span className="text-xl text-muted">{orMissing("")}</span>;
  return <PlateChip text={text} region={region || undefined} size="lg" copyable className={WHOLE_PLATE} />;
}

/**
 * Returns the nearest address of a hit as text; `rendered` is the address that the server rendered, for browsers without
 * scripts. Only Odin's server calls the geocoder, never the browser.
 */
function useAlertAddress(id: string, rendered: NearestAddress | undefined): string {
  const [found, setFound] = useState<{ id: string; text: string }>();
  useEffect(() => {
    const controller = new AbortController();
    const path = `/api/alerts/${encodeURIComponent(id)}/address`;
    callApi<NearestAddress>(path, { handles401: true, signal: controller.signal }).then((answer) => {
      if (controller.signal.aborted) return;
      setFound({ id, text: answer.ok ? addressWords(answer.value) : MESSAGES.unavailable });
    });
    return () => controller.abort();
  }, [id]);
  if (found?.id === id) return found.text;
  return rendered ? addressWords(rendered) : "Looking it up…";
}

const PANELS = [
  { value: "read", label: "Details" },
  { value: "entry", label: "Hotlist entry" },
] as const;

const FACTS = "grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2";

/** Facts of the read and, in a second panel, of the hotlist entry. */
function AlertFacts({ alert, address }: { alert: Alert; address: string }) {
  const [panel, setPanel] = useState<(typeof PANELS)[number]["value"]>("read");
  const read = <ReadFacts alert={alert} address={address} />;
  const entry = <EntryFacts alert={alert} />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Segmented
        label="Details panel"
        options={PANELS}
        value={panel}
        onSelect={setPanel}
        size="sm"
        className="noscript:hidden print:hidden"
      />
      <dl className={cx("grid", FACTS)}>{panel === "read" ? read : entry}</dl>
      {/* Without scripts and on paper, both panels are shown. */}
      <dl className={cx("hidden noscript:grid print:grid", FACTS)}>{panel === "read" ? entry : read}</dl>
    </div>
  );
}

function ReadFacts({ alert, address }: { alert: Alert; address: string }) {
  return (
    <>
      <Fact name="Source">
        <ProgramMark program={alert.source_program} named />
      </Fact>
      <Fact name="Plate">
        <span className="plate-text">{orMissing(alert.plate)}</span>
      </Fact>
      <Fact name="State">{orMissing(alert.state)}</Fact>
      <Fact name="Timestamp">
        <AlertTime iso={alert.timestamp} />
      </Fact>
      <Fact name="Camera">{orMissing(alert.camera)}</Fact>
      <Fact name="Agency">{orMissing(alert.agency)}</Fact>
      <Fact name="Reason">{orMissing(alert.justification)}</Fact>
      <Fact name="Nearest Address">{address}</Fact>
      <Fact name="Vehicle">{orMissing(vehicleText(alert))}</Fact>
    </>
  );
}

function EntryFacts({ alert }: { alert: Alert }) {
  return (
    <>
      <Fact name="Added to Hotlist">
        <AlertTime iso={alert.date_added} />
      </Fact>
      <Fact name="Notes">
        <span className="whitespace-pre-line">{orMissing(alert.notes)}</span>
      </Fact>
      <Fact name="Group">{alert.group.name}</Fact>
      <Fact name="Added by">
        {orMissing([alert.added_by, alert.added_by_agency].filter(Boolean).join(", "))}
      </Fact>
      <Fact name="Case">{orMissing(alert.case_number)}</Fact>
      <Fact name="Priority">
        <PriorityBadge priority={alert.priority} />
      </Fact>
    </>
  );
}
