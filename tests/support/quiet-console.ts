import { afterEach, beforeEach, expect, vi } from "vitest";

const logged: string[] = [];
let expected: RegExp[] = [];

/** Lets the running test log what fits; everything else that is logged as a warning or an error fails it. */
export function expectLogged(...patterns: RegExp[]): void {
  expected.push(...patterns);
}

/** What the running test has logged, as text. */
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

/** The lines that the running test's requests have left in the log. */
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
