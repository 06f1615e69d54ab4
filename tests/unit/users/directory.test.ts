import { expect, it } from "vitest";
import { RoleName, Username } from "#app/entities/users/directory.ts";

it.each([
  ["O'Brien", "o'brien"],
  [" Ann+LPR@agency.example ", "ann+lpr@agency.example"],
  ["John A. Smith", "john a. smith"],
  ["7-of_9", "7-of_9"],
  ["a".repeat(64), "a".repeat(64)],
])("a username may have apostrophes, plus signs and single spaces: %j", (typed, username) => {
  expect(Username.parse(typed)).toBe(username);
});

it.each([
  ["", "Username is required."],
  ["a".repeat(65), "A username can have at most 64 characters."],
  ...["'ann", "+ann", "=ann", "ann  lee", "ann\tlee", "service:ann", "a,b", 'a"b', "ann\u00a0lee"].map(
    (typed) => [
      typed,
      "A username can contain letters, digits, single spaces and . _ @ ' + - and starts with a letter or digit.",
    ],
  ),
  // The audit log would show it as the agency's identity provider.
  ["SCIM Client", "This username is reserved."],
])("a username is refused with the reason: %j", (typed, problem) => {
  expect(Username.safeParse(typed).error?.issues[0]?.message).toBe(problem);
});

it("a role may be capitalized, as screens show it, and is one of two", () => {
  for (const typed of ["admin", "Admin", " ADMIN "]) expect(RoleName.parse(typed)).toBe("admin");
  for (const wrong of ["owner", "", null, undefined, 1])
    expect(RoleName.safeParse(wrong).error?.issues[0]?.message).toBe("Role must be user or admin.");
});
