import { useActionData, useFetcher, useNavigate } from "@remix-run/react";
import { type FormEvent, type RefObject, useEffect, useRef } from "react";
import { sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { askForStepUp } from "#app/components/accounts/step-up.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { FORM_FIELDS, type FormAnswer, LOSS, withLoss } from "#app/entities/form-answer.ts";
import { useSaveKey } from "./use-save-key.ts";

type Event = FormEvent<HTMLFormElement>;

export type ScreenFormOptions<T> = {
  /** The form's name in the screen's action table. */
  intent: string;
  /** Runs after success. By default the message is shown and the browser follows the answer's `next`. */
  onDone?: (answer: FormAnswer<T>) => void;
  /** Asks the user before the form is sent; false cancels. */
  confirm?: (form: HTMLFormElement) => Promise<boolean>;
  /** Adds data that only scripts know before the form is sent; false cancels. */
  prepare?: (data: FormData) => boolean;
  /** The error message if no answer from Odin arrives; the note about the change follows it. */
  failed?: string;
  /** The error message if Odin itself fails; by default `failed`. */
  bug?: string;
  /** Rewrites the server's message for this form. */
  explain?: (message: string) => string;
  /** The screen whose action receives the form; by default the current one. */
  action?: string;
  /** The hidden field that distinguishes this form from others with its intent, such as the id of a row. */
  of?: { field: string; value: string };
  /**
   * The form has an idempotency key: sent again unchanged, it is saved once. The answer of a `secret` is not repeated: a
   * second attempt is told that it was done.
   */
  keyed?: boolean | "secret";
  /** Keeps the typed values after success; by default the form is cleared. */
  keep?: boolean;
};

export type ScreenFormState<T = unknown> = {
  intent: string;
  keyed: boolean;
  form: RefObject<HTMLFormElement>;
  action: string | undefined;
  pending: boolean;
  /** The error of the form as a whole, or an empty text. */
  message: string;
  answer: FormAnswer<T> | undefined;
  /** The answer in this page to the form sent without scripts, for results that are shown once. */
  posted: FormAnswer<T> | undefined;
  /** The error of one field. */
  problem: (field: string) => string | undefined;
  /** The value of a field that was sent without scripts, or `initial`. */
  value: (field: string, initial?: string) => string | undefined;
  /** The same for a field with several values, such as checkboxes. */
  has: (field: string, value: string, initial?: boolean) => boolean;
  /** The name, value and error of a field, for a control with a label. */
  field: (name: string, initial?: string) => { name: string; defaultValue?: string; error?: string };
  onSubmit: (event: Event) => void;
  /** The fetcher's form component, a plain form until scripts arrive. */
  Form: ReturnType<typeof useFetcher>["Form"];
};

/**
 * One form of a screen. Before scripts arrive it is a plain HTML form that the screen's action answers with a page;
 * afterwards the same action is called in the background. Fields are uncontrolled, so that hydration keeps typed text.
 */
export function useScreenForm<T = unknown>(options: ScreenFormOptions<T>): ScreenFormState<T> {
  const { intent, of, keyed = false } = options;
  /** Such a form finds rows and changes nothing. */
  const isFind = intent === "find";
  const fetcher = useFetcher<FormAnswer<T>>();
  const page = useActionData<FormAnswer<T>>();
  const isOwn = page?.intent === intent && (!of || page.ok || page.values[of.field]?.at(-1) === of.value);
  // If the server could not read the form, its answer does not name it.
  const posted = isOwn || page?.intent === "" ? page : undefined;
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef<FormData>();
  const saveKey = useSaveKey();
  /** An attempt since the last success was not answered. */
  const lost = useRef(false);
  const latest = useRef({ options, fetcher, navigate, saveKey });
  latest.current = { options, fetcher, navigate, saveKey };
  const fetched = fetcher.data as FormAnswer<T> | undefined;
  const answer = fetched ?? posted;
  const pending = fetcher.state !== "idle";

  useEffect(() => {
    if (!fetched) return;
    const { options, fetcher, navigate, saveKey } = latest.current;
    const { onDone, keep } = options;
    if (fetched.loss === LOSS.unanswered) lost.current = true;
    if (fetched.ok) {
      lost.current = false;
      saveKey.forget();
      if (!keep) form.current?.reset();
      if (onDone) {
        // The result of onDone, such as the id of a message, is not a cleanup function.
        onDone(fetched);
        return;
      }
      if (fetched.message) notify.success(fetched.message);
      if (fetched.next) navigate(fetched.next);
    } else if (fetched.stepUp) {
      askForStepUp().then(
        (proved) =>
          proved && sent.current && fetcher.submit(sent.current, post(sent.current, options.action)),
      );
    } else if (fetched.signedOut) {
      sessionHasEnded();
    } else {
      showProblem(form.current);
    }
  }, [fetched]);

  useEffect(() => {
    if (!posted || posted.ok) return;
    if (posted.stepUp) askForStepUp().then((proved) => proved && form.current?.requestSubmit());
    else showProblem(form.current);
  }, [posted]);

  function onSubmit(event: Event) {
    event.preventDefault();
    // React also reports the submit of a form in a dialog that this form renders.
    if (event.target !== event.currentTarget) return;
    // A newer filter replaces one that has not been answered yet. A change is sent once.
    if (!pending || isFind) send(event.currentTarget, submitterOf(event.nativeEvent));
  }

  async function send(element: HTMLFormElement, submitter: HTMLElement | null) {
    const { confirm, prepare, action } = options;
    if (confirm && !(await confirm(element))) return;
    const data = new FormData(element, submitter);
    if (prepare?.(data) === false) return;
    if (data.has(FORM_FIELDS.key)) data.set(FORM_FIELDS.key, saveKey.of(contentOf(data)));
    sent.current = data;
    fetcher.submit(data, post(data, action));
  }

  const isRefused = answer && !answer.ok && !answer.stepUp && !answer.signedOut;
  const hasProblems = isRefused && Object.keys(answer.problems).length > 0;
  const said = answer && (answer.message || !hasProblems) ? reasonOf(answer, options) : "";
  const loss = answer?.loss || (lost.current ? LOSS.earlier : "");
  const known = isFind ? "" : keyed === true && loss === LOSS.unanswered ? LOSS.keyed : loss;
  const problem = (field: string) => answer?.problems[field];
  const value = (field: string, initial?: string) => answer?.values[field]?.at(-1) ?? initial;
  return {
    intent,
    keyed: keyed !== false,
    form,
    action: options.action,
    pending,
    // Removed while the form is sent again, so that screen readers announce the same message again.
    message: isRefused && fetcher.state !== "submitting" ? withLoss(said, known) : "",
    answer,
    posted,
    problem,
    value,
    field: (name, initial) => ({ name, defaultValue: value(name, initial), error: problem(name) }),
    has: (field, value, initial = false) =>
      answer && !answer.ok ? (answer.values[field]?.includes(value) ?? false) : initial,
    onSubmit,
    Form: fetcher.Form,
  };
}

/** Returns why a form as a whole was refused. */
function reasonOf<T>(answer: FormAnswer<T>, options: ScreenFormOptions<T>): string {
  const { failed = "", bug = failed, explain = (message: string) => message } = options;
  if (answer.bug) return bug || answer.message;
  return answer.message ? explain(answer.message) : failed;
}

/** Returns the fields of a form as text; a file by the facts that identify it. */
function contentOf(data: FormData): string {
  const entries = [...data].filter(([name]) => name !== FORM_FIELDS.key);
  return JSON.stringify(
    entries.map(([name, value]) => [name, typeof value === "string" ? value : fileText(value)]),
  );
}

function fileText({ name, size, lastModified }: File): string {
  // The browser creates a new empty file each time for a field without one.
  return name === "" ? "" : JSON.stringify([name, size, lastModified]);
}

function post(body: FormData, action: string | undefined) {
  const hasFile = [...body.values()].some((value) => typeof value !== "string");
  return { method: "post", action, encType: hasFile ? "multipart/form-data" : undefined } as const;
}

/** Focuses the first wrong field. An error of the form as a whole stands above its fields and is scrolled into view. */
export function showProblem(form: HTMLFormElement | null): void {
  // After the render, so that the field is described by its problem when it is read out.
  requestAnimationFrame(() => {
    const fields = [...(form?.elements ?? [])];
    const wrong = fields.find((field) => field.getAttribute("aria-invalid") === "true");
    if (wrong instanceof HTMLElement) wrong.focus();
    else form?.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
  });
}

function submitterOf(event: globalThis.Event): HTMLElement | null {
  return event instanceof SubmitEvent ? event.submitter : null;
}
