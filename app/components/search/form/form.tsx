import { Form, useActionData, useNavigate, useRouteLoaderData } from "@remix-run/react";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/end.ts";
import { withReference } from "#app/components/forms/api.ts";
import { useHotkey } from "#app/components/ui/keys/use-hotkey.ts";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { FORM_FIELDS, type FormAnswer } from "#app/entities/form-answer.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { agencyGroups, chosenOptions, type FormAgencies } from "#app/entities/search/agencies.ts";
import { readSearchFields } from "#app/entities/search/fields.ts";
import {
  clearForm,
  type FieldName,
  fieldsWithProblems,
  inZone,
  type Problems,
  refillForm,
} from "#app/entities/search/form.ts";
import type { PlateOnly, SearchRequest } from "#app/entities/search/request.ts";
import { zoneName } from "#app/lib/time/wall-clock.ts";
import { AgencyFields } from "./agency-fields.tsx";
import { ClearForm, focusField, SearchBar } from "./bar.tsx";
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
  /** The request to refine or to run again. */
  previous: SearchRequest | null;
  /** Its range is one of fixed dates, whatever its length. */
  keepsRange: boolean;
  /** The longest range that the agency's policy allows. */
  limitDays: number;
  /** The agency's policy: every search needs a case number, or a purpose. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
  /** The agency's time zone, used for typed times until the browser's time zone is known. */
  timeZone: string;
};

// Lazy-loaded, to keep the first load small.
const Overlay = lazyPart(async () => (await import("./overlay.tsx")).SearchOverlay, { quiet: true });

const OneLine = lazyPart(async () => (await import("./one-line.tsx")).OneLine);

/** Checks a form before it is sent. Lazy-loaded, to keep the first load small. */
const submission = () => import("#app/entities/search/submission.ts");

/**
 * The search form. Its fields are uncontrolled, so text typed before the scripts arrive is kept; until then the form posts
 * to the screen's action. With scripts, the search runs in the background and shows its progress.
 */
export function SearchForm(props: SearchFormProps) {
  const { unavailable, previous, limitDays, caseNumberRequired, purposeRequired, timeZone } = props;
  const groups = useMemo(() => agencyGroups(props.agencies), [props.agencies]);
  const { posted, handed } = usePosted();
  const [initial] = useState(() => {
    const now = Date.now();
    if (posted) return readSearchFields(posted.values, { groups, zone: timeZone, now });
    const filled = previous
      ? refillForm(previous, groups, props.keepsRange)
      : { ...clearForm(), plate: handed?.plate ?? "" };
    return inZone(filled, timeZone);
  });
  const [problems, setProblems] = useState<Problems>(posted?.problems ?? {});
  // Without scripts, the browser focuses the first field that was refused.
  const [focused] = useState<FieldName>(
    () =>
      fieldsWithProblems(posted?.problems ?? {})[0] ??
      (previous?.justification === "" ? "justification" : "plate"),
  );
  const [zone, setZone] = useState(() => zoneName(timeZone));
  const element = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const user = useRouteLoaderData<{ user: CurrentUser | null }>("root")?.user ?? undefined;
  const search = useSearch(onOutcome);
  const fields = useSearchFields(element, {
    groups,
    initial,
    limitDays,
    userId: previous || posted ? undefined : user?.id,
    handed,
  });
  const form = fields.form ?? initial;
  const { notice, isProhibited } = useJustificationNotice(form.justification, user);
  // Stays after its problems are corrected, while the justification names a prohibited purpose.
  const [wasAsked, setWasAsked] = useState(asksToConfirm(problems));
  const asksConfirmation =
    Boolean(problems.confirmation || problems.supervisor) || (wasAsked && isProhibited);

  useEffect(() => {
    // Preloaded, so that submitting does not wait for it.
    submission().catch(() => {});
    setZone(zoneName());
  }, []);

  useHotkey("/", (event) => {
    event.preventDefault();
    const plate = document.getElementById(fieldId("plate"));
    if (!(plate instanceof HTMLInputElement)) return;
    plate.focus();
    plate.select();
  });

  // After the render, so that screen readers announce the problem with the field, which may be new.
  const isReported = useRef(false);
  useEffect(() => {
    const [first] = fieldsWithProblems(problems);
    if (isReported.current && first) focusField(first);
    isReported.current = false;
  }, [problems]);

  function clearProblems(...fields: string[]) {
    setProblems((last) => {
      const entries = Object.entries(last);
      const rest = entries.filter(([field]) => field !== "form" && !fields.includes(field));
      return rest.length === entries.length ? last : Object.fromEntries(rest);
    });
  }

  function onInput({ target }: FormEvent) {
    // What scripts write, such as the times of a range that moves with the clock, corrects nothing.
    if (!(target instanceof HTMLElement) || target === element.current) return;
    const name = target.getAttribute("name") ?? "";
    if (name === "start" || name === "end" || name === "range") clearProblems("start", "end");
    else if (name === "programs") clearProblems("agencies");
    else clearProblems(name);
  }

  function report(found: Problems) {
    setProblems(found);
    if (asksToConfirm(found)) setWasAsked(true);
    isReported.current = true;
  }

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    const now = Date.now();
    const submitting = await submission().catch(() => undefined);
    if (!submitting) return report({ form: MESSAGES.searchFailed });
    const sent = fields.readNow();
    const policy = { limitDays, caseNumberRequired, purposeRequired, searcher: user };
    const { request, problems: found } = submitting.submit(sent, { groups, now, ...policy });
    if (!request) return report(found);
    setProblems({});
    fields.moveToNow(now);
    if (user)
      import("./prefill.ts").then(
        ({ remember }) => remember(user.id, sent, groups),
        () => {},
      );
    void search.start(request, chosenOptions(groups, sent.selected));
  }

  async function onOutcome(outcome: SearchOutcome) {
    switch (outcome.kind) {
      case "done":
        return openResults(outcome.resultId);
      case "refused":
        return report({ [(await submission()).fieldOfRefusal(outcome.message)]: outcome.message });
      case "signed-out":
        return sessionHasEnded();
      case "failed":
        return report({ form: withReference(MESSAGES.searchFailed, outcome.reference ?? "") });
    }
  }

  function openResults(resultId: string) {
    // Makes Back return to the filled form, like Refine.
    history.replaceState(history.state, "", `/search?refine=${encodeURIComponent(resultId)}`);
    navigate(`/results?id=${encodeURIComponent(resultId)}`);
  }

  function showSoFar() {
    const resultId = search.handOver();
    if (resultId !== undefined) openResults(resultId);
  }

  async function checkPlate() {
    const problem = (await submission().catch(() => undefined))?.plateProblem(fields.readNow().plate);
    if (problem) setProblems((last) => ({ ...last, plate: problem }));
  }

  return (
    <>
      <div className="mx-auto w-full max-w-7xl px-4 pb-4 sm:px-6 noscript:hidden">
        <LazySlot fallback={<div className="h-14" />}>
          <OneLine
            groups={groups}
            onFill={(change) => {
              fields.fill(change);
              clearProblems();
            }}
          />
        </LazySlot>
      </div>
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
        <div className="mx-auto grid w-full max-w-7xl flex-1 content-start [&_:is(input,select,textarea,summary)]:scroll-mb-48 gap-4 px-4 pb-6 sm:px-6 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-6">
          <div className="flex min-w-0 flex-col divide-y divide-line rounded-md border border-line bg-raised shadow-sm *:p-4 sm:*:p-5">
            <PlateAndReason
              initial={initial}
              problems={problems}
              focused={focused}
              notice={notice}
              asksConfirmation={asksConfirmation}
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
                focused={focused}
                onPreset={(preset) => {
                  fields.choosePreset(preset);
                  clearProblems("start", "end");
                }}
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
            isFocused={focused === "agencies"}
            onAll={(checked) => {
              fields.selectAll(checked);
              clearProblems("agencies");
            }}
          />
        </div>
        <SearchBar
          form={form}
          groups={groups}
          problems={problems}
          onClear={(event) => {
            event.preventDefault();
            fields.clear();
            setProblems({});
            setWasAsked(false);
            focusField("plate");
          }}
        />
      </Form>
      <ClearForm />
      <LazySlot>
        <Overlay running={search.running} onCancel={search.cancel} onShow={showSoFar} />
      </LazySlot>
    </>
  );
}

const asksToConfirm = (problems: Problems) => Boolean(problems.confirmation || problems.supervisor);

/** A short word is judged only after this pause, so that no warning appears while it is typed. */
const PAUSE_MS = 700;

/** Warns about a prohibited or vague justification before the search. Lazy-loaded, to keep the first load small. */
function useJustificationNotice(justification: string, user: CurrentUser | undefined) {
  const [prohibited, setProhibited] = useState("");
  const [vague, setVague] = useState("");
  useEffect(() => {
    // While they load, the warnings about an earlier text may come after those about this one.
    let isLatest = true;
    setVague("");
    import("#app/entities/search/prohibited-purpose.ts").then(
      ({ prohibitedNotice }) => isLatest && setProhibited(prohibitedNotice(justification)),
      () => {},
    );
    const timer = setTimeout(() => {
      if (!user) return;
      import("#app/entities/search/vague-reason.ts").then(
        ({ vagueNotice }) => isLatest && setVague(vagueNotice(justification, user)),
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [justification, user]);
  return { notice: prohibited || vague, isProhibited: prohibited !== "" };
}

/**
 * Returns what was posted to the screen: the values and problems of a refused search that was sent without scripts, or
 * the plate that another screen hands over.
 */
function usePosted(): {
  posted?: { values: FormAnswer["values"]; problems: Problems };
  handed?: PlateOnly;
} {
  const answer = useActionData<FormAnswer<PlateOnly>>();
  if (!answer) return {};
  if (answer.ok) return { handed: answer.result };
  const { values, message, problems } = answer;
  return { posted: { values, problems: message ? { form: message } : problems } };
}
