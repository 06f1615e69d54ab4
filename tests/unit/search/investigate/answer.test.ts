import { expect, test } from "vitest";
import { chanceText, placeName } from "#app/entities/search/investigate/answer.ts";

test.each([
  [-0.04, "expected by chance"],
  [-0.05, "1 in 1.1"],
  [-0.3, "1 in 2"],
  [-0.99, "1 in 9.8"],
  [-1, "1 in 10"],
  [-1.07, "1 in 12"],
  [-8.99, "1 in 980,000,000"],
  [-9, "1 in 1,000,000,000"],
  [-9.01, "less than 1 in a billion"],
])("a chance of 10 to the power of %d is written as %s", (log10, text) => {
  expect(chanceText(log10)).toBe(text);
});

test("a place without a name has its number", () => {
  expect([placeName({ name: "" }, 0), placeName({ name: "" }, 4), placeName({ name: "Store" }, 0)]).toEqual([
    "Place 1",
    "Place 5",
    "Store",
  ]);
});
