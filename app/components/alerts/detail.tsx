import { useState } from "react";
import { useAlertAddress } from "#app/components/alerts/history/use-address.ts";
import { LazySmallMap } from "#app/components/map/lazy.tsx";
import type { AddressAnswer } from "#app/components/map/use-address.ts";
import { EnlargeButton } from "#app/components/search/sighting/enlarge-button.tsx";
import { GoogleMapsLink } from "#app/components/search/sighting/fact.tsx";
import { ImageLayer } from "#app/components/search/sighting/image-layer.tsx";
import { useStanding } from "#app/components/shell/use-standing.ts";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { mayUse } from "#app/entities/accounts/access.ts";
import type { Alert } from "#app/entities/alerts/hit.ts";
import { isMappable } from "#app/entities/search/sighting.ts";
import { AlertComparison } from "./comparison.tsx";
import { DispositionForm } from "./disposition-form.tsx";
import { AlertFacts } from "./facts.tsx";
import { AlertImage } from "./image.tsx";
import { imageAlt, plateWords } from "./words.ts";

export type AlertDetailProps = {
  alert: Alert;
  /** The nearest address as far as the page came with it. */
  address?: AddressAnswer;
  onChange: (alert: Alert) => void;
};

/** One hit: what to verify, the vehicle, the facts, the place, and what somebody found. In the modal and as a page. */
export function AlertDetail({ alert, address: known, onChange }: AlertDetailProps) {
  const address = useAlertAddress(alert.id, known);
  const standing = useStanding();
  return (
    <div className="flex flex-col gap-4">
      <AlertComparison alert={alert} />
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
  const mappable = isMappable(latitude, longitude);
  return (
    <div className="flex flex-col gap-3">
      <LazySmallMap
        latitude={latitude}
        longitude={longitude}
        program={alert.source_program}
        label={plateWords(alert)}
      />
      <div className="flex flex-wrap items-center gap-2">
        {mappable ? (
          <GoogleMapsLink latitude={latitude as number} longitude={longitude as number} />
        ) : (
          <p className="text-muted">The camera has no place on the map.</p>
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
