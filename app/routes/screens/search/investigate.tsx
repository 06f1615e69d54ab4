import type { MetaFunction, SerializeFrom } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { FindForm, findOf } from "#app/components/forms/find-form.tsx";
import {
  InvestigationForm,
  StateSelect,
  TimePicker,
} from "#app/components/search/investigate/common-fields.tsx";
import { PlacesForm } from "#app/components/search/investigate/places-form.tsx";
import { useInvestigation } from "#app/components/search/investigate/use-investigation.ts";
import { cx } from "#app/components/ui/cx.ts";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { convoyByForm, investigateFormFor, placesByForm } from "#app/domain/search/investigate/form.ts";
import type { WholeAgencies } from "#app/entities/search/agencies.ts";
import type { FilledFields } from "#app/entities/search/investigate/fill.ts";
import { MAX_MINUTES } from "#app/entities/search/investigate/request.ts";
import { SearchFields } from "#app/entities/search/request.ts";
import { surviveHangUp } from "#app/http/progress.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { counted, numberText } from "#app/lib/number-text.ts";

export const meta: MetaFunction = () => [{ title: "Investigate · Odin" }];

export const loader = screenLoader("investigator", async ({ app, actor, query }) => {
  const tool = query.get("tool") === "convoy" ? "convoy" : "places";
  const [again, range] = [query.get("again"), query.get("range")];
  return { ...(await investigateFormFor(app, actor, { tool, again, range, find: findOf(query) })), tool };
});

const next = ({ resultId }: { resultId: string }) => `/investigate/${encodeURIComponent(resultId)}`;

/** Runs a form that was submitted without scripts, or before they arrived. */
export const action = screenAction("investigator", {
  places: screenForm(
    SearchFields,
    ({ app, actor, body, request }) =>
      surviveHangUp(app, placesByForm(app, actor, { fields: body, signal: request.signal })),
    { shape: ({ lists }) => lists, next },
  ),
  convoy: screenForm(
    SearchFields,
    ({ app, actor, body, request }) =>
      surviveHangUp(app, convoyByForm(app, actor, { fields: body, signal: request.signal })),
    { shape: ({ lists }) => lists, next },
  ),
});

const TOOLS = [
  { tool: "places", to: "/investigate", label: "Many places" },
  { tool: "convoy", to: "/investigate?tool=convoy", label: "Convoy" },
] as const;

type ConvoyFormProps = {
  groups: WholeAgencies[];
  purposeRequired: boolean;
  /** The values of a past search. */
  filled?: FilledFields;
};

/** The form of a convoy search: a plate, a range, and the conditions for counting as together. */
function ConvoyForm({ groups, purposeRequired, filled }: ConvoyFormProps) {
  const state = useInvestigation("convoy", filled);
  return (
    <InvestigationForm
      tool="convoy"
      state={state}
      groups={groups}
      purposeRequired={purposeRequired}
      button="Search convoy"
    >
      <p className="text-sm text-muted">
        Finds plates that cameras read shortly before or after a given plate, at several cameras.
      </p>
      <div className="grid gap-4 rounded-md border border-line bg-raised p-4 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-[1fr_0.8fr_1.2fr_1.2fr_0.6fr_0.6fr]">
        <InputField
          {...state.field("plate")}
          label="Plate"
          required
          hint="One whole plate, without * or ?."
          plate
          maxLength={40}
        />
        <StateSelect state={state} />
        <TimePicker label="Start" edge="start" name="start_time" state={state} />
        <TimePicker label="End" edge="end" name="end_time" state={state} />
        <InputField
          {...state.field("minutes", "2")}
          label="Minutes apart"
          type="number"
          min={1}
          max={MAX_MINUTES}
        />
        <InputField
          {...state.field("at_least", "3")}
          label="Cameras, at least"
          type="number"
          min={2}
          max={20}
        />
      </div>
    </InvestigationForm>
  );
}

type FindCamerasProps = Pick<
  SerializeFrom<typeof loader>,
  "camerasListed" | "camerasKnown" | "find" | "again"
>;

/** Finds the cameras that the places list. With scripts, each list has a filter instead. */
function FindCameras({ camerasListed, camerasKnown, find, again }: FindCamerasProps) {
  return (
    <div className="hidden flex-col gap-1 noscript:flex">
      <FindForm
        label="Find cameras"
        placeholder="Names or agencies, between commas"
        find={find}
        kept={again ? { again: again.id, range: again.range } : {}}
        result={`${numberText(camerasListed)} of ${counted(camerasKnown, "camera")} are listed.`}
      />
      <p className="text-sm text-muted">
        Find loads this page again. Find the cameras of all places before you fill in the form.
      </p>
    </div>
  );
}

export default function InvestigateScreen() {
  const { tool, again, ...data } = useLoaderData<typeof loader>();
  const filled = again?.tool === tool ? again : undefined;
  const key = filled ? filled.id + filled.range : "";
  return (
    <Page width="7xl">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <PageTitle>Investigate</PageTitle>
        <p className="text-sm text-muted">
          {data.used} of {data.perDay} place and convoy searches used in the last 24 hours. Each one is
          recorded and may be reviewed.
        </p>
      </div>
      <nav aria-label="Tools" className="flex gap-1 border-b border-line">
        {TOOLS.map((entry) => (
          <Link
            key={entry.tool}
            to={entry.to}
            aria-current={entry.tool === tool ? "page" : undefined}
            className={cx(
              "-mb-px flex min-h-control items-center border-b-2 px-3 font-medium",
              entry.tool === tool
                ? "border-accent text-text"
                : "border-transparent text-muted hover:text-text",
            )}
          >
            {entry.label}
          </Link>
        ))}
      </nav>
      {data.notListed && <p className="text-sm text-muted">{data.notListed}</p>}
      {filled && (
        <p className="text-sm text-muted">
          {filled.note}{" "}
          {filled.other && (
            <Link
              to={`?tool=${tool}&again=${encodeURIComponent(filled.id)}&range=${filled.other.range}`}
              className="inline-flex min-h-target items-center underline"
            >
              {filled.other.label}
            </Link>
          )}
        </p>
      )}
      {tool === "places" ? (
        <>
          {data.camerasKnown > data.camerasListed && <FindCameras {...data} again={again} />}
          <PlacesForm key={key} filled={filled} {...data} />
        </>
      ) : (
        <ConvoyForm key={key} filled={filled} {...data} />
      )}
    </Page>
  );
}
