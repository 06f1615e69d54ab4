import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseEntryState } from "#app/entities/hotlists/entry.ts";
import {
  isNoState,
  isSameJurisdiction,
  jurisdictionOf,
  plateCountry,
} from "#app/entities/search/jurisdiction.ts";
import { JURISDICTION_GROUPS, jurisdictionName, US_STATES } from "#app/entities/search/jurisdiction-names.ts";
import { stateFromRekor } from "#app/providers/vehicle-words.ts";

const ALL = JURISDICTION_GROUPS.flatMap((group) => [...group.jurisdictions]);

/** Returns the spellings of a jurisdiction that vendors use, from its code and its name. */
function spellings({ code, name }: { code: string; name: string }): string[] {
  const isoCode = code.includes("-") ? code : `US-${code}`;
  return [
    code,
    isoCode,
    isoCode.toLowerCase(),
    isoCode.replace("-", "_"),
    isoCode.replaceAll("O", "0"),
    name,
    name.toUpperCase(),
    name.toLowerCase().replaceAll(" ", "_"),
    name.normalize("NFD").replace(/\p{M}/gu, ""),
    ` ${name} `,
  ];
}

describe("jurisdictions", () => {
  it("are 50 states, 6 US territories and districts, 13 of Canada and 32 of Mexico, without duplicates", () => {
    expect(JURISDICTION_GROUPS.map((group) => group.jurisdictions.length)).toEqual([50, 6, 13, 32]);
    expect(new Set(ALL.map(({ code }) => code)).size).toBe(ALL.length);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  it("have one code for every spelling", () => {
    for (const jurisdiction of ALL) {
      for (const text of spellings(jurisdiction))
        expect([text, jurisdictionOf(text)]).toEqual([text, jurisdiction.code]);
      expect(jurisdictionName(jurisdiction.code)).toBe(jurisdiction.name);
    }
  });

  it("have one code regardless of case and separators", () => {
    const separator = fc.constantFrom("-", "_", " ", " - ");
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL),
        separator,
        fc.func(fc.boolean()),
        ({ code, name }, dash, upper) => {
          for (const text of [code, name]) {
            const written = text
              .replaceAll(/[- ]/g, dash)
              .replace(/\p{L}/gu, (letter) => (upper(letter) ? letter.toUpperCase() : letter.toLowerCase()));
            expect(jurisdictionOf(written)).toBe(code);
          }
        },
      ),
    );
  });

  it.each([
    ["us-ct", "CT"],
    ["ct", "CT"],
    ["CA", "CA"],
    ["us-ca", "CA"],
    ["ca-on", "CA-ON"],
    ["CA-ON", "CA-ON"],
    ["ON", "CA-ON"],
    ["0N", "CA-ON"],
    ["0H", "OH"],
    ["M0", "MO"],
    ["new_york", "NY"],
    ["Ontario", "CA-ON"],
    ["Québec", "CA-QC"],
    ["PQ", "CA-QC"],
    ["nf", "CA-NL"],
    ["Newfoundland & Labrador", "CA-NL"],
    ["NB", "CA-NB"],
    ["NK", "CA-NB"],
    ["SN", "CA-SK"],
    ["P.E.I.", "CA-PE"],
    ["D.C.", "DC"],
    ["Washington", "WA"],
    ["Washington, DC", "DC"],
    ["U.S. Virgin Islands", "VI"],
    ["GU", "GU"],
    ["GM", "GU"],
    ["mx-jal", "MX-JAL"],
    ["JL", "MX-JAL"],
    ["jal", "MX-JAL"],
    ["Nuevo Leon", "MX-NLE"],
    ["NL", "CA-NL"],
    ["mx-nl", "MX-NLE"],
    ["BC", "CA-BC"],
    ["mx-bc", "MX-BCN"],
    ["baja_california", "MX-BCN"],
    ["CDMX", "MX-CMX"],
    ["DF", "MX-CMX"],
    ["EM", "MX-MEX"],
    ["MEX-Mexico", "MX-MEX"],
    ["usa_ct", "CT"],
    [" us-ct ", "CT"],
    ["us-ct\nx", undefined],
    ["US:CT", "CT"],
    ["us/ct", "CT"],
    ["U.S. - C.T.", "CT"],
    ["can on", "CA-ON"],
    ["mx-r00", "MX-ROO"],
    ["mx-mich", "MX-MIC"],
    ["Mich", undefined],
    ["C0ahuila", undefined],
    ["us-us-ct", undefined],
    ["xus-ct", undefined],
    // Texts longer than 80 characters are not looked up.
    [`CT${" ".repeat(78)}`, "CT"],
    [`CT${" ".repeat(79)}`, undefined],
  ])("%s is %s", (text, code) => {
    expect(jurisdictionOf(text)).toBe(code);
  });

  it.each([
    ["NB", "NE"],
    ["NL", "MX-NLE"],
    ["GU", "MX-GUA"],
    ["MX", "MX-MEX"],
    ["NK", "CA-NB"],
    ["0N", "CA-ON"],
    ["QC", "CA-QC"],
    ["NE", "NE"],
    ["CA", "CA"],
    ["ca-nb", "CA-NB"],
  ])("%s in an NCIC record is %s", (text, code) => {
    expect(jurisdictionOf(text, { ncic: true })).toBe(code);
  });

  it("are read with the country that the sender gives", () => {
    expect(jurisdictionOf("NL", { country: "MX" })).toBe("MX-NLE");
    expect(jurisdictionOf("AL", { country: "MX" })).toBeUndefined();
    expect(jurisdictionOf("ca-on", { country: "US" })).toBe("CA-ON");
    expect(jurisdictionOf("México", { country: "MX" })).toBe("MX-MEX");
  });

  it("are not guessed from unclear text", () => {
    for (const text of [
      "",
      " ",
      "US",
      "MX",
      "Mexico",
      "mex",
      "ZZ",
      "Cali",
      "de-by",
      "ca-",
      "ca-zz",
      "C T X",
      "00",
    ])
      expect([text, jurisdictionOf(text)]).toEqual([text, undefined]);
    expect(jurisdictionName("ZZ")).toBe("ZZ");
  });

  it("of other countries never map to a US state", () => {
    const states = new Set<string>(US_STATES.map(({ code }) => code));
    fc.assert(
      fc.property(fc.stringMatching(/^(ca|mx|can|mex)[-_ ][a-z0-9]{1,12}$/), (text) => {
        expect(states.has(jurisdictionOf(text) ?? "")).toBe(false);
      }),
    );
  });

  it("accept any text without throwing, and return a stable code", () => {
    const context = fc.record({
      ncic: fc.boolean(),
      country: fc.constantFrom(undefined, "US" as const, "CA" as const, "MX" as const),
    });
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.stringMatching(/^[A-Za-z0]{2,3}$/),
      fc.stringMatching(/^(us|ca|mx)[-_ ][A-Za-z0]{2,3}$/),
    );
    fc.assert(
      fc.property(text, context, (written, within) => {
        const code = jurisdictionOf(written, within);
        if (code === undefined) return;
        expect(ALL.map((jurisdiction) => jurisdiction.code)).toContain(code);
        expect(jurisdictionOf(code)).toBe(code);
      }),
    );
  });

  it.each(["N/A", "n.a.", "Unknown", "UNK", "none", "null", "undefined", "-", "--", "–", ""])(
    "are not meant by %j, although NA is the code of Nayarit",
    (text) => {
      expect(isNoState(text)).toBe(true);
      for (const context of [{}, { ncic: true }, { country: "MX" as const }])
        expect(jurisdictionOf(text, context)).toBeUndefined();
      expect(parseEntryState(text)).toBe("");
      expect(stateFromRekor(text)).toBe("");
    },
  );

  it("are not stored for XX, by which cameras say that they do not know the state", () => {
    expect(parseEntryState("XX")).toBe("");
    expect(parseEntryState(" xx ")).toBe("");
    // NCIC's code of a foreign country.
    expect(parseEntryState("XB")).toBe("XB");
  });

  it("are meant by NA alone", () => {
    expect(isNoState("NA")).toBe(false);
    expect(jurisdictionOf("NA")).toBe("MX-NAY");
  });

  it("are found for the codes in older rows", () => {
    expect(isSameJurisdiction("ON", "CA-ON")).toBe(true);
    expect(isSameJurisdiction("CA-ON", "CA")).toBe(false);
    expect(isSameJurisdiction("us-ct", "Connecticut")).toBe(true);
    expect(isSameJurisdiction("CA-ON", "ZZ")).toBe(false);
    expect(isSameJurisdiction("ZZ", "ZZ")).toBe(true);
    expect(isSameJurisdiction("ZZ", "CT")).toBe(false);
    expect(isSameJurisdiction("", "CT")).toBe(false);
  });
});

describe("the country of a plate", () => {
  it.each([
    ["us", "US"],
    ["USA", "US"],
    ["U.S.A.", "US"],
    ["ca", "CA"],
    ["CAN", "CA"],
    ["Canada", "CA"],
    ["mx", "MX"],
    ["MEX", "MX"],
    ["México", "MX"],
    ["DEU", undefined],
    ["", undefined],
    // The name of a property that every object has.
    ["constructor", undefined],
  ] as const)("named %j is %s", (text, country) => {
    expect(plateCountry(text)).toBe(country);
  });
});
