import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressText } from "#app/entities/search/address.ts";

const word = fc.stringMatching(/^[A-Z][a-z]{2,8}$/).filter((text) => !/^(United|USA)/.test(text));
const zip = fc.stringMatching(/^\d{5}$/);
const number = fc.stringMatching(/^[1-9]\d{0,3}[A-Z]?$/);

describe("addresses", () => {
  it.each([
    ["533, Maple Ave, Hartford, Connecticut, 06605, United States", "533 Maple Ave, Hartford, CT 06605"],
    [
      "80, Seymour Street, South Green, Hartford, Capitol Planning Region, Connecticut, 06106, United States",
      "80 Seymour Street, Hartford, CT 06106",
    ],
    [
      "Interstate 84, Parkville, Hartford, Connecticut, United States",
      "Interstate 84, Parkville, Hartford, CT",
    ],
    [
      "City Hall, 550-B, Main Street, Hartford, Connecticut, 06103-1234, United States of America",
      "City Hall, 550-B Main Street, Hartford, CT 06103-1234",
    ],
    [
      "1600, Pennsylvania Avenue, Washington, District of Columbia, 20500, USA",
      "1600 Pennsylvania Avenue, Washington, DC 20500",
    ],
    ["12, Rue Cler, Paris, 75007, France", "12, Rue Cler, Paris, 75007, France"],
    ["1.2 mi NE of West Hartford, CT", "1.2 mi NE of West Hartford, CT"],
    ["United States", "United States"],
    ["", ""],
  ])("writes %j as %j", (long, text) => {
    expect(addressText(long)).toBe(text);
  });

  it("keeps house number, street, city and ZIP of every address, whatever lies between", () => {
    fc.assert(
      fc.property(
        number,
        word,
        word,
        fc.array(word, { maxLength: 3 }),
        zip,
        (house, street, city, between, code) => {
          const middle = between
            .map((part) => `${part} `)
            .concat(`${city}, Fairfield County, `)
            .join(", ");
          const long = `${house}, ${street} Rd, ${middle.replace(/ , /g, ", ")}Connecticut, ${code}, United States`;
          expect(addressText(long)).toBe(`${house} ${street} Rd, ${city}, CT ${code}`);
        },
      ),
    );
  });

  it("is idempotent and never throws, whatever the text", () => {
    const part = fc.oneof(
      word,
      zip,
      number,
      fc.string(),
      fc.constantFrom("Texas", "United States", "Kent County"),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const once = addressText(parts.join(", "));
        expect(addressText(once)).toBe(once);
      }),
    );
  });
});
