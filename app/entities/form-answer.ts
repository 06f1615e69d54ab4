/** The answer of a screen's action to a form. It also serves the page that is rendered without scripts. */
export type FormAnswer<T = unknown> = {
  /** Which form of the screen was sent. */
  intent: string;
  ok: boolean;
  /** The message for the user; empty if only fields have problems. */
  message: string;
  /** The id of a request that was refused, under which an operator finds it in the log. */
  reference: string;
  /** The problem of each field, by the field's name. */
  problems: Record<string, string>;
  /** The sent values by field name, to fill the form again. Secrets and files are left out. */
  values: Record<string, string[]>;
  /**
   * The call is privileged and the last proof of identity is too old: the form asks for it and is then sent again.
   */
  stepUp: boolean;
  /** The user is signed out and must sign in before sending the form again. */
  signedOut: boolean;
  /** Odin itself failed: `message` contains no details, and the form names the action that failed. */
  bug: boolean;
  /** Why no answer of Odin arrived: one of `LOSS`, or empty. */
  loss: string;
  /** Where the browser goes after success; empty to stay on the page. */
  next: string;
  /** The version of the settings that the form shows now; empty if it replaces none. See `screenForm`. */
  version: string;
  /** The result of the domain call. */
  result: T | undefined;
};

/**
 * The hidden fields for the name of the form, the version of the settings that it shows and its idempotency key, and the
 * fields for proof of identity in a form without scripts.
 */
export const FORM_FIELDS = {
  intent: "intent",
  version: "settings_version",
  key: "idempotency_key",
  password: "step_up_password",
  code: "step_up_code",
} as const;

/** Messages about a change that got no answer from Odin. */
export const LOSS = {
  unsent: "You are offline. Nothing was sent.",
  unanswered: "Odin's answer did not arrive. Check whether this was done before you try again.",
  /** The same for a form with an idempotency key. */
  keyed: "Odin's answer did not arrive. Sent again unchanged, it is saved only once.",
  /** For an earlier attempt, when a later one is refused. */
  earlier: "An earlier attempt may have been done.",
} as const;

/** Returns a message with the note about a change that got no answer. */
export function withLoss(message: string, loss: string): string {
  if (message === "" || loss === "") return message || loss;
  return message + (message.endsWith(".") ? " " : ". ") + loss;
}

/** Fields that the form itself fills. */
const OWN: readonly string[] = [FORM_FIELDS.intent, FORM_FIELDS.version, FORM_FIELDS.key];

/** Fields whose values are never sent back. */
const SECRET = /password$|secret|api_key|^code$|_code$|token|proof/i;

/** Returns an answer that says why a form was refused. */
export function refusedForm(
  intent: string,
  message: string,
  more: Partial<
    Pick<
      FormAnswer,
      "reference" | "problems" | "values" | "version" | "stepUp" | "signedOut" | "bug" | "loss"
    >
  > = {},
): FormAnswer {
  return {
    intent,
    ok: false,
    message,
    reference: "",
    problems: {},
    values: {},
    stepUp: false,
    signedOut: false,
    bug: false,
    loss: "",
    next: "",
    version: "",
    result: undefined,
    ...more,
  };
}

/** Returns the fields of a form that may be sent back to fill it again. */
export function valuesOf(lists: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(lists).filter(([name]) => !OWN.includes(name) && !SECRET.test(name)),
  );
}
