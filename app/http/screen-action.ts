// Actions of screens: a table of a screen's forms, like the tables of endpoints. A form is sent as an HTML form, with
// or without scripts, and the answer fills the screen again. Each form makes the same domain call as the documented
// endpoint, under the same access rules.

import { type ActionFunctionArgs, data, redirect } from "@remix-run/cloudflare";
import { stepUp } from "#app/domain/accounts/second-factor.ts";
import type { SessionAccess } from "#app/entities/accounts/access.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { FORM_FIELDS, type FormAnswer, refusedForm, valuesOf } from "#app/entities/form-answer.ts";
import { AppError, ERROR_STATUS, isAppError } from "#app/lib/errors.ts";
import { requestId } from "#app/lib/log.ts";
import {
  arrivedSlowly,
  auditingRefusal,
  auditRefusal,
  guard,
  guardAgain,
  refuseCrossSite,
} from "./access.ts";
import { requireCleanFields } from "./clean-text.ts";
import { readForm, type Upload } from "./forms.ts";
import { noteBug } from "./responses.ts";
import { noticeCookie, type ScreenCall, type ScreenOptions, screenInstead } from "./screen.ts";
import { type Outcome, type ScreenForm, settingsVersion } from "./screen-form.ts";
import { actorOfCookie, callerOf, clearedSessionCookie, sessionCookie, signedInCookies } from "./session.ts";

/** Bytes. Forms without files are small; a screen with files sets its own limit. */
const FORM_LIMIT = 1024 * 1024;

type ActionOptions = ScreenOptions & { formLimit?: number };

/** The state of a form while it runs, for the answer to a refusal. */
type Sent = {
  upload: Upload | undefined;
  /** The cookie of a session that was renewed by a proof of identity. */
  cookie: string | undefined;
};

/**
 * Returns the action of a screen, with its table for tests to read. A refusal fills the form again and is never an
 * error page.
 */
export function screenAction<A extends SessionAccess>(
  access: A,
  forms: Record<string, ScreenForm<A>>,
  options: ActionOptions = {},
) {
  async function act(args: ActionFunctionArgs) {
    const sent: Sent = { upload: undefined, cookie: undefined };
    try {
      return await carryOut(args, sent);
    } catch (error) {
      if (error instanceof Response) return error;
      // Without scripts, the screen needs a session too, and its loader would redirect to the sign-in page without this
      // message.
      if (isAppError(error) && error.code === "unauthenticated" && !args.context.isDataCall)
        return redirect("/?ended=1");
      return refused(error, sent);
    }
  }

  async function carryOut({ context, request, params }: ActionFunctionArgs, sent: Sent) {
    const { app, isDataCall } = context;
    refuseCrossSite(request);
    const since = app.clock();
    const found = await context.session();
    const elsewhere = found && access !== "public" && screenInstead(found, request, options);
    if (elsewhere) {
      await auditRefusal({ app, actor: found, request }, new AppError("forbidden", unfinished(found)));
      return redirect(elsewhere);
    }
    await guard({ app, access, actor: found, request, options });
    const form = await readForm(request, options.formLimit ?? FORM_LIMIT);
    sent.upload = form;
    const isLate = found && arrivedSlowly(app, since);
    const session = isLate ? await guardAgain({ app, access, actor: found, request, options }) : found;
    const intent = intentOf(form);
    const chosen = Object.hasOwn(forms, intent) ? forms[intent] : undefined;
    if (!chosen) throw new AppError("bad_request", "This screen has no such form.");
    const proved = chosen.stepUp ? await proveIdentity(session, form) : session;
    if (chosen.access) await guard({ app, access: chosen.access, actor: proved, request, options });
    const sender = await guard({ app, access, actor: proved, request, options });
    const query = new URL(request.url).searchParams;
    requireCleanFields(query);
    const body = await checkedFields(chosen, form, (error) =>
      auditRefusal({ app, actor: sender, request }, error),
    );
    // Checked last: no one has to prove their identity for a form that is refused anyway.
    const needed = { during: options.during, stepUp: chosen.stepUp };
    const actor = await guard({ app, access, actor: sender, request, options: needed });
    const call = { app, actor, params, query, request };
    const answering = { intent, request, cookie: sent.cookie, isDataCall };
    const save = chosen.answers && actor && saveOf(actor, request, form);
    const earlier = save && ((await chosen.answers?.find(app, save)) as Saved | undefined);
    if (earlier)
      return succeeded({ ...PLAIN, ...earlier }, { ...answering, values: {}, version: earlier.version });
    const outcome = await auditingRefusal({ app, actor, request }, async () => {
      await requireVersion(chosen, call, form);
      return chosen.run({ ...call, body, form });
    });
    if (outcome instanceof Response) return outcome;
    const version = chosen.replaces ? settingsVersion(await chosen.replaces(call)) : "";
    const { message, next } = outcome;
    if (save) await chosen.answers?.keep(app, save, { message, next, version } satisfies Saved);
    const values = chosen.keeps ? valuesOf(form.lists) : {};
    return succeeded(outcome, { ...answering, values, version });

    /** Returns the session after the proof of identity that a form without scripts may contain. */
    async function proveIdentity(before: SessionActor | null, upload: Upload) {
      const proof = proofOf(upload);
      if (!before || !proof) return before;
      const { token } = await stepUp(app, before, proof).catch(refusedProof(proof));
      sent.cookie = sessionCookie(token);
      return actorOfCookie(app, token, callerOf(request));
    }
  }

  return Object.assign(act, { access, forms });
}

/**
 * The kept answer to a form that replaces settings: a form that is sent again because its answer was lost is not a
 * conflict.
 */
type Saved = Pick<Outcome, "message" | "next"> & { version: string };

const PLAIN = { result: undefined, endsSession: false, session: undefined };

function saveOf(actor: SessionActor, request: Request, { fields, lists, files }: Upload) {
  const { [FORM_FIELDS.key]: _, ...content } = lists;
  const what = `${new URL(request.url).pathname.replace(/\.data$/, "")} of a screen`;
  return {
    actor,
    key: fields[FORM_FIELDS.key],
    content: { what, fields: content, files: Object.values(files) },
  };
}

/** Throws AppError conflict if the form was opened with settings other than those that it would replace now. */
async function requireVersion<A extends SessionAccess>(
  { replaces }: ScreenForm<A>,
  call: ScreenCall<A>,
  { fields }: Upload,
): Promise<void> {
  const version = fields[FORM_FIELDS.version];
  if (!replaces || version === undefined || version === settingsVersion(await replaces(call))) return;
  throw new AppError(
    "conflict",
    "Someone else changed these settings after you opened this page. Your changes have not been saved. Open the page again to see theirs.",
  );
}

/** Returns why a session reaches only another screen, for the audit log. */
function unfinished({ noticeDue, sessionState }: SessionActor): string {
  return noticeDue ? "the use notification is not acknowledged" : `session is ${sessionState}`;
}

const intentOf = (upload: Upload | undefined) => upload?.fields[FORM_FIELDS.intent] ?? "";

async function checkedFields<A extends SessionAccess>(
  { schema, shape, lists = [] }: ScreenForm<A>,
  form: Upload,
  audit: (error: AppError) => Promise<void>,
): Promise<unknown> {
  const several = Object.fromEntries(lists.map((name) => [name, form.lists[name] ?? []]));
  const parsed = schema.safeParse(shape ? shape(form) : { ...form.fields, ...several });
  if (parsed.success) return parsed.data;
  const problems: Record<string, string> = {};
  for (const { path, message } of parsed.error.issues) {
    const field = path.findLast((step) => typeof step === "string") ?? "";
    problems[field] ??= message;
  }
  const message = Object.values(problems)[0] ?? "The form is not as documented.";
  const error = new AppError("bad_request", message, { problems });
  await audit(error);
  throw error;
}

/** Returns the proof of identity in a form without scripts. */
function proofOf({ fields }: Upload): { password: string } | { code: string } | undefined {
  const password = fields[FORM_FIELDS.password];
  if (password) return { password };
  const code = fields[FORM_FIELDS.code];
  return code ? { code } : undefined;
}

/** Throws the problem with a proof of identity as a problem of its field, so that the form asks again. */
function refusedProof(proof: object) {
  return (error: unknown): never => {
    if (!isAppError(error)) throw error;
    const field = "password" in proof ? FORM_FIELDS.password : FORM_FIELDS.code;
    throw new AppError("step_up_required", error.message, { problems: { [field]: error.message } });
  };
}

/**
 * Returns the answer to a successful form: data for scripts, a redirect for a plain form, so that reloading does not
 * send it again.
 */
function succeeded(
  { result, message, next, endsSession, session }: Outcome,
  input: {
    intent: string;
    request: Request;
    cookie: string | undefined;
    isDataCall: boolean;
    values: Record<string, string[]>;
    version: string;
  },
) {
  const { intent, request, isDataCall, values, version } = input;
  const renewed = session ? signedInCookies(session) : [input.cookie];
  const headers = new Headers();
  for (const cookie of endsSession ? [clearedSessionCookie()] : renewed)
    if (cookie) headers.append("set-cookie", cookie);
  // Something shown once, such as a temporary password, must be in this answer.
  if (!isDataCall && (result === undefined || next)) {
    if (message) headers.append("set-cookie", noticeCookie(message));
    const { pathname, search } = new URL(request.url);
    return redirect(next || pathname + search, { status: 303, headers });
  }
  const answer: FormAnswer = { ...refusedForm(intent, message, { values }), ok: true, next, version, result };
  return data(answer, { headers });
}

function refused(error: unknown, { upload, cookie }: Sent) {
  const intent = intentOf(upload);
  const headers: HeadersInit = cookie ? { "set-cookie": cookie } : {};
  const values = valuesOf(upload?.lists ?? {});
  // The form still shows the values that it was sent with.
  const version = upload?.fields[FORM_FIELDS.version] ?? "";
  const reference = requestId();
  if (!isAppError(error))
    return data(refusedForm(intent, noteBug(error), { reference, values, version, bug: true }), {
      status: 500,
      headers,
    });
  const field = error.field;
  const problems = error.problems ?? (field ? { [field]: error.message } : {});
  const { code, message } = error;
  const named = Object.keys(problems).some((name) => name !== "");
  return data(
    refusedForm(intent, named ? "" : message, {
      reference,
      problems,
      values,
      version,
      stepUp: code === "step_up_required",
      signedOut: code === "unauthenticated",
    }),
    { status: ERROR_STATUS[code], headers },
  );
}
