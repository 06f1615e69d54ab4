// The log: one JSON line per entry, with the request that it belongs to. A line must not name a person or a plate, or
// contain a secret: callers write fixed texts and ids, and error messages are reduced here.

import { AsyncLocalStorage } from "node:async_hooks";

/** The request, batch of messages or scheduled run that is being answered. */
type Trace = {
  /** Random, and shown to the user with an error. */
  requestId: string;
  /** The pattern of the route, `queue odin-jobs` or `cron * * * * *`. */
  pattern: string;
  /** Cloudflare's id of the request. */
  ray?: string;
};

type Level = "info" | "warn" | "error";

/** The bundle has two copies of this module, which share the storage. */
const SHARED = Symbol.for("odin.trace");
const found: unknown = Reflect.get(globalThis, SHARED);
const traces: AsyncLocalStorage<Trace> =
  found instanceof AsyncLocalStorage ? found : new AsyncLocalStorage<Trace>();
Reflect.set(globalThis, SHARED, traces);

/** Runs work whose log lines carry this trace. */
export function traced<T>(trace: Trace, work: () => T): T {
  return traces.run(trace, work);
}

/** Returns the id of the current request, or an empty text outside of one. */
export function requestId(): string {
  return traces.getStore()?.requestId ?? "";
}

/** Returns Cloudflare's id of a request, or undefined if the header does not have its form. */
export function rayOf(request: Request): string | undefined {
  return /^[0-9a-f]{16}(-[A-Z]{3})?$/.exec(request.headers.get("cf-ray") ?? "")?.[0];
}

/** Logs a failure that needs attention. */
export function logError(message: string, error?: unknown): void {
  // biome-ignore lint/suspicious/noConsole: it is the log.
  console.error(logLine("error", message, error === undefined ? {} : { error: describeError(error) }));
}

/** Logs a failure that Odin handles by itself. */
export function logWarning(message: string, error?: unknown): void {
  // biome-ignore lint/suspicious/noConsole: it is the log.
  console.warn(logLine("warn", message, error === undefined ? {} : { error: describeError(error) }));
}

/** Logs an event with numbers and fixed names. */
export function logInfo(message: string, facts: Record<string, string | number>): void {
  // biome-ignore lint/suspicious/noConsole: it is the log.
  console.log(logLine("info", message, facts));
}

function logLine(level: Level, message: string, facts: object): string {
  const { requestId: request_id, pattern, ray } = traces.getStore() ?? {};
  return JSON.stringify({ level, message, request_id, ray, pattern, ...facts });
}

type Described = { name: string; message?: string; code?: string; stack?: string[]; causes?: Described[] };

const MAX_CAUSES = 4;
const MAX_FRAMES = 12;
const MAX_CHARACTERS = 300;

/**
 * Returns the parts of an error that the log may contain. An AppError's message is for its user and may name a plate.
 */
function describeError(error: unknown, depth = 0): Described {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = "", cause } = error;
  const code: unknown = Reflect.get(error, "code");
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const inner = error instanceof AggregateError ? error.errors : cause === undefined ? [] : [cause];
  return {
    name,
    ...(isQuoting(error) ? {} : { message: scrub(message) }),
    ...(typeof code === "string" && { code }),
    stack: frames.slice(0, MAX_FRAMES).map((line) => line.trim()),
    ...(inner.length > 0 &&
      depth < MAX_CAUSES && {
        causes: inner.slice(0, MAX_CAUSES).map((one: unknown) => describeError(one, depth + 1)),
      }),
  };
}

/** An AppError's message is for its user; parsers quote their input in any form. */
function isQuoting({ name }: Error): boolean {
  return name === "AppError" || name === "SyntaxError";
}

/**
 * Returns an error's message without values: its first line (Drizzle lists parameters on the second), addresses without
 * path and query, and no quotations, because parsers quote their input.
 */
function scrub(message: string): string {
  const [first = ""] = message.split("\n");
  const isQuery = first.startsWith("Failed query:");
  return first
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>]+/gi, (address) => URL.parse(address)?.origin ?? "(address)")
    .replace(isQuery ? /(?!)/ : /"[^"]*("|$)/g, '"…"')
    .replace(/(?<!\w)'[^']*('(?!\w)|$)/g, "'…'")
    .slice(0, MAX_CHARACTERS);
}
