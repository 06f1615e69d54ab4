import { afterEach, beforeEach, expect, vi } from "vitest";

const logged: string[] = [];
const raw: string[] = [];
let expected: RegExp[] = [];

/** Allows logged warnings and errors that match in the running test. All others fail it. */
export function expectLogged(...patterns: RegExp[]): void {
  expected.push(...patterns);
}

/** Returns the warnings and errors that the running test has logged. */
export function loggedText(): string {
  return logged.join("\n");
}

/** Returns the same lines exactly as the product wrote them. */
export function rawLog(): string {
  return raw.join("\n");
}

function textOf(value: unknown): string {
  if (value instanceof Error) return `${value.stack ?? value.message} ${textOf(value.cause ?? "")}`;
  if (typeof value !== "string") return JSON.stringify(value) ?? String(value);
  return value.startsWith('{"level":') ? textOfLine(value) : value;
}

type LoggedError = { name: string; message?: string; code?: string; causes?: LoggedError[] };

/** Returns the message of a line of the product's log, with a summary of its error. */
function textOfLine(line: string): string {
  const { message, error }: { message: string; error?: LoggedError } = JSON.parse(line);
  return error ? `${message}: ${textOfError(error)}` : message;
}

function textOfError({ name, message = "", code = "", causes = [] }: LoggedError): string {
  return [name, message, code, ...causes.map(textOfError)].filter((part) => part !== "").join(" ");
}

for (const level of ["error", "warn"] as const) {
  vi.spyOn(console, level).mockImplementation((...values) => {
    logged.push(values.map(textOf).join(" "));
    raw.push(values.map(String).join(" "));
  });
}

const lines: string[] = [];

/** Returns the log lines of the running test's requests. */
export function requestLines(): string[] {
  return [...lines];
}

vi.spyOn(console, "log").mockImplementation((...values) => {
  lines.push(values.map(String).join(" "));
});

beforeEach(() => {
  lines.length = 0;
  logged.length = 0;
  raw.length = 0;
  expected = [];
});

afterEach(() => {
  expect(logged.filter((line) => !expected.some((pattern) => pattern.test(line)))).toEqual([]);
});
