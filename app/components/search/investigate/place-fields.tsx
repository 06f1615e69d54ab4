import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { ProgramMark } from "#app/components/search/form/program-mark.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { Segmented } from "#app/components/ui/fields/segmented.tsx";
import type { Area, ListedCamera } from "#app/entities/search/investigate/areas.ts";
import {
  AREA_KINDS,
  type AreaKind,
  BOX_FIELDS,
  placeField,
} from "#app/entities/search/investigate/fields.ts";
import { MAX_RADIUS_MILES } from "#app/entities/search/investigate/request.ts";
import { uniqueById } from "#app/lib/at.ts";
import { numberText } from "#app/lib/number-text.ts";
import { TimePicker } from "./common-fields.tsx";
import type { InvestigationState } from "./use-investigation.ts";

const DEFAULT_RADIUS = "0.5";

/**
 * One place: cameras, a circle or a box, and its window. Choices for another kind are kept, but not sent. Without
 * scripts only cameras can be picked.
 */
export function PlaceFields({
  place,
  kind,
  cameras,
  camerasKnown,
  state,
  onKind,
  onFocus,
  onArea,
}: {
  place: number;
  kind: AreaKind;
  cameras: readonly ListedCamera[];
  camerasKnown: number;
  state: InvestigationState;
  onKind: (kind: AreaKind) => void;
  /** The place is being edited, so that drawing on the map changes it. */
  onFocus: () => void;
  onArea: (area: Area) => void;
}) {
  const name = (field: string) => placeField(place, field);
  const problem = state.problem(name("area"));
  const errorId = useId();
  return (
    <div className="flex flex-col gap-3" onFocusCapture={onFocus}>
      <input type="hidden" name={name("kind")} value={kind} />
      <div className="flex flex-wrap items-end gap-3">
        <InputField
          {...state.field(name("name"))}
          label="Name"
          aside="Optional"
          className="min-w-40 flex-1"
          maxLength={60}
          placeholder={`Place ${place + 1}`}
        />
        <Segmented
          className="noscript:hidden"
          label={`Place ${place + 1} is defined by`}
          options={AREA_KINDS}
          value={kind}
          onSelect={onKind}
        />
      </div>
      <fieldset
        className="min-w-0"
        tabIndex={problem ? -1 : undefined}
        aria-label={`Location of place ${place + 1}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? errorId : undefined}
      >
        <FieldsOfKind isChosen={kind === "cameras"}>
          <CameraList place={place} cameras={cameras} known={camerasKnown} state={state} />
        </FieldsOfKind>
        <FieldsOfKind isChosen={kind === "circle"}>
          <CircleFields place={place} state={state} onArea={onArea} />
        </FieldsOfKind>
        <FieldsOfKind isChosen={kind === "box"}>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            {BOX_FIELDS.map((edge) => (
              <InputField
                key={edge}
                label={`${edge.slice(0, 1).toUpperCase()}${edge.slice(1)} edge`}
                name={name(edge)}
                inputMode="decimal"
                defaultValue={state.value(name(edge))}
              />
            ))}
          </div>
        </FieldsOfKind>
        <p id={errorId} role="alert" className="text-xs font-medium text-hit empty:hidden">
          {problem}
        </p>
      </fieldset>
      <div className="grid gap-3 sm:grid-cols-2">
        <TimePicker label="From" edge="start" name={name("start")} state={state} />
        <TimePicker label="To" edge="end" name={name("end")} state={state} />
      </div>
    </div>
  );
}

/** The fields of one kind of place; hidden, and not part of the form, while another kind is chosen. */
function FieldsOfKind({ isChosen, children }: { isChosen: boolean; children: ReactNode }) {
  return (
    <fieldset className="min-w-0" disabled={!isChosen} hidden={!isChosen}>
      {children}
    </fieldset>
  );
}

/** Lists longer than this get a filter. */
const FILTER_ABOVE = 8;
/** Delay after typing before the server searches for unlisted cameras. */
const PAUSE_MS = 300;
/** Minimum length of the filter: a shorter one fits most cameras. */
const LEAST_LETTERS = 2;

function CameraList({
  place,
  cameras,
  known,
  state,
}: {
  place: number;
  cameras: readonly ListedCamera[];
  known: number;
  state: InvestigationState;
}) {
  const [filter, setFilter] = useState("");
  const needle = filter.trim().toLowerCase();
  const sent = state.values?.[placeField(place, "cameras")] ?? [];
  const { found, problem } = useFoundCameras(known > cameras.length ? needle : "");
  const listed = uniqueById([...cameras, ...found]);
  if (known === 0)
    return (
      <p className="text-sm text-muted">
        No cameras are known yet. Draw a circle or a box instead; cameras are listed once their reads were
        found.
      </p>
    );
  return (
    <>
      {(known > cameras.length || known > FILTER_ABOVE) && (
        <Input
          type="search"
          controlSize="sm"
          className="mb-1 noscript:hidden"
          aria-label={`Filter cameras of place ${place + 1}`}
          placeholder={`Filter ${numberText(known)} cameras`}
          // Belongs to no form, so that Enter does not start the search.
          form={`no-form-${place}`}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <ul
        aria-label={`Cameras of place ${place + 1}`}
        className="max-h-52 overflow-auto rounded-sm border border-line p-1 empty:hidden"
      >
        {listed.map(({ id, name, agency, program }) => (
          <li key={id} hidden={!hasWords(`${name} ${agency}`, needle)}>
            <Checkbox
              className="w-full"
              name={placeField(place, "cameras")}
              value={id}
              defaultChecked={sent.includes(id)}
              label={
                <>
                  <ProgramMark program={program} shared /> {name}{" "}
                  <span className="text-xs text-muted">{agency}</span>
                </>
              }
            />
          </li>
        ))}
      </ul>
      {known > cameras.length && (
        <p className="mt-1 text-xs text-muted" role={problem ? "alert" : undefined}>
          {problem ||
            `${numberText(cameras.length)} of ${numberText(known)} cameras are listed. Find others by name or agency, or use a circle or a box.`}
        </p>
      )}
    </>
  );
}

const hasWords = (text: string, needle: string) =>
  needle.split(/\s+/).every((word) => text.toLowerCase().includes(word));

/** Finds cameras by words of their name or agency. Returns all that were found since, so that picked ones stay. */
function useFoundCameras(needle: string): { found: readonly ListedCamera[]; problem: string } {
  const [answer, setAnswer] = useState<{ found: readonly ListedCamera[]; problem: string }>({
    found: [],
    problem: "",
  });
  useEffect(() => {
    if (needle.length < LEAST_LETTERS) return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await callApi<{ cameras: ListedCamera[] }>(
        `/investigation-cameras?find=${encodeURIComponent(needle)}`,
        { failed: "The other cameras could not be looked up.", signal: controller.signal },
      );
      if (controller.signal.aborted) return;
      if (answer.ok) setAnswer(({ found }) => ({ found: [...found, ...answer.value.cameras], problem: "" }));
      else setAnswer(({ found }) => ({ found, problem: answer.message }));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [needle]);
  return answer;
}

/** A circle: typed, drawn on the map, or around an address that Odin's server looks up. */
function CircleFields({
  place,
  state,
  onArea,
}: {
  place: number;
  state: InvestigationState;
  onArea: (area: Area) => void;
}) {
  const [address, setAddress] = useState("");
  const [finding, setFinding] = useState<{ busy: boolean; problem?: string; found?: string }>({
    busy: false,
  });
  const name = (field: string) => placeField(place, field);

  const latest = useRef<AbortController>();
  useEffect(() => () => latest.current?.abort(), []);

  async function find() {
    latest.current?.abort();
    const controller = new AbortController();
    latest.current = controller;
    setFinding({ busy: true });
    const answer = await callApi<{ name: string; latitude: number; longitude: number }>("/map/find-place", {
      json: { text: address },
      failed: "The address could not be looked up.",
      signal: controller.signal,
    });
    if (controller.signal.aborted) return;
    if (!answer.ok) return setFinding({ busy: false, problem: answer.message });
    const { latitude, longitude } = answer.value;
    const typed = state.form.current?.elements.namedItem(name("radius_miles"));
    const radius = typed instanceof HTMLInputElement ? Number(typed.value) : Number.NaN;
    setFinding({ busy: false, found: answer.value.name });
    onArea({
      kind: "circle",
      latitude,
      longitude,
      radius_miles: radius > 0 ? radius : Number(DEFAULT_RADIUS),
    });
  }

  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-end gap-2">
        <InputField
          label="Address or town"
          className="flex-1"
          error={finding.problem}
          hint={finding.found ? `Found: ${finding.found}` : undefined}
          form={`no-form-${place}`}
          maxLength={200}
          placeholder="Main St, Hartford, CT"
          onChange={(event) => setAddress(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            void find();
          }}
        />
        <Button pending={finding.busy} disabled={address.trim() === ""} onClick={() => void find()}>
          Find
        </Button>
      </div>
      <div className="grid grid-cols-3 gap-3">
        <InputField
          label="Latitude"
          name={name("latitude")}
          inputMode="decimal"
          defaultValue={state.value(name("latitude"))}
        />
        <InputField
          label="Longitude"
          name={name("longitude")}
          inputMode="decimal"
          defaultValue={state.value(name("longitude"))}
        />
        <InputField
          label="Radius (miles)"
          aside={`≤ ${MAX_RADIUS_MILES}`}
          name={name("radius_miles")}
          inputMode="decimal"
          defaultValue={state.value(name("radius_miles"), DEFAULT_RADIUS)}
        />
      </div>
    </div>
  );
}
