/** What the action of a screen answers to a form. The same answer serves the page that is drawn without scripts. */
export type FormAnswer<T = unknown> = {
  /** Which form of the screen was sent. */
  intent: string;
  ok: boolean;
  /** What to tell the user; empty where only fields have problems. */
  message: string;
  /** The problem of each field, by the field's name. */
  problems: Record<string, string>;
  /** What was sent, by field name, to fill the form again. Secrets and files are left out. */
  values: Record<string, string[]>;
  /** The call is privileged and the last proof of identity is too old: ask for it, then send the form again. */
  stepUp: boolean;
  /** Signed out: no form can be sent until the user has signed in again. */
  signedOut: boolean;
  /** Where the browser goes after success; empty to stay. */
  next: string;
  /** What the domain call returned. */
  result: T | undefined;
};

/** The hidden field that names the form, and the fields in which a form without scripts carries its proof of identity. */
export const FORM_FIELDS = { intent: "intent", password: "step_up_password", code: "step_up_code" } as const;

/** Fields whose values are never sent back. */
const SECRET = /password$|secret|api_key|^code$|_code$|token|proof/i;

/** An answer that says why a form was refused. */
export function refusedForm(
  intent: string,
  message: string,
  more: Partial<Pick<FormAnswer, "problems" | "values" | "stepUp" | "signedOut">> = {},
): FormAnswer {
  return {
    intent,
    ok: false,
    message,
    problems: {},
    values: {},
    stepUp: false,
    signedOut: false,
    next: "",
    result: undefined,
    ...more,
  };
}

/** The fields of a form that may be sent back to fill it again. */
export function valuesOf(lists: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(lists).filter(([name]) => name !== FORM_FIELDS.intent && !SECRET.test(name)),
  );
}
