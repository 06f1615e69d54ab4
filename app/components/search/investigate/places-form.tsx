import { useCallback, useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { LazyAreaMap } from "#app/components/map/lazy.tsx";
import { ProgramMarkDrawings } from "#app/components/search/form/program-mark.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { SelectField } from "#app/components/ui/fields/labeled.tsx";
import type { WholeAgencies } from "#app/entities/search/agencies.ts";
import type { Area, ListedCamera } from "#app/entities/search/investigate/areas.ts";
import {
  AREA_KINDS,
  type AreaKind,
  areaIn,
  BOX_FIELDS,
  CIRCLE_FIELDS,
  placeField,
} from "#app/entities/search/investigate/fields.ts";
import type { FilledFields } from "#app/entities/search/investigate/fill.ts";
import { MAX_PLACES } from "#app/entities/search/investigate/request.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { InvestigationForm, StateSelect } from "./common-fields.tsx";
import { PlaceFields } from "./place-fields.tsx";
import { fieldsOf, type InvestigationState, useInvestigation } from "./use-investigation.ts";

type PlacesFormProps = {
  groups: WholeAgencies[];
  /** The first `camerasListed` are in the list of each place. */
  cameras: ListedCamera[];
  camerasListed: number;
  camerasKnown: number;
  purposeRequired: boolean;
  /** The values of a past search. */
  filled?: FilledFields;
};

const PLACES = Array.from({ length: MAX_PLACES }, (_, i) => i);
/** Number of places that every search has; the others are optional. */
const ALWAYS = 2;
/** Fields of which an optional place has at least one if it was filled in. */
const FILLED_IN = ["name", "cameras", "start", "end"] as const;

/** The form of a search of many places. A circle or a box is drawn on the map or typed; cameras are picked by name. */
export function PlacesForm(props: PlacesFormProps) {
  const { groups, cameras, camerasListed, camerasKnown, purposeRequired, filled } = props;
  const state = useInvestigation("places", filled);
  const [kinds, setKinds] = useState<readonly AreaKind[]>(() =>
    PLACES.map((place) => {
      const kind = filled?.values[placeField(place, "kind")]?.[0];
      return AREA_KINDS.find(({ value }) => value === kind)?.value ?? "cameras";
    }),
  );
  const [areas, setAreas] = useState<readonly (Area | undefined)[]>([]);
  const [active, setActive] = useState(0);
  const listed = useMemo(() => cameras.slice(0, camerasListed), [cameras, camerasListed]);
  const element = state.form;

  const read = useCallback(() => {
    if (!element.current) return;
    const fields = fieldsOf(element.current);
    setAreas(PLACES.map((place) => drawnArea(areaIn(fields, place))));
  }, [element]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields of another kind are read after they are enabled
  useEffect(read, [read, kinds]);

  function setKind(place: number, kind: AreaKind) {
    setKinds((last) => last.map((other, i) => (i === place ? kind : other)));
    setActive(place);
  }

  /** Writes a drawn area into the fields of the active place. */
  function onDraw(area: Area) {
    // The fields of another kind must be enabled before they are read.
    flushSync(() => setKind(active, area.kind));
    write(active, area);
  }

  function write(place: number, area: Area) {
    if (!element.current || area.kind === "cameras") return;
    const names = area.kind === "circle" ? CIRCLE_FIELDS : BOX_FIELDS;
    for (const name of names) {
      const input = element.current.elements.namedItem(placeField(place, name));
      const value = Reflect.get(area, name);
      if (input instanceof HTMLInputElement && typeof value === "number")
        input.value = String(Number(value.toFixed(name === "radius_miles" ? 2 : 5)));
    }
    read();
  }

  const placeOf = (place: number) => (
    <PlaceFields
      place={place}
      kind={kinds[place] ?? "cameras"}
      cameras={listed}
      camerasKnown={camerasKnown}
      state={state}
      onKind={(kind) => setKind(place, kind)}
      onFocus={() => setActive(place)}
      onArea={(area) => write(place, area)}
    />
  );
  return (
    <InvestigationForm
      tool="places"
      state={state}
      groups={groups}
      purposeRequired={purposeRequired}
      button="Search places"
      onInput={read}
    >
      <ProgramMarkDrawings />
      <p className="text-sm text-muted">
        Finds plates that were read in several places, each within its own time window. Pick cameras by name,
        or draw a circle or a box.
      </p>
      <div className="grid gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          {PLACES.map((place) =>
            place < ALWAYS ? (
              <fieldset key={place} className="min-w-0 rounded-md border border-line bg-raised p-4">
                <legend className="px-1 font-semibold">{`Place ${place + 1}`}</legend>
                {placeOf(place)}
              </fieldset>
            ) : (
              <Collapsible
                key={place}
                title={`Place ${place + 1}`}
                aside="Optional"
                defaultOpen={FILLED_IN.some((name) => state.value(placeField(place, name)) !== "")}
              >
                {placeOf(place)}
              </Collapsible>
            ),
          )}
          <Vehicle state={state} />
        </div>
        <div className="noscript:hidden lg:sticky lg:top-20 lg:self-start">
          <LazyAreaMap areas={areas} cameras={cameras} active={active} onDraw={onDraw} />
        </div>
      </div>
    </InvestigationForm>
  );
}

/** Returns an area as the map can draw it, once all its numbers are typed. */
function drawnArea(typed: Record<string, unknown> | undefined): Area | undefined {
  if (!typed) return undefined;
  const number = (name: string) => (typed[name] === "" ? Number.NaN : Number(typed[name]));
  if (typed.kind === "circle") {
    const [latitude, longitude, radius_miles] = CIRCLE_FIELDS.map(number);
    if (latitude === undefined || longitude === undefined || radius_miles === undefined) return undefined;
    if (!Number.isFinite(latitude + longitude + radius_miles)) return undefined;
    return { kind: "circle", latitude, longitude, radius_miles };
  }
  if (typed.kind === "box") {
    const [north, south, east, west] = BOX_FIELDS.map(number);
    if (north === undefined || south === undefined || east === undefined || west === undefined)
      return undefined;
    return Number.isFinite(north + south + east + west)
      ? { kind: "box", north, south, east, west }
      : undefined;
  }
  const cameras = Array.isArray(typed.cameras) ? typed.cameras.map(String) : [];
  return { kind: "cameras", cameras };
}

/** How many places, and the vehicle's description. */
function Vehicle({ state }: { state: InvestigationState }) {
  // A program may have searched for a make that the form does not list.
  const make = state.field("vehicle_make").defaultValue;
  const makes = new Set([...VEHICLE_MAKES, ...(make ? [make] : [])]);
  const choices = [
    { name: "vehicle_color", label: "Color", values: VEHICLE_COLORS.map(({ name }) => name) },
    { name: "vehicle_make", label: "Make", values: [...makes] },
    { name: "vehicle_body_type", label: "Body type", values: VEHICLE_BODY_TYPES },
  ];
  return (
    <div className="grid gap-3 rounded-md border border-line bg-raised p-4 sm:grid-cols-2">
      <SelectField {...state.field("at_least", "2")} label="Read in at least">
        {PLACES.slice(1).map((place) => (
          <option key={place} value={place + 1}>{`${place + 1} places`}</option>
        ))}
      </SelectField>
      <StateSelect state={state} />
      {choices.map(({ name, label, values }) => (
        <SelectField key={name} {...state.field(name)} label={label} aside="Optional">
          <option value="">Any</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {value}
            </option>
          ))}
        </SelectField>
      ))}
    </div>
  );
}
