// Data of the search form: the agencies to choose from, the agency's policy, and the request to refine. If the lists
// cannot be loaded, the form opens without them.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import { type AgencyOption, agencyGroups, type FormAgencies } from "#app/entities/search/agencies.ts";
import { readSearchFields, type SearchFields, unknownAgencies } from "#app/entities/search/fields.ts";
import { problemsMessage } from "#app/entities/search/form.ts";
import { againRangeIn } from "#app/entities/search/history/calls.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { submit } from "#app/entities/search/submission.ts";
import { AppError } from "#app/lib/errors.ts";
import { logError } from "#app/lib/log.ts";
import { isTimeZone } from "#app/lib/time/wall-clock.ts";
import { listSourcesWithoutCameras } from "#app/store/integrations/sources.ts";
import { findResultSet, findSearchPolicy } from "#app/store/search/result-sets.ts";
import { type SearchAgain, searchAgain } from "./history.ts";
import { searchReads } from "./run.ts";
import { agenciesOf, listSources } from "./searchable.ts";

/** Data of the search form. */
export type SearchFormData = {
  /** Axon agencies have ids, because several may share a base URL and other programs may have the same agency name. */
  agencies: FormAgencies;
  /** True if the lists could not be loaded; they are empty then (specification section 8). */
  unavailable: boolean;
  /** The result set to refine, or null. */
  refined: string | null;
  /** The request to fill in, or null if there is none, the set was purged, or it is another user's. */
  previous: SearchRequest | null;
  /** The past search that is run again, or null. */
  again: Pick<SearchAgain, "id" | "range" | "note" | "other"> | null;
  limitDays: number;
  /** The agency's policy requires a case number for every search. */
  caseNumberRequired: boolean;
  purposeRequired: boolean;
  /** The time zone of typed times if no script reports the browser's. */
  timeZone: string;
  /** The server's time. */
  now: number;
};

/** Returns the data of the search form. If the lists cannot be loaded, `unavailable` is true and they are empty. */
export async function searchFormFor(
  app: AppContext,
  actor: Actor,
  { refined, again: id, range }: { refined: string | null; again: string | null; range: string | null },
): Promise<SearchFormData> {
  const [lists, policy, found, past] = await Promise.all([
    formAgencies(app, actor).catch((error: unknown) => {
      logError("the agency lists could not be loaded", error);
      return undefined;
    }),
    findSearchPolicy(app.db, actor.agencyId),
    refined === null
      ? undefined
      : findResultSet(app.db, { id: refined, userId: actor.userId, now: app.clock(), checksSharing: false }),
    id === null ? undefined : searchAgain(app, actor, { id, range: againRangeIn(range) }),
  ]);
  const request = past?.tool === "search" ? requestToFill(past.request) : undefined;
  return {
    agencies: lists ?? { rekor: [], axon: [], axis: [] },
    unavailable: lists === undefined,
    refined,
    previous: found?.set.request ?? request ?? null,
    again: id === null ? null : past && request ? past : { id, range: "now", note: NOT_LISTED, other: null },
    limitDays: policy?.searchLimitDays ?? 0,
    caseNumberRequired: policy?.caseNumberRequired ?? false,
    purposeRequired: policy?.purposeRequired ?? false,
    timeZone: policy?.timeZone ?? "UTC",
    now: app.clock(),
  };
}

/** The note of a form that could not be filled in from an earlier search. */
export const NOT_LISTED = "That search is not in your history, so this is an empty form.";

/** Returns a stored request without its justification, or undefined if today's schema refuses it. */
function requestToFill(stored: Record<string, unknown>): SearchRequest | undefined {
  // Only a complete request passes the schema.
  const parsed = SearchRequest.safeParse({ ...stored, justification: "Again" });
  return parsed.success ? { ...parsed.data, justification: "" } : undefined;
}

/** Returns the agencies that the actor may search, with ids that distinguish those of Axon. */
export async function formAgencies(app: AppContext, actor: Actor): Promise<FormAgencies> {
  return formAgenciesOf(await listSources(app, actor));
}

/** Returns the same agencies without the cameras of Axis agencies, which a form of whole agencies does not need. */
export async function wholeAgencies(app: AppContext, actor: Actor): Promise<FormAgencies> {
  return formAgenciesOf(
    await listSourcesWithoutCameras(app.db, { tenantId: actor.agencyId, now: app.clock() }),
  );
}

function formAgenciesOf(sources: SearchSource[]): FormAgencies {
  return {
    ...agenciesOf(sources),
    axon: sources.flatMap(({ program, id, agency, baseUrl }) =>
      program === "Axon" ? [{ id, agency_name: agency, base_url: baseUrl }] : [],
    ),
  };
}

/**
 * Runs the search of a form that was sent without scripts, with the browser's checks. Typed times are in the form's
 * `zone`, or the agency's if there is none. Returns the result set's id. Throws AppError bad_request with a problem per
 * field, and what `searchReads` throws.
 */
export async function searchByForm(
  app: AppContext,
  actor: Actor,
  { fields, signal }: { fields: SearchFields; signal: AbortSignal },
): Promise<{ resultId: string }> {
  const [agencies, policy] = await Promise.all([
    formAgencies(app, actor),
    findSearchPolicy(app.db, actor.agencyId),
  ]);
  const now = app.clock();
  const known = agencyGroups(agencies);
  // Unknown agencies are selected too, so that the search itself refuses them and its audit row has what was searched
  // for.
  const unknown = unknownAgencies(fields, known);
  const groups = [...known, { program: "Axis" as const, options: unknown.map(unknownOption) }];
  const browserZone = [fields.zone?.[0] ?? ""].find(isTimeZone);
  const form = readSearchFields(fields, {
    groups,
    zone: browserZone ?? policy?.timeZone ?? "UTC",
    now,
    // The zone comes from scripts, which also filled the pickers.
    ...(browserZone && { written: {} }),
  });
  const selected = new Set([...form.selected, ...unknown]);
  const { request, problems } = submit(
    { ...form, selected },
    {
      groups,
      now,
      limitDays: policy?.searchLimitDays ?? 0,
      caseNumberRequired: policy?.caseNumberRequired ?? false,
      purposeRequired: policy?.purposeRequired ?? false,
    },
  );
  if (!request) throw new AppError("bad_request", problemsMessage(problems), { problems });
  const { resultId } = await searchReads(app, actor, { request, signal, onProgress: () => {} });
  return { resultId };
}

function unknownOption(id: string): AgencyOption {
  return { program: "Axis", key: id, name: id, identifiers: [id], aliases: [] };
}
