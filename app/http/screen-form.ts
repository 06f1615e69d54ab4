// Forms of screens are declared as data: the schema of the fields, access, the one domain call, and the message for the
// user. `screen-action.ts` runs them.

import * as z from "zod/mini";
import type { AppContext } from "#app/context.ts";
import type { NewSession } from "#app/domain/accounts/sign-in.ts";
import type { SessionAccess, UserAccess } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { stableId } from "#app/lib/crypto/stable-id.ts";
import type { RouteOptions } from "./access.ts";
import type { Upload, UploadedFile } from "./forms.ts";
import type { ScreenCall } from "./screen.ts";

/** The schema of a form that is only a button. */
export const noFields = z.object({});

export type FormCall<A extends SessionAccess, Body> = ScreenCall<A> & { body: Body; form: Upload };

/** The effects of a successful form. */
type Done<R, Body> = {
  /** The message, if it is not the `msg` of the domain call's result. */
  done?: string | ((result: R, body: Body) => string);
  /** Where the browser goes next; by default the same screen. */
  next?: string | ((result: R, call: ScreenCall<SessionAccess>) => string);
  /** The data that the answer shows, if it is not the whole result of the domain call. */
  shows?: (result: R, body: Body, call: ScreenCall<SessionAccess>) => unknown;
  /** The tokens with which the session continues. */
  session?: (result: R) => NewSession;
  /** The session ends, and the browser deletes its cookie. */
  endsSession?: boolean;
};

/** Returns the version of settings: a digest of their JSON. <ScreenForm> sends the version that it shows. */
export function settingsVersion(settings: unknown): string {
  return stableId(JSON.stringify(settings));
}

type Save = {
  actor: SessionActor;
  key: string | undefined;
  content: { what: string; fields: unknown; files: readonly UploadedFile[] };
};

/** Keeps answers by the idempotency keys of forms. */
type KeptAnswers = {
  find(app: AppContext, save: Save): Promise<unknown>;
  keep(app: AppContext, save: Save, answer: unknown): Promise<void>;
};

export type FormOptions<A extends SessionAccess = SessionAccess> = Pick<RouteOptions, "stepUp"> & {
  /** The access level of this form, if it is stricter than the screen's. */
  access?: UserAccess;
  /** Fields that may have several values; the schema gets them as lists. */
  lists?: readonly string[];
  /** Whether the answer fills the form again, as for a filter. */
  keeps?: boolean;
  /** Converts the fields to the schema's input, if names or shapes differ. */
  shape?: (form: Upload) => unknown;
  /**
   * Returns the settings that the form replaces as a whole. A form that was opened with others is refused: it would
   * undo what someone else saved in the meantime. With `answers`, a form that is sent again because its answer was lost
   * gets the first answer instead.
   */
  replaces?: (call: ScreenCall<A>) => Promise<unknown>;
  answers?: KeptAnswers;
};

/** The outcome of a form. */
export type Outcome = {
  result: unknown;
  message: string;
  next: string;
  endsSession: boolean;
  session: NewSession | undefined;
};

/** A form of a screen, as its action runs it. */
export type ScreenForm<A extends SessionAccess> = FormOptions<A> & {
  schema: z.ZodMiniType;
  run: (call: FormCall<A, unknown>) => Promise<Response | Outcome>;
};

/**
 * Declares a form of a screen: the schema of its fields and its one domain call. A handler may return its own Response,
 * such as a redirect that sets a cookie.
 */
export function screenForm<A extends SessionAccess, S extends z.ZodMiniType, R>(
  schema: S,
  handler: (call: FormCall<A, z.infer<S>>) => R | Promise<R>,
  {
    done = messageOf,
    next = "",
    endsSession = false,
    shows = resultOf,
    session,
    ...options
  }: FormOptions<A> & Done<Awaited<Exclude<R, Response>>, z.infer<S>> = {},
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
      const to = typeof next === "function" ? next(known, call) : next;
      return { result: shows(known, body, call), message, next: to, endsSession, session: session?.(known) };
    },
  };
}

/** Returns the message of a domain call's result, from either of the documented fields. */
function messageOf(result: unknown): string {
  const { msg, message }: Record<string, unknown> = typeof result === "object" ? { ...result } : {};
  if (typeof msg === "string") return msg;
  return typeof message === "string" ? message : "";
}

/** Returns a domain call's result without its message, or undefined if nothing is left. */
function resultOf(result: unknown): unknown {
  const isMessage = typeof result === "object" && result !== null && Object.keys(result).join() === "msg";
  return isMessage ? undefined : (result ?? undefined);
}
