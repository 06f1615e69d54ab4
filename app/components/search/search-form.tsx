import { useNavigate } from "@remix-run/react";
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { sessionHasEnded } from "#app/components/account/session-end.ts";
import { useHotkey } from "#app/components/ui/use-hotkey.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { SearchRequest } from "#app/entities/search-request.ts";
import { SECOND } from "#app/lib/dates.ts";
import { AgencyFields } from "./agency-fields.tsx";
import { agencyGroups, chosenOptions, type FormAgencies } from "./agency-options.ts";
import { fieldId, focusFirstProblem } from "./field-id.ts";
import {
  clearForm,
  type FieldName,
  type SearchForm as Form,
  fieldOfRefusal,
  onClock,
  type Problems,
  refillForm,
  withPreset,
  withTyped,
} from "./form-state.ts";
import { takeHandedPlate } from "./hand-plate.ts";
import { withHandedPlate } from "./handed-plate.ts";
import { PlateAndReason } from "./plate-and-reason.tsx";
import { RangeFields } from "./range-fields.tsx";
import type { SearchOutcome } from "./run-search.ts";
import { SearchBar } from "./search-bar.tsx";
import { OverlaySlot } from "./search-overlay-slot.tsx";
import { useSearch } from "./use-search.ts";
import { VehicleFields } from "./vehicle-fields.tsx";
import { zoneName } from "./wall-clock.ts";

export type SearchFormProps = {
  agencies: FormAgencies;
  /** The agency lists failed to load. */
  unavailable: boolean;
  /** The request to refine. */
  previous: SearchRequest | null;
  /** The longest range that the agency's policy allows. */
  limitDays: number;
  /** And whether it wants a case number, or a purpose, with every search. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
};

/** What checks a form before it is sent: no first load pays for it. */
const submission = () => import("./submit-form.ts");

/** How often an active range button's range moves along in the pickers. */
const TICK = 10 * SECOND;

export function SearchForm({
  agencies,
  unavailable,
  previous,
  limitDays,
  caseNumberRequired,
  purposeRequired,
}: SearchFormProps) {
  const groups = useMemo(() => agencyGroups(agencies), [agencies]);
  const [form, setForm] = useState<Form>(() => (previous ? refillForm(previous, groups) : clearForm()));
  const [problems, setProblems] = useState<Problems>({});
  const [notice, setNotice] = useState("");
  const [zone, setZone] = useState("");
  const element = useRef<HTMLFormElement>(null);
  const rangeId = useId();
  const navigate = useNavigate();
  const search = useSearch(onOutcome);

  useEffect(() => {
    // Fetched while the form is filled; whoever is quicker waits for it when sending.
    submission().catch(() => {});
    setZone(zoneName());
    // What was typed before this script ran stands in the page only.
    const typed = (field: FieldName) =>
      (document.getElementById(fieldId(field)) as HTMLInputElement | null)?.value;
    const handed = takeHandedPlate();
    if (handed) setForm((last) => withHandedPlate(last, handed, { groups, now: Date.now(), limitDays }));
    setForm((last) => ({
      ...onClock(last, Date.now()),
      plate: typed("plate") || last.plate,
      justification: typed("justification") || last.justification,
      caseNumber: typed("caseNumber") || last.caseNumber,
      purpose: typed("purpose") || last.purpose,
    }));
    const timer = setInterval(() => {
      const inPickers = document.getElementById(rangeId)?.contains(document.activeElement);
      if (!inPickers) setForm((last) => (last.preset ? onClock(last, Date.now()) : last));
    }, TICK);
    return () => clearInterval(timer);
  }, [rangeId, groups, limitDays]);

  useEffect(() => {
    // What reads like a purpose that the law forbids is said before the search, not after it.
    import("#app/entities/prohibited-purpose.ts").then(
      ({ prohibitedNotice }) => setNotice(prohibitedNotice(form.justification)),
      () => {},
    );
  }, [form.justification]);

  useHotkey("/", (event) => {
    event.preventDefault();
    const plate = document.getElementById(fieldId("plate")) as HTMLInputElement | null;
    plate?.focus();
    plate?.select();
  });

  function change(changes: Partial<Form>, ...mended: FieldName[]) {
    setForm((last) => ({ ...last, ...changes }));
    mend(...mended);
  }

  function mend(...fields: FieldName[]) {
    setProblems((last) => {
      if (![...fields, "form" as const].some((field) => last[field])) return last;
      const rest = { ...last };
      for (const field of [...fields, "form" as const]) delete rest[field];
      return rest;
    });
  }

  function report(found: Problems) {
    setProblems(found);
    // After the render, so that the field is described by its problem when it is read out.
    requestAnimationFrame(() => focusFirstProblem(found));
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    const now = Date.now();
    const submitting = await submission().catch(() => undefined);
    if (!submitting) return report({ form: MESSAGES.searchFailed });
    const { submit } = submitting;
    const policy = { limitDays, caseNumberRequired, purposeRequired };
    const { request, problems: found } = submit(form, { groups, now, ...policy });
    if (!request) return report(found);
    setProblems({});
    setForm((last) => onClock(last, now));
    void search.start(request, chosenOptions(groups, form.selected));
  }

  function onOutcome(outcome: SearchOutcome) {
    switch (outcome.kind) {
      case "done":
        // Going back leads to the filled form, like Refine.
        history.replaceState(history.state, "", `/search?refine=${encodeURIComponent(outcome.resultId)}`);
        return navigate(`/results?id=${encodeURIComponent(outcome.resultId)}`);
      case "refused":
        return report({ [fieldOfRefusal(outcome.message)]: outcome.message });
      case "signed-out":
        return sessionHasEnded();
      case "failed":
        return report({ form: MESSAGES.searchFailed });
    }
  }

  function onClear() {
    setForm(onClock(clearForm(), Date.now()));
    setProblems({});
    document.getElementById(fieldId("plate"))?.focus();
  }

  async function checkPlate() {
    const problem = (await submission().catch(() => undefined))?.plateProblem(form.plate);
    if (problem) setProblems((last) => ({ ...last, plate: problem }));
  }

  return (
    <>
      <form
        ref={element}
        noValidate
        autoComplete="off"
        aria-label="Search LPR Records"
        className="flex flex-1 flex-col"
        onSubmit={onSubmit}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          element.current?.requestSubmit();
        }}
      >
        <div className="mx-auto grid w-full max-w-7xl flex-1 content-start [&_:is(input,select,textarea,summary)]:scroll-mb-32 gap-4 px-4 pb-6 sm:px-6 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-6">
          <div className="flex min-w-0 flex-col divide-y divide-line rounded-md border border-line bg-raised shadow-sm *:p-4 sm:*:p-5">
            <PlateAndReason
              form={form}
              problems={problems}
              notice={notice}
              caseNumberRequired={caseNumberRequired}
              purposeRequired={purposeRequired}
              onChange={change}
              onPlateBlur={checkPlate}
            />
            <div id={rangeId}>
              <RangeFields
                form={form}
                zoneName={zone}
                problems={problems}
                onPreset={(preset) => {
                  setForm((last) => withPreset(last, preset, Date.now()));
                  mend("start", "end");
                }}
                onTyped={(edge, text) => {
                  setForm((last) => withTyped(last, edge, text));
                  mend("start", "end");
                }}
              />
            </div>
            <VehicleFields form={form} onChange={change} />
          </div>
          <AgencyFields
            groups={groups}
            selected={form.selected}
            unavailable={unavailable}
            problem={problems.agencies}
            onChange={(selected) => change({ selected }, "agencies")}
          />
        </div>
        <SearchBar form={form} groups={groups} problem={problems.form} onClear={onClear} />
      </form>
      <OverlaySlot running={search.running} onCancel={search.cancel} />
    </>
  );
}
