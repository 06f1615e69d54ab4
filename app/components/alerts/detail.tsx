import { TriangleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { LazySmallMap } from "#app/components/map/lazy.tsx";
import { type AddressAnswer, addressWords } from "#app/components/map/use-address.ts";
import { ImpossibleTripText } from "#app/components/search/impossible-trips.tsx";
import { EnlargeButton } from "#app/components/search/sighting/enlarge-button.tsx";
import { GoogleMapsLink } from "#app/components/search/sighting/fact.tsx";
import { ImageLayer } from "#app/components/search/sighting/image-layer.tsx";
import { timeText } from "#app/components/search/sighting/text.ts";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import { type Alert, MATCH_WORDS, VERIFY_FIRST } from "#app/entities/alerts/hit.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { tripWords } from "#app/entities/search/impossible-trips.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { DispositionForm } from "./disposition-form.tsx";
import { AlertFacts } from "./facts.tsx";
import { AlertImage } from "./image.tsx";
import { imageAlt, orMissing, plateText } from "./text.ts";

export type AlertDetailProps = {
  alert: Alert;
  /** The nearest address, if the server rendered it with the page. */
  address?: AddressAnswer;
  onChange: (alert: Alert) => void;
};

/** One hit: comparison, vehicle image, facts, disposition and map. Used in the modal and on the hit's own page. */
export function AlertDetail({ alert, address: known, onChange }: AlertDetailProps) {
  const address = useAlertAddress(alert.id, known);
  const standing = useStanding();
  return (
    <div className="flex flex-col gap-4">
      <AlertComparison alert={alert} />
      {alert.impossible_trips.map((trip) => (
        <ImpossibleTripText
          key={trip.to.row}
          words={tripWords(trip, (time) => timeText(time).slice(11, 16))}
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
  const { latitude, longitude } = alert;
  const mappable = latitude !== null && longitude !== null && isMappable(latitude, longitude);
  return (
    <div className="flex flex-col gap-3">
      <LazySmallMap
        latitude={latitude}
        longitude={longitude}
        program={alert.source_program}
        label={plateText(alert)}
      />
      <div className="flex flex-wrap items-center gap-2">
        {mappable ? (
          <GoogleMapsLink latitude={latitude} longitude={longitude} />
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

/** Shown first: the read next to the hotlist entry, and the differences between them. */
function AlertComparison({ alert }: { alert: Alert }) {
  return (
    <section
      aria-labelledby="verify"
      className="flex flex-col gap-3 rounded-md border border-warn bg-warn-soft px-4 py-3"
    >
      <h3 id="verify" className="flex items-center gap-2 text-lg font-semibold text-warn">
        <TriangleAlert aria-hidden="true" className="size-5 shrink-0" />
        {VERIFY_FIRST}
      </h3>
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
        <Side label="Read image">
          <AlertImage
            url={alert.plate_image_url}
            alt={imageAlt("plate", alert)}
            missing="Plate image unavailable"
            whole
            className="h-16 w-full max-w-56"
          />
        </Side>
        <Side label="Read as">
          <Plate text={alert.plate} region={alert.state} />
          {alert.confidence !== null && (
            <span className="text-sm text-muted">Confidence {alert.confidence} %</span>
          )}
        </Side>
        <Side label="Listed as">
          <Plate text={alert.listed_plate} region={alert.listed_state} />
          <span className="text-sm text-muted">{MATCH_WORDS[alert.match_kind]}</span>
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
        <p>No differences between the read and the hotlist entry.</p>
      )}
    </section>
  );
}

function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="text-xs font-medium text-muted">{label}</span>
      {children}
    </div>
  );
}

function Plate({ text, region }: { text: string; region: string }) {
  if (text === "") return <span className="text-xl text-muted">{orMissing("")}</span>;
  return <PlateChip text={text} region={region || undefined} size="lg" copyable className="max-w-full" />;
}

/**
 * Returns the nearest address of a hit as text; `known` is the address that the server rendered, for browsers without
 * scripts. Only Odin's server calls the geocoder, never the browser.
 */
function useAlertAddress(id: string, known: AddressAnswer | undefined): string {
  const [found, setFound] = useState<{ id: string; text: string }>();
  useEffect(() => {
    const controller = new AbortController();
    const path = `/api/alerts/${encodeURIComponent(id)}/address`;
    callApi<AddressAnswer>(path, { handles401: true, signal: controller.signal }).then((answer) => {
      if (controller.signal.aborted) return;
      setFound({ id, text: answer.ok ? addressWords(answer.value) : MESSAGES.unavailable });
    });
    return () => controller.abort();
  }, [id]);
  if (found?.id === id) return found.text;
  return known ? addressWords(known) : "Looking it up…";
}
