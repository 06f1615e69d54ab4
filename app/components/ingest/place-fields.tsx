import { LazyPinMap } from "#app/components/map/lazy.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { coordinateText, typedCoordinate } from "#app/entities/ingest/camera.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { mappablePlace, type Place } from "#app/entities/search/sighting.ts";

/** A place as typed, while it is edited. */
export type PlaceTexts = { latitude: string; longitude: string };

export function textsOfPlace(latitude: number | null, longitude: number | null): PlaceTexts {
  return { latitude: coordinateText(latitude), longitude: coordinateText(longitude) };
}

/** Returns the typed place, or null if the coordinates are not a valid camera location. */
export function placeOfTexts(texts: PlaceTexts): Place | null {
  const [latitude, longitude] = [typedCoordinate(texts.latitude), typedCoordinate(texts.longitude)];
  return mappablePlace({ latitude: latitude ?? null, longitude: longitude ?? null });
}

export type PlaceFieldsProps = {
  texts: PlaceTexts;
  onChange: (texts: PlaceTexts) => void;
  program: SourceProgram;
  problem?: string | undefined;
};

/** A place with six decimals: typed coordinates and a map pin, kept in sync. */
export function PlaceFields({ texts, onChange, program, problem }: PlaceFieldsProps) {
  const place = placeOfTexts(texts);
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-3">
        {(["latitude", "longitude"] as const).map((name) => (
          <InputField
            key={name}
            label={name === "latitude" ? "Latitude" : "Longitude"}
            error={name === "latitude" ? problem : undefined}
            value={texts[name]}
            inputMode="decimal"
            autoComplete="off"
            maxLength={24}
            controlClass="font-mono"
            onChange={(event) => onChange({ ...texts, [name]: event.target.value })}
          />
        ))}
      </div>
      <LazyPinMap
        place={place}
        program={program}
        onMove={({ latitude, longitude }) => onChange(textsOfPlace(latitude, longitude))}
      />
    </div>
  );
}
