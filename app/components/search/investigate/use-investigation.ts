import { useActionData, useNavigate } from "@remix-run/react";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { withReference } from "#app/components/forms/api.ts";
import type { RunningSearch } from "#app/components/search/form/use-run.ts";
import { useStayed } from "#app/components/search/form/use-stayed.ts";
import type { FormAnswer } from "#app/entities/form-answer.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { Fields } from "#app/entities/search/investigate/fields.ts";
import type { FilledFields } from "#app/entities/search/investigate/fill.ts";
import { fieldTime } from "#app/lib/time/wall-clock.ts";

export type Tool = "places" | "convoy";
type Problems = Record<string, string>;

/** The code that checks the form and calls the server. Lazy-loaded, to keep the first load small. */
const running = () =>
  Promise.all([
    import("#app/entities/search/investigate/fields.ts"),
    import("#app/components/search/form/run.ts"),
  ]);

/**
 * One form of the screen: its problems, the search that runs, and its cancellation. `filled` has the values of a past
 * search.
 */
export function useInvestigation(tool: Tool, filled?: FilledFields) {
  const answer = useActionData<FormAnswer>();
  const refused = answer && !answer.ok && answer.intent === tool ? answer : undefined;
  const refusal = refused?.bug ? withReference(MESSAGES.searchFailed, refused.reference) : refused?.message;
  const [found, setFound] = useState<{ message: string; problems: Problems }>();
  const [search, setSearch] = useState<RunningSearch>();
  const controller = useRef<AbortController>();
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const problems = found?.problems ?? refused?.problems ?? {};
  const values: Fields | undefined = refused?.values ?? filled?.values;

  useStayed(search?.opening !== undefined, () => setSearch(undefined));
  useEffect(() => {
    running().catch(() => {});
    return () => controller.current?.abort();
  }, []);

  useWrittenTimes(form, filled);
  useFocusOnProblem(form, found);

  const report = (message: string, problems: Problems) => setFound({ message, problems });

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // Set before anything is awaited: each search is audited, and a second press must not start another.
    if (controller.current) return;
    controller.current = new AbortController();
    try {
      await send(fieldsOf(event.currentTarget), controller.current.signal);
    } finally {
      controller.current = undefined;
    }
  }

  async function send(fields: Fields, signal: AbortSignal) {
    const parts = await running().catch(() => undefined);
    if (signal.aborted) return;
    if (!parts) return report(MESSAGES.searchFailed, {});
    const [{ convoyIn, placesIn }, { applyProgress, runSearch }] = parts;
    const { request, named, problems } =
      tool === "places" ? placesIn(fields, undefined) : convoyIn(fields, undefined);
    if (!request) return report("", problems);
    setFound(undefined);
    setSearch({ sources: [], startedAt: Date.now() });
    const outcome = await runSearch({
      path: tool === "places" ? "/search-places" : "/search-convoy",
      request,
      signal,
      onProgress: (progress) =>
        setSearch((last) => last && { ...last, sources: applyProgress(last.sources, progress) }),
    });
    if (outcome.kind === "done") {
      setSearch((last) => last && { ...last, opening: outcome.count });
      return navigate(`/investigate/${encodeURIComponent(outcome.resultId)}`);
    }
    setSearch(undefined);
    if (outcome.kind === "refused") {
      const refusals = named(outcome.problems ?? {});
      return report(Object.keys(refusals).length > 0 ? "" : outcome.message, refusals);
    }
    if (outcome.kind === "signed-out") return sessionHasEnded();
    if (outcome.kind === "failed") report(withReference(MESSAGES.searchFailed, outcome.reference ?? ""), {});
  }

  const problem = (field: string): string | undefined => problems[field];
  /** The value sent without scripts, the value of a past search, or `initial`. */
  const value = (field: string, initial = "") => values?.[field]?.at(-1) ?? initial;
  return {
    form,
    onSubmit,
    running: search,
    cancel: () => controller.current?.abort(),
    message: found?.message ?? refusal ?? "",
    problem,
    value,
    /** The name, value and error of a field, for a control with a label. */
    field: (name: string, initial?: string) => ({
      name,
      defaultValue: value(name, initial),
      error: problem(name),
    }),
    values,
  };
}

/**
 * Writes the times of a past search in the viewer's zone: the server wrote them in the agency's. Times typed since then
 * stay.
 */
function useWrittenTimes(form: RefObject<HTMLFormElement>, filled: FilledFields | undefined): void {
  useEffect(() => {
    for (const [name, at] of Object.entries(filled?.times ?? {})) {
      const input = form.current?.elements.namedItem(name);
      if (!(input instanceof HTMLInputElement)) continue;
      // A form that was refused has the times that were sent.
      const written = filled?.values[name]?.at(-1);
      if (input.value === written && input.defaultValue === written) input.value = fieldTime(at);
    }
  }, [form, filled]);
}

/** Focuses the first field with a problem. Runs after the render, so that its problem is read out with it. */
function useFocusOnProblem(form: RefObject<HTMLFormElement>, found: object | undefined): void {
  useEffect(() => {
    const invalid = found && form.current?.querySelector("[aria-invalid=true]");
    if (!(invalid instanceof HTMLElement)) return;
    const closed = invalid.closest("details:not([open])");
    if (closed instanceof HTMLDetailsElement) closed.open = true;
    invalid.focus();
  }, [form, found]);
}

export type InvestigationState = ReturnType<typeof useInvestigation>;

/** Returns the values of a form by name. */
export function fieldsOf(form: HTMLFormElement): Fields {
  const fields: Record<string, string[]> = {};
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== "string") continue;
    const list = fields[name];
    if (list) list.push(value);
    else fields[name] = [value];
  }
  return fields;
}
