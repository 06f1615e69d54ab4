import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync(new URL("../../app/styles/app.css", import.meta.url), "utf8");

describe("fonts", () => {
  // While any font of a list is awaited, Firefox hides all of the text, such as the plates.
  test("never hide text that waits for them", () => {
    const faces = css.match(/@font-face \{[^}]*\}/g) ?? [];
    expect(faces).not.toHaveLength(0);
    for (const face of faces) expect(face).toContain("font-display: swap;");
  });
});
