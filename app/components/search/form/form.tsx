import { Form, useActionData, useNavigate } from "@remix-run/react";
import { type FormEvent, lazy, useEffect, useMemo, useRef, useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";
import { LazySlot } from "#app/components/ui/lazy-slot.tsx";
import { FORM_FIELDS, type FormAnswer } from "#app/entities/form-answer.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { agencyGroups, chosenOptions, type FormAgencies } from "#app/entities/search/agencies.ts";
import { readSearchFields } from "#app/entities/search/fields.ts";
import { clearForm, type FieldName, inZone, type Problems, refillForm } from "#app/entities/search/form.ts";
import type { SearchRequest } from "#app/entities/search/request.ts";
import { zoneName } from "#app/lib/time/wall-clock.ts";
import { AgencyFields } from "./agency-fields.tsx";
import { ClearForm, SearchBar } from "./bar.tsx";
import { fieldId } from "./field-id.ts";
import { PlateAndReason } from "./plate-and-reason.tsx";
import { RangeFields } from "./range-fields.tsx";
import type { SearchOutcome } from "./run.ts";
import { useSearchFields } from "./use-fields.ts";
import { useSearch } from "./use-run.ts";
import { VehicleFields } from "./vehicle-fields.tsx";

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
  /** The agency's time zone, which typed times are in until the browser has told its own. */
  timeZone: string;
};

const Overlay = lazy(async () => ({ default: (await import("./overlay.tsx")).SearchOverlay }));
/** Checks a form before it is sent. Lazy-loaded, to keep the first load small. */
const submission = () => import("#app/entities/search/submission.ts");

/**
 * The search form. Its fields are uncontrolled, so that what is typed before the scripts arrive stays; until then it is
 * posted to the screen's action. With scripts the search is called in the background and shows its progress.
 */
export function SearchForm(props: SearchFormProps) {
  const { unavailable, previous, limitDays, caseNumberRequired, purposeRequired, timeZone } = props;
  const groups = useMemo(() => agencyGroups(props.agencies), [props.agencies]);
  const posted = useRefusal();
  const [initial] = useState(() => {
    const now = Date.now();
    if (posted) return readSearchFields(posted.values, { groups, zone: timeZone, now });
    return inZone(previous ? refillForm(previous, groups) : clearForm(), timeZone);
  });
  const [problems, setProblems] = useState<Problems>(posted?.problems ?? {});
  const [notice, setNotice] = useState("");
  const [zone, setZone] = useState(() => zoneName(timeZone));
  const element = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const search = useSearch(onOutcome);
  const fields = useSearchFields(element, { groups, initial, limitDays });
  const form = fields.form ?? initial;

  useEffect(() => {
    // Fetched while the form is filled, so that sending does not wait for it.
    submission().catch(() => {});
    setZone(zoneName());
  }, []);

  useEffect(() => {
    // What reads like a purpose that the law forbids is said before the search, not after it.
    import("#app/entities/search/prohibited-purpose.ts").then(
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

  function mend(...fields: FieldName[]) {
    setProblems((last) => {
      if (![...fields, "form" as const].some((field) => last[field])) return last;
      const rest = { ...last };
      for (const field of [...fields, "form" as const]) delete rest[field];
      return rest;
    });
  }

  function onInput({ target }: FormEvent) {
    const { name } = target as HTMLInputElement;
    if (name === "start" || name === "end" || name === "range") mend("start", "end");
    else if (name === "programs") mend("agencies");
    else mend(name as FieldName);
  }

  function report(found: Problems) {
    setProblems(found);
    import("./focus-problem.ts").then(
      // After the render, so that the field is described by its problem when it is read out.
      ({ focusFirstProblem }) => requestAnimationFrame(() => focusFirstProblem(found)),
      () => {},
    );
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    const now = Date.now();
    const submitting = await submission().catch(() => undefined);
    if (!submitting) return report({ form: MESSAGES.searchFailed });
    const sent = fields.readNow();
    const policy = { limitDays, caseNumberRequired, purposeRequired };
    const { request, problems: found } = submitting.submit(sent, { groups, now, ...policy });
    if (!request) return report(found);
    setProblems({});
    fields.moveToNow(now);
    void search.start(request, chosenOptions(groups, sent.selected));
  }

  async function onOutcome(outcome: SearchOutcome) {
    switch (outcome.kind) {
      case "done":
        // Going back leads to the filled form, like Refine.
        history.replaceState(history.state, "", `/search?refine=${encodeURIComponent(outcome.resultId)}`);
        return navigate(`/results?id=${encodeURIComponent(outcome.resultId)}`);
      case "refused":
        return report({ [(await submission()).fieldOfRefusal(outcome.message)]: outcome.message });
      case "signed-out":
        return sessionHasEnded();
      case "failed":
        return report({ form: MESSAGES.searchFailed });
    }
  }

  async function checkPlate() {
    const problem = (await submission().catch(() => undefined))?.plateProblem(fields.readNow().plate);
    if (problem) setProblems((last) => ({ ...last, plate: problem }));
  }

  return (
    <>
      <Form
        ref={element}
        method="post"
        action="/search"
        noValidate
        autoComplete="off"
        aria-label="Search LPR Records"
        className="flex flex-1 flex-col"
        onSubmit={onSubmit}
        onInputCapture={fields.onInputCapture}
        onInput={onInput}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          element.current?.requestSubmit();
        }}
      >
        <input type="hidden" name={FORM_FIELDS.intent} value="search" />
        <div className="mx-auto grid w-full max-w-7xl flex-1 content-start [&_:is(input,select,textarea,summary)]:scroll-mb-32 gap-4 px-4 pb-6 sm:px-6 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-6">
          <div className="flex min-w-0 flex-col divide-y divide-line rounded-md border border-line bg-raised shadow-sm *:p-4 sm:*:p-5">
            <PlateAndReason
              initial={initial}
              problems={problems}
              notice={notice}
              caseNumberRequired={caseNumberRequired}
              purposeRequired={purposeRequired}
              onPlateBlur={checkPlate}
            />
            <div>
              <RangeFields
                initial={initial}
                form={form}
                zoneName={zone}
                problems={problems}
                onPreset={fields.choosePreset}
              />
            </div>
            <VehicleFields initial={initial} form={form} />
          </div>
          <AgencyFields
            groups={groups}
            initial={initial.selected}
            selected={fields.form?.selected}
            unavailable={unavailable}
            problem={problems.agencies}
            onAll={(checked) => {
              fields.selectAll(checked);
              mend("agencies");
            }}
          />
        </div>
        <SearchBar
          form={form}
          groups={groups}
          problem={problems.form}
          onClear={(event) => {
            event.preventDefault();
            fields.clear();
            setProblems({});
            document.getElementById(fieldId("plate"))?.focus();
          }}
        />
      </Form>
      <ClearForm />
      <LazySlot>
        <Overlay running={search.running} onCancel={search.cancel} />
      </LazySlot>
    </>
  );
}

/** What the action answered to a form that was sent without scripts: its values and what is wrong with them. */
function useRefusal(): { values: FormAnswer["values"]; problems: Problems } | undefined {
  const answer = useActionData<FormAnswer>();
  if (!answer || answer.ok) return undefined;
  const { values, message, problems } = answer;
  return { values, problems: message ? { form: message } : problems };
}
