import { reportSessionEnd, sessionHasEnded } from "#app/components/accounts/session/events.ts";
import { askForStepUp } from "#app/components/accounts/step-up.ts";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { LOSS } from "#app/entities/form-answer.ts";
import { textIn } from "#app/lib/json/parse.ts";
import { noteServerTime } from "./server-time.ts";

/** The result of a call to the server: its value, or why it failed. */
export type Answer<T> = { ok: true; value: T } | Failure;

type Failure = {
  ok: false;
  /** The message for the user: the server's, or the caller's `failed`; with the reference if neither explains much. */
  message: string;
  /** The id of the request, under which an operator finds it in the log; empty without a response. */
  reference: string;
  /** The HTTP status; 0 without a response. */
  status: number;
  /** The user closed the identity check (step-up): there is nothing to report. */
  declined: boolean;
  /** The note about a change that got no answer from Odin: one of `LOSS`, or empty. */
  loss: string;
};

export type ApiCall<T = unknown> = {
  /** POST for a call with a body, otherwise GET. */
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is: a form or a file. */
  body?: BodyInit;
  /** The message of a failure that the server does not explain. */
  failed?: string;
  /** Whether this is a poll: it does not extend the session, and a 401 never leads to the sign-in screen. */
  background?: boolean;
  /** The caller handles a 401 itself; otherwise it locks the screen, unless the session turns out to be open. */
  handles401?: boolean;
  /** Whether the call changes nothing that is shown, although it has a body. */
  reads?: boolean;
  signal?: AbortSignal;
  /** Reads the body of a success; JSON by default. */
  read?: (response: Response) => Promise<T>;
};

/**
 * Calls the server. Never throws. If the call needs a recent sign-in, asks the user to confirm their identity and
 * repeats the call.
 */
export async function callApi<T = unknown>(path: string, call: ApiCall<T> = {}): Promise<Answer<T>> {
  const { failed = "", background = false, handles401 = false } = call;
  const isChange = !call.reads && methodOf(call) !== "GET";
  const loss = !isChange ? "" : navigator.onLine ? LOSS.unanswered : LOSS.unsent;
  const response = await send(path, call).catch(() => undefined);
  if (!response) return { ok: false, message: failed, reference: "", status: 0, declined: false, loss };
  const { status } = response;
  const reference = response.headers.get("x-request-id") ?? "";
  if (response.ok) {
    try {
      return { ok: true, value: await (call.read ?? readJson<T>)(response) };
    } catch {
      const message = withReference(failed, reference);
      return { ok: false, message, reference, status, declined: false, loss };
    }
  }
  // The session was ended elsewhere. The watch would notice minutes later, and the page would look as if nothing had
  // changed.
  if (status === 401 && !handles401) {
    if (background) reportSessionEnd();
    else sessionHasEnded();
  }
  const body = await response.json().catch(() => undefined);
  const needsStepUp = textIn(body, "code") === "step_up_required";
  if (needsStepUp && (await askForStepUp())) return callApi(path, call);
  const serverMessage = textIn(body, "message");
  const isExplained = serverMessage !== "" && status < 500;
  // For its own bugs, the server says only that something went wrong.
  const known = (status === 500 && failed) || serverMessage || failed;
  const message = isExplained ? serverMessage : withReference(known, reference);
  // Every answer of Odin has an id. This one is from a gateway, which may have lost Odin's answer.
  const isForeign = status >= 500 && reference === "";
  return { ok: false, message, reference, status, declined: needsStepUp, loss: isForeign ? loss : "" };
}

/** Shows the message of a failed call. */
export function notifyFailure({ message, reference, loss }: Failure): void {
  const isNamed = reference === "" || message.endsWith(reference);
  const description = loss || (isNamed ? "" : `Reference: ${reference}`);
  notify.error(message, description ? { description } : {});
}

/** Returns a message with the id of the request that failed. */
export function withReference(message: string, reference: string): string {
  return message && reference ? message.replace(/\.?$/, `. Reference: ${reference}`) : message;
}

function methodOf({ method, json, body }: ApiCall): string {
  return method ?? (json === undefined && body === undefined ? "GET" : "POST");
}

async function send(path: string, call: ApiCall): Promise<Response> {
  const { json, body, background, signal } = call;
  const headers = new Headers({ accept: "application/json" });
  if (json !== undefined) headers.set("content-type", "application/json");
  if (background) headers.set("odin-background", "1");
  const sent = Date.now();
  const response = await fetch(path, {
    method: methodOf(call),
    headers,
    body: json === undefined ? body : JSON.stringify(json),
    signal,
  });
  noteServerTime(response.headers, { sent, received: Date.now() });
  return response;
}

function readJson<T>(response: Response): Promise<T> {
  return response.json();
}
