// The self-description of an entry of an endpoint table. The OpenAPI document (openapi/document.ts) is generated from
// it, and the handler must return the described type.

import * as z from "zod/mini";
import { named } from "#app/lib/json/named-schema.ts";

/** The response if the call succeeds. `schema` describes its JSON; null if it is never JSON. */
type Answer<S extends z.ZodMiniType | null = z.ZodMiniType | null> = {
  schema: S;
  /** 200 if absent. */
  status?: 201;
  /** Other forms of the response, by media type. */
  media: Readonly<Record<string, string>>;
  /** Whether a call with the header Range gets a part of the file, with status 206. */
  inParts?: boolean;
  /** Statuses without a body, and their meanings. */
  bare: Readonly<Partial<Record<204 | 302 | 303 | 304, string>>>;
  /** Headers of the answer, and their meanings. */
  headers: Readonly<Record<string, string>>;
};

/** Further facts about an endpoint. */
export type EndpointFacts = {
  /** Details that the summary leaves out. */
  details?: string;
  /** The parameters after "?". All are text; the schema says which are accepted. */
  query?: z.ZodMiniObject;
  /** A JSON body that the handler reads itself. */
  json?: z.ZodMiniType;
  /** A form that the handler reads itself. */
  form?: { fields: z.ZodMiniObject; files?: Readonly<Record<string, string>>; urlEncoded?: boolean };
  /** A file that is the body itself, by media type. */
  file?: Readonly<Record<string, string>>;
  /** Request headers of this endpoint, and their effects. */
  headers?: Readonly<Record<string, string>>;
  /** The body of a failure, if it is not the common one: plain text, or JSON with more fields. */
  failure?: "text" | z.ZodMiniType;
  /** Its media type, if it is not JSON's own. */
  failureMedia?: string;
  /** For Odin's own screens. It is documented, but may change without notice. */
  internal?: true;
  /** Why the document leaves it out. */
  hidden?: string;
};

export type About<S extends z.ZodMiniType | null = z.ZodMiniType | null> = {
  summary: string;
  answer: Answer<S>;
  more: EndpointFacts;
};

/** Returns the description of an endpoint: a summary in one sentence, its response, and further facts. */
export function about<S extends z.ZodMiniType>(summary: string, answer: S, more?: EndpointFacts): About<S>;
export function about<S extends z.ZodMiniType | null>(
  summary: string,
  answer: Answer<S>,
  more?: EndpointFacts,
): About<S>;
export function about(summary: string, answer: z.ZodMiniType | Answer, more: EndpointFacts = {}): About {
  return { summary, answer: "media" in answer ? answer : jsonAnswer(answer), more };
}

type AnswerOptions = {
  status?: 201;
  inParts?: boolean;
  media?: Answer["media"];
  bare?: Answer["bare"];
  headers?: Answer["headers"];
};

/** Returns a JSON response, which may have other forms too. */
export function jsonAnswer<S extends z.ZodMiniType>(schema: S, options: AnswerOptions = {}): Answer<S> {
  return { schema, media: {}, bare: {}, headers: {}, ...options };
}

/** Returns a response that is a file, a text or a page. */
export function file(media: Answer["media"], options: AnswerOptions = {}): Answer<null> {
  return { schema: null, media, bare: {}, headers: {}, ...options };
}

/** An empty JSON object, for calls whose status is the whole answer. */
export const Done = z.object({});

/** A response with only a message for the user. */
export const Message = named("Message", z.object({ msg: z.string() }));

/** The response to a call that created something. */
export const Created = named("Created", z.object({ msg: z.string(), id: z.string() }));

/** What a handler may return: a value of its schema, or a finished response. */
export type HandlerResult<S extends z.ZodMiniType | null> =
  | Response
  | (S extends z.ZodMiniType ? Unchangeable<z.input<S>> : never)
  // biome-ignore lint/suspicious/noConfusingVoidType: the domain functions of these calls return nothing
  | (S extends typeof Done ? void : never);

/** A type whose lists and fields may be read-only. */
type Unchangeable<T> = T extends readonly (infer E)[]
  ? readonly Unchangeable<E>[]
  : T extends object
    ? { readonly [key in keyof T]: Unchangeable<T[key]> }
    : T;

/** Facts of calls that add something. */
export const ADDS_ONCE: EndpointFacts = {
  details: "Repeated unchanged with its `idempotency_key`, it adds nothing.",
};

/** Facts of calls whose answer contains a secret that is shown only once. */
export const ADDS_SECRET_ONCE: EndpointFacts = {
  details: "Repeated unchanged with its `idempotency_key`, it adds nothing and gets 409.",
};
