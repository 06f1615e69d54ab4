import { useNavigate } from "@remix-run/react";
import { type FormEvent, useEffect } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { withReference } from "#app/components/forms/api.ts";
import type { CurrentUser } from "#app/entities/accounts/actor.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { type AgencyGroup, chosenOptions } from "#app/entities/search/agencies.ts";
import type { SearchOutcome } from "./run.ts";
import type { useSearchFields } from "./use-fields.ts";
import type { ProblemsState } from "./use-problems.ts";
import { useSearch } from "./use-run.ts";

/** Checks a form before it is sent. Lazy-loaded, to keep the first load small. */
const submission = () => import("#app/entities/search/submission.ts");

/** Checks the form, runs its search in the background, and opens the results or reports what is wrong. */
export function useSearchSubmission(input: {
  fields: ReturnType<typeof useSearchFields>;
  problems: ProblemsState;
  groups: readonly AgencyGroup[];
  policy: { limitDays: number; caseNumberRequired: boolean; purposeRequired: boolean };
  user: CurrentUser | undefined;
  clock: () => number;
}) {
  const { fields, problems, groups, policy, user, clock } = input;
  const navigate = useNavigate();
  const search = useSearch(onOutcome);

  useEffect(() => {
    // Preloaded, so that submitting does not wait for it.
    submission().catch(() => {});
  }, []);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    const now = clock();
    const submitting = await submission().catch(() => undefined);
    if (!submitting) return problems.report({ form: MESSAGES.searchFailed });
    const sent = fields.readNow();
    const { request, problems: found } = submitting.submit(sent, { groups, now, ...policy, searcher: user });
    if (!request) return problems.report(found);
    problems.clearAll();
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
        return problems.report({ [(await submission()).fieldOfRefusal(outcome.message)]: outcome.message });
      case "signed-out":
        return sessionHasEnded();
      case "failed":
        return problems.report({ form: withReference(MESSAGES.searchFailed, outcome.reference ?? "") });
    }
  }

  function openResults(resultId: string) {
    fields.noteSent();
    // Makes Back return to the filled form, like Refine.
    history.replaceState(history.state, "", `/search?refine=${encodeURIComponent(resultId)}`);
    navigate(`/results?id=${encodeURIComponent(resultId)}`);
  }

  return {
    running: search.running,
    cancel: search.cancel,
    onSubmit,
    /** Opens the reads so far, while the search continues. */
    showSoFar() {
      const resultId = search.handOver();
      if (resultId !== undefined) openResults(resultId);
    },
    async checkPlate() {
      const problem = (await submission().catch(() => undefined))?.plateProblem(fields.readNow().plate);
      if (problem) problems.add("plate", problem);
    },
  };
}
