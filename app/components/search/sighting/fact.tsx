import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "#app/components/ui/button.tsx";
import { googleMapsUrl } from "#app/entities/search/sighting.ts";

/** A name and its value in a `dl`. Text from vendors may be long or right to left. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="max-h-40 min-w-0 overflow-auto wrap-anywhere">
        <bdi>{children}</bdi>
      </dd>
    </>
  );
}

export function GoogleMapsLink({ latitude, longitude }: { latitude: number; longitude: number }) {
  return (
    <a
      href={googleMapsUrl(latitude, longitude)}
      target="_blank"
      rel="noreferrer noopener"
      className={buttonClass("secondary", "sm")}
    >
      Open in Google Maps
      <ExternalLink aria-hidden="true" />
      <span className="sr-only">(new tab)</span>
    </a>
  );
}
