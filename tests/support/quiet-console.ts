import { afterEach, beforeEach, expect, vi } from "vitest";

const logged: string[] = [];
let expected: RegExp[] = [];

/** Allows warnings and errors that match in the log of the running test. All others fail it. */
export function expectLogged(...patterns: RegExp[]): void {
  expected.push(...patterns);
}

/** Returns the warnings and errors that the running test has logged. */
export function loggedText(): string {
  return logged.join("\n");
}

function textOf(value: unknown): string {
  if (value instanceof Error) return `${value.stack ?? value.message} ${textOf(value.cause ?? "")}`;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}

for (const level of ["error", "warn"] as const) {
  vi.spyOn(console, level).mockImplementation((...values) => {
    logged.push(values.map(textOf).join(" "));
  });
}

const lines: string[] = [];

/** Returns the log lines of the running test's requests. */
export function requestLines(): string[] {
  return [...lines];
}

vi.spyOn(console, "log").mockImplementation((...values) => {
  lines.push(values.map(textOf).join(" "));
});

beforeEach(() => {
  lines.length = 0;
  logged.length = 0;
  expected = [];
});

afterEach(() => {
  expect(logged.filter((line) => !expected.some((pattern) => pattern.test(line)))).toEqual([]);
});
