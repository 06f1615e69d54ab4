// Forms of screens are declared as data: the schema of the fields, who may send it, the one domain call, and what the
// user is told. `screen-action.ts` runs them.

import * as z from "zod/mini";
import type { Access } from "#app/entities/accounts/access.ts";
import type { RouteOptions } from "./access.ts";
import type { Upload } from "./forms.ts";
import type { ScreenCall } from "./screen.ts";

/** The schema of a form that is a button alone. */
export const noFields = z.object({});

export type FormCall<A extends Access, Body> = ScreenCall<A> & { body: Body; form: Upload };

/** What is said and where the browser goes after a form was carried out. */
type Done<R, Body> = {
  /** What the user is told, where that is not the `msg` that the domain call returned. */
  done?: string | ((result: R, body: Body) => string);
  /** Where the browser goes next; the same screen where absent. */
  next?: string | ((result: R, params: ScreenCall<Access>["params"]) => string);
  /** What the answer shows, where that is not all that the domain call returned. */
  shows?: (result: R, body: Body) => unknown;
  /** The session continues under this token. */
  token?: (result: R) => string;
  /** The session is over: the browser forgets its cookie. */
  endsSession?: boolean;
};

export type FormOptions = Pick<RouteOptions, "stepUp"> & {
  /** Who may send this form, where that is fewer than may see the screen. */
  access?: Exclude<Access, "public" | "local" | "webhook">;
  /** Fields of which there may be several: they reach the schema as lists. */
  lists?: readonly string[];
  /** The answer fills the form again, as that of a filter does. */
  keeps?: boolean;
  /** Turns the fields into what the schema reads, where names or shapes differ. */
  shape?: (form: Upload) => unknown;
};

/** What a form came to. */
export type Outcome = {
  result: unknown;
  message: string;
  next: string;
  endsSession: boolean;
  token: string | undefined;
};

/** One form of a screen, as its action runs it. */
export type ScreenForm<A extends Access> = FormOptions & {
  schema: z.ZodMiniType;
  run: (call: FormCall<A, unknown>) => Promise<Response | Outcome>;
};

/**
 * Declares one form of a screen: the schema of its fields and the one domain call it makes. A handler may answer with a
 * Response of its own, such as a redirect that sets a cookie.
 */
export function screenForm<A extends Access, S extends z.ZodMiniType, R>(
  schema: S,
  handler: (call: FormCall<A, z.infer<S>>) => R | Promise<R>,
  {
    done = messageOf,
    next = "",
    endsSession = false,
    shows = resultOf,
    token,
    ...options
  }: FormOptions & Done<Awaited<Exclude<R, Response>>, z.infer<S>> = {},
): ScreenForm<A> {
  return {
    ...options,
    schema,
    async run(call) {
      const { body } = call as FormCall<A, z.infer<S>>;
      const result = await handler(call as FormCall<A, z.infer<S>>);
      if (result instanceof Response) return result;
      const known = result as Awaited<Exclude<R, Response>>;
      const message = typeof done === "function" ? done(known, body) : done;
      const to = typeof next === "function" ? next(known, call.params) : next;
      return { result: shows(known, body), message, next: to, endsSession, token: token?.(known) };
    },
  };
}

/** The message of a domain call's result, under either of the names that the documented calls use. */
function messageOf(result: unknown): string {
  const { msg, message } = (result ?? {}) as { msg?: unknown; message?: unknown };
  if (typeof msg === "string") return msg;
  return typeof message === "string" ? message : "";
}

/** What a domain call returned beside its message; undefined where that is nothing. */
function resultOf(result: unknown): unknown {
  const isMessage = typeof result === "object" && result !== null && Object.keys(result).join() === "msg";
  return isMessage ? undefined : (result ?? undefined);
}
