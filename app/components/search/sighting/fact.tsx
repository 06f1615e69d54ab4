import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "#app/components/ui/button.tsx";
import type { ResultRow } from "#app/entities/search/result-columns.ts";
import { googleMapsUrl, type Place } from "#app/entities/search/sighting.ts";
import { bodyTypeText, colorText, makeText } from "#app/entities/search/vehicle-text.ts";
import { orMissing } from "./text.ts";

/** A name and its value in a `dl`. Text from vendors may be long or written from right to left. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="max-h-40 min-w-0 overflow-auto wrap-anywhere print:max-h-none print:overflow-visible [&_time]:whitespace-normal">
        <bdi>{children}</bdi>
      </dd>
    </>
  );
}

/** Make, color and body type in plain words, with the recorded value where it differs. */
export function VehicleFacts({ read }: { read: Pick<ResultRow, "make" | "color" | "bodyType"> }) {
  const facts = [
    { name: "Make", value: read.make, text: makeText(read.make) },
    { name: "Color", value: read.color, text: colorText(read.color) },
    { name: "Body type", value: read.bodyType, text: bodyTypeText(read.bodyType) },
  ];
  return facts.map(({ name, value, text }) => (
    <Fact key={name} name={name}>
      {orMissing(text)}
      {value !== text && <span className="block text-sm text-muted">Recorded as {value}</span>}
    </Fact>
  ));
}

export function GoogleMapsLink({ latitude, longitude }: Place) {
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
