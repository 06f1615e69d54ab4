import { describe, expect, it } from "vitest";
import { type Command, findCommands } from "#app/components/shell/commands.ts";

const entry = (kind: Command["kind"], label: string, note = ""): Command => ({ kind, label, note, to: "/" });
const COMMANDS = [
  entry("Screens", "Search"),
  entry("Screens", "Review", "Oversight"),
  entry("Groups", "Missing persons", "Details"),
  entry("Cameras", "I-84 at exit 48", "Axis"),
  ...Array.from({ length: 30 }, (_, i) => entry("Users", `Mia Miller ${i}`)),
  entry("Users", "Missy Adams"),
];
const labels = (text: string) => findCommands(COMMANDS, text).map(({ label }) => label);

describe("the command palette", () => {
  it("lists all screens, and nothing else, until something is typed", () => {
    expect(labels("  ")).toEqual(["Search", "Review"]);
  });

  it("finds entries that contain every typed word, also in the note, with those that start with the text first", () => {
    expect(labels("oversight rev")).toEqual(["Review"]);
    expect(labels("MISS")).toEqual(["Missing persons", "Missy Adams"]);
    expect(labels("m")).toContain("Missing persons");
    expect(labels("zzz")).toEqual([]);
  });

  it("lists a few entries of each kind", () => {
    expect(labels("mi").filter((label) => label.startsWith("Mi"))).toHaveLength(9);
  });

  it.each([
    ["search plate abc123", "ABC123"],
    ["Plate abc", "ABC"],
    ["search ab*9?", "AB*9?"],
    ["abc 123", "ABC 123"],
  ])("offers to search the plate of %j", (text, plate) => {
    expect(findCommands(COMMANDS, text).at(-1)).toMatchObject({ kind: "Plate", plate, to: "/search" });
  });

  it.each(["review", "search", "plate ", "search plate", "search plate *", "a;b1", "x".repeat(40) + 1])(
    "offers no plate for %j",
    (text) => {
      expect(findCommands(COMMANDS, text).filter(({ kind }) => kind === "Plate")).toEqual([]);
    },
  );
});
