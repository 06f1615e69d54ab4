import { Form, useActionData } from "@remix-run/react";
import {
  type FormEvent,
  type KeyboardEvent as ReactKeyboardEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { withReference } from "#app/components/forms/api.ts";
import { serverTime } from "#app/components/forms/server-time.ts";
import { useUser } from "#app/components/shell/use-standing.ts";
import { useHotkey } from "#app/components/ui/keys/single-keys.ts";
import { LazySlot, lazyPart } from "#app/components/ui/lazy-slot.tsx";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { FORM_FIELDS, type FormAnswer } from "#app/entities/form-answer.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { type AgencyGroup, agencyGroups, type FormAgencies } from "#app/entities/search/agencies.ts";
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
import { serverClock } from "#app/lib/time/dates.ts";
import { viewerZone, zoneName } from "#app/lib/time/wall-clock.ts";
import { AgencyFields } from "./agency-fields.tsx";
import { ClearForm, focusField, SearchBar } from "./bar.tsx";
import { fieldId } from "./field-id.ts";
import { PlateAndReason } from "./plate-and-reason.tsx";
import { RangeFields } from "./range-fields.tsx";
import { useSearchFields } from "./use-fields.ts";
import { useProblems } from "./use-problems.ts";
import { useSearchSubmission } from "./use-submission.ts";
import { VehicleFields } from "./vehicle-fields.tsx";

export type SearchFormProps = {
  agencies: FormAgencies;
  /** The agency lists failed to load. */
  unavailable: boolean;
  /** The request to refine or to run again. */
  previous: SearchRequest | null;
  /** Whether the request's range has fixed dates, whatever its length. */
  keepsRange: boolean;
  /** The longest range that the agency's policy allows. */
  limitDays: number;
  /** The agency's policy: every search needs a case number, or a purpose. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
  /** The agency's time zone, used for typed times until the browser's time zone is known. */
  timeZone: string;
  /** The server's time. */
  now: number;
};

// Lazy-loaded, to keep the first load small.
const Overlay = lazyPart(async () => (await import("./overlay.tsx")).SearchOverlay, { quiet: true });

const OneLine = lazyPart(async () => (await import("./one-line.tsx")).OneLine);

/**
 * The search form. Its fields are uncontrolled, so text typed before the scripts arrive is kept; until then the form posts
 * to the screen's action. With scripts, the search runs in the background and shows its progress.
 */
export function SearchForm(props: SearchFormProps) {
  const { unavailable, previous, keepsRange, limitDays, caseNumberRequired, purposeRequired, timeZone } =
    props;
  const groups = useMemo(() => agencyGroups(props.agencies), [props.agencies]);
  const { initial, focused, posted, handed } = useInitialFields({ groups, previous, keepsRange, timeZone });
  const state = useProblems(posted?.problems ?? {});
  const { problems } = state;
  const [clock] = useState(() => {
    const before = serverClock(props.now);
    return () => serverTime(before);
  });
  const [zone, setZone] = useState(() => zoneName(timeZone));
  const element = useRef<HTMLFormElement>(null);
  const user = useUser();
  const fields = useSearchFields(element, {
    groups,
    initial,
    limitDays,
    userId: previous || posted ? undefined : user?.id,
    ownerId: posted ? undefined : user?.id,
    handed,
    clock,
  });
  const policy = { limitDays, caseNumberRequired, purposeRequired };
  const submission = useSearchSubmission({ fields, problems: state, groups, policy, user, clock });
  const form = fields.form ?? initial;
  const { notice, isProhibited } = useJustificationNotice(form.justification, user);
  // Stays after its problems are corrected, while the justification names a prohibited purpose.
  const asksConfirmation = state.asksToConfirm || (state.wasAsked && isProhibited);

  useEffect(() => setZone(zoneName(viewerZone())), []);

  useHotkey("/", focusPlate);

  function onInput({ target }: FormEvent) {
    // Values that scripts write, such as the times of a range that moves with the clock, correct nothing.
    if (!(target instanceof HTMLElement) || target === element.current) return;
    state.clear(...correctedBy(target.getAttribute("name") ?? ""));
  }

  return (
    <>
      <div className="mx-auto w-full max-w-7xl px-4 pb-4 sm:px-6 noscript:hidden">
        <LazySlot fallback={<div className="h-14" />}>
          <OneLine
            groups={groups}
            clock={clock}
            onFill={(change) => {
              fields.fill(change);
              state.clear();
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
        onSubmit={submission.onSubmit}
        onInputCapture={fields.onInputCapture}
        onInput={onInput}
        onKeyDown={submitByKey}
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
              onPlateBlur={submission.checkPlate}
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
                  state.clear("start", "end");
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
              state.clear("agencies");
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
            state.reset();
            focusField("plate");
          }}
        />
      </Form>
      <ClearForm />
      <LazySlot>
        <Overlay running={submission.running} onCancel={submission.cancel} onShow={submission.showSoFar} />
      </LazySlot>
    </>
  );
}

function focusPlate(event: KeyboardEvent): void {
  event.preventDefault();
  const plate = document.getElementById(fieldId("plate"));
  if (!(plate instanceof HTMLInputElement)) return;
  plate.focus();
  plate.select();
}

/** Ctrl Enter and Cmd Enter send the form from every field. */
function submitByKey(event: ReactKeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

/** Returns the fields whose problems end when the user changes a field. */
function correctedBy(name: string): string[] {
  if (name === "start" || name === "end" || name === "range") return ["start", "end"];
  return [name === "programs" ? "agencies" : name];
}

/** A short text is judged only after this pause, so that no warning appears while it is typed. */
const PAUSE_MS = 700;

/** Warns about a prohibited or vague justification before the search. Lazy-loaded, to keep the first load small. */
function useJustificationNotice(justification: string, user: CurrentUser | undefined) {
  const [prohibited, setProhibited] = useState("");
  const [vague, setVague] = useState("");
  useEffect(() => {
    // While the rules load, warnings about an earlier text may arrive after those about this one.
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
 * Returns the initial fields of the form: those of a refused search that was sent without scripts, those of the request
 * to refine, or only the plate that another screen passes.
 */
function useInitialFields(input: {
  groups: readonly AgencyGroup[];
  previous: SearchRequest | null;
  keepsRange: boolean;
  timeZone: string;
}) {
  const { groups, previous, keepsRange, timeZone } = input;
  const { posted, handed } = usePosted();
  const [initial] = useState(() => {
    const now = Date.now();
    if (posted) return readSearchFields(posted.values, { groups, zone: timeZone, now });
    const filled = previous
      ? refillForm(previous, groups, keepsRange)
      : { ...clearForm(), plate: handed?.plate ?? "" };
    return inZone(filled, timeZone);
  });
  // Without scripts, the browser focuses the first field that was refused.
  const [focused] = useState<FieldName>(
    () =>
      fieldsWithProblems(posted?.problems ?? {})[0] ??
      (previous?.justification === "" ? "justification" : "plate"),
  );
  return { initial, focused, posted, handed };
}

/**
 * Returns what was posted to the screen: the values and problems of a refused search that was sent without scripts, or
 * the plate that another screen passes.
 */
function usePosted(): {
  posted?: { values: FormAnswer["values"]; problems: Problems };
  handed?: PlateOnly;
} {
  const answer = useActionData<FormAnswer<PlateOnly>>();
  if (!answer) return {};
  if (answer.ok) return { handed: answer.result };
  const { values, problems, bug, reference } = answer;
  const message = bug ? withReference(MESSAGES.searchFailed, reference) : answer.message;
  return { posted: { values, problems: message ? { form: message } : problems } };
}
