import { useLocation } from "@remix-run/react";
import { type FormEvent, type RefObject, useEffect, useMemo, useRef } from "react";
import { type FormValues, formValues, useFormValues } from "#app/components/forms/use-form-values.ts";
import { type AgencyGroup, type AgencyOption, withAgencies } from "#app/entities/search/agencies.ts";
import {
  agencyFields,
  readSearchFields,
  type SearchFields,
  searchFieldsOf,
  type WrittenMoments,
} from "#app/entities/search/fields.ts";
import {
  clearForm,
  EDGES,
  type Edge,
  type Moment,
  momentAt,
  onClock,
  presetRange,
  type SearchForm,
  withPreset,
} from "#app/entities/search/form.ts";
import { DEFAULT_RANGE, RANGE_PRESETS, type RangePreset } from "#app/entities/search/query.ts";
import type { PlateOnly } from "#app/entities/search/request.ts";
import { SECOND } from "#app/lib/time/dates.ts";
import { fieldTime, viewerZone } from "#app/lib/time/wall-clock.ts";
import { takeHandedPlate } from "./hand-plate.ts";
import type { keepForm } from "./prefill.ts";

/** How often the pickers of an active preset advance to the current time. */
const TICK = 10 * SECOND;

type FieldsInput = {
  groups: readonly AgencyGroup[];
  initial: SearchForm;
  limitDays: number;
  /** The user whose last agencies and range fill the form; undefined if it is already filled. */
  userId: string | undefined;
  /** The user whose input is kept for Back and reload; undefined if nothing is kept. */
  ownerId: string | undefined;
  /** The plate that another screen passes. Each object fills the form once. */
  handed: PlateOnly | undefined;
  clock: () => number;
};

/**
 * The state of the search form, read from its uncontrolled fields, and functions that write to them. `form` is undefined
 * until the scripts have read the fields.
 */
export function useSearchFields(element: RefObject<HTMLFormElement>, input: FieldsInput) {
  const { groups, initial, clock } = input;
  const access = useFieldAccess(element, input);
  const { read, readNow, write, writeRange, select } = access;
  const latest = useRef({ groups, clock, readNow, writeRange, select });
  latest.current = { groups, clock, readNow, writeRange, select };

  // Once, before the first read of the form, to keep what was chosen before the scripts arrived.
  const { written } = access;
  useEffect(() => {
    const form = element.current;
    if (!form) return;
    const { groups, clock, select } = latest.current;
    written.current = takeOverPickers(form, initial, { now: clock(), before: written.current });
    for (const program of formValues(form).programs ?? []) select(optionsOf(groups, program), true);
  }, [element, initial, written]);

  const isSent = useLeftForm(element, { ...input, access });

  useEffect(() => {
    const timer = setInterval(() => {
      const { clock, readNow, writeRange } = latest.current;
      const now = readNow();
      const isInPickers = document.activeElement?.matches('[name="start"], [name="end"]');
      if (now.preset && !isInPickers) writeRange(onClock(now, clock()));
    }, TICK);
    return () => clearInterval(timer);
  }, []);

  const values = useFormValues(element);
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads the form whenever a value or the agencies change
  const form = useMemo(() => values && read(values), [values, groups]);

  return {
    form,
    /** Reads the form now; it may be newer than the last render. */
    readNow,
    /** Changes the fields, as if the user had. */
    fill: (change: (form: SearchForm) => SearchForm) => write(change(readNow())),
    clear: () => write(onClock(clearForm(), clock())),
    choosePreset: (preset: RangePreset) => writeRange(withPreset(readNow(), preset, clock())),
    moveToNow: (now: number) => writeRange(onClock(readNow(), now)),
    selectAll: (checked: boolean) =>
      select(
        groups.flatMap(({ options }) => options),
        checked,
      ),
    /** The results of the form are opening, so its content is not kept for Back. */
    noteSent: () => {
      isSent.current = true;
    },
    /** Updates dependent fields before the form is read. */
    onInputCapture: ({ target }: FormEvent) => {
      if (target !== element.current) isSent.current = false;
      if (!(target instanceof HTMLInputElement) || !element.current) return;
      if (target.name === "start" || target.name === "end") writeFields(element.current, { range: [] });
      if (target.name === "programs") select(optionsOf(groups, target.value), target.checked);
      if (target.name === "agencies" && target.type === "checkbox") clearPartialSelection(target);
    },
  };
}

/** Returns functions that read the form from its fields and write to them. `written` are the moments written last. */
function useFieldAccess(element: RefObject<HTMLFormElement>, input: FieldsInput) {
  const { groups, clock } = input;
  const written = useRef<WrittenMoments>({});

  const read = (fields: FormValues) =>
    // Program checkboxes only mirror the agency checkboxes.
    readSearchFields(
      { ...fields, programs: [] },
      { groups, zone: undefined, now: clock(), written: written.current },
    );
  const readNow = () => read(element.current ? formValues(element.current) : {});

  function write(form: SearchForm) {
    written.current = { start: form.start, end: form.end };
    if (element.current) writeFields(element.current, searchFieldsOf(form, groups));
  }

  function writeRange(form: SearchForm) {
    written.current = { start: form.start, end: form.end };
    const { range, start, end } = searchFieldsOf(form, groups);
    if (element.current && range && start && end) writeFields(element.current, { range, start, end });
  }

  function select(options: readonly AgencyOption[], checked: boolean) {
    const selected = withAgencies(readNow().selected, options, checked);
    if (element.current) writeFields(element.current, { agencies: agencyFields(groups, selected) });
  }

  return { written, read, readNow, write, writeRange, select };
}

/**
 * Fills the form with the input left in the same place, the user's last search, or a plate from another screen, and
 * keeps its fields when the form is left. Returns whether it has been sent: then its results refill it, and nothing is
 * kept.
 */
function useLeftForm(
  element: RefObject<HTMLFormElement>,
  input: FieldsInput & { access: ReturnType<typeof useFieldAccess> },
) {
  const { groups, initial, limitDays, userId, ownerId, handed, clock, access } = input;
  const { key: entry } = useLocation();
  const place = ownerId === undefined ? undefined : { userId: ownerId, entry };
  const isSent = useRef(false);
  const isPrefilled = useRef(false);
  const keeper = useRef<typeof keepForm>();

  /** The remembered choices are filled in only once: later they would overwrite what the user has entered since. */
  function prefill() {
    const isFirst = !isPrefilled.current;
    isPrefilled.current = true;
    const from = {
      userId: isFirst ? userId : undefined,
      handed: handed?.plate || (isFirst ? takeHandedPlate() : null),
      left: place && isFirst ? { place, initial } : undefined,
    };
    if (!from.handed && from.userId === undefined && !from.left) return;
    import("./prefill.ts").then(
      ({ prefilled, keepForm }) => {
        access.write(prefilled(access.readNow(), { ...from, groups, now: clock(), limitDays }));
        keeper.current = keepForm;
      },
      () => {},
    );
  }

  function keep(form: HTMLFormElement) {
    if (place && !isSent.current)
      keeper.current?.(place, searchFieldsOf(access.read(formValues(form)), groups));
  }

  const latest = useRef({ prefill, keep });
  latest.current = { prefill, keep };

  // biome-ignore lint/correctness/useExhaustiveDependencies: each plate that is handed over fills the form once
  useEffect(() => latest.current.prefill(), [handed]);

  useEffect(() => {
    const form = element.current;
    if (!form) return;
    const keep = () => latest.current.keep(form);
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, [element]);

  return isSent;
}

function optionsOf(groups: readonly AgencyGroup[], program: string): readonly AgencyOption[] {
  return groups.find((group) => group.program === program)?.options ?? [];
}

/** A click on a checkbox applies to the whole agency: cameras that an earlier search selected one by one are deselected. */
function clearPartialSelection(box: HTMLInputElement): void {
  for (const part of box.closest("li")?.querySelectorAll<HTMLInputElement>("input[type=hidden]") ?? [])
    part.disabled = true;
}

/**
 * Writes values into form fields by name and dispatches an input event on the form itself. Fields without a value stay
 * unchanged.
 */
function writeFields(form: HTMLFormElement, fields: SearchFields): void {
  const controls = [
    ...form.querySelectorAll("input"),
    ...form.querySelectorAll("select"),
    ...form.querySelectorAll("textarea"),
  ];
  for (const field of controls) {
    const values = fields[field.name];
    if (!values) continue;
    if ("checked" in field && (field.type === "checkbox" || field.type === "radio"))
      field.checked = values.includes(field.value);
    // Each hidden agency field holds one value of a list.
    else if (field.type === "hidden" && field.name === "agencies")
      field.disabled = !values.includes(field.value);
    else field.value = values[0] ?? "";
  }
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Returns a moment as a picker shows it in the viewer's time zone. */
function shownMoment(at: number): Moment {
  return { text: fieldTime(at), at };
}

/**
 * Initializes the pickers at hydration: writes the times of a preset, and converts times from the server's time zone to
 * the viewer's. A time that was typed before stays and clears the preset. Returns the moments written.
 */
function takeOverPickers(
  form: HTMLFormElement,
  initial: SearchForm,
  { now, before }: { now: number; before: WrittenMoments },
): WrittenMoments {
  const picker = (edge: Edge) => {
    const input = form.elements.namedItem(edge);
    if (!(input instanceof HTMLInputElement)) throw new TypeError(`The form has no field "${edge}".`);
    return input;
  };
  const isTyped = (edge: Edge) => {
    const { value, defaultValue } = picker(edge);
    return value !== "" && value !== (before[edge]?.text ?? defaultValue);
  };
  const typed = EDGES.filter(isTyped);
  const chosen = formValues(form).range?.[0];
  const preset = RANGE_PRESETS.find(({ key }) => key === chosen)?.key;
  const range = presetRange(preset ?? DEFAULT_RANGE, now);
  const written: WrittenMoments = {};
  for (const edge of EDGES) {
    const at = preset ? range[edge] : initial[edge].at;
    if (typed.includes(edge)) written[edge] = momentAt(picker(edge).value, edge, undefined);
    else if (at !== undefined) written[edge] = shownMoment(at);
  }
  writeFields(form, {
    ...Object.fromEntries(Object.entries(written).map(([edge, { text }]) => [edge, [text]])),
    ...(typed.length > 0 && { range: [] }),
    zone: [viewerZone()],
  });
  return written;
}
