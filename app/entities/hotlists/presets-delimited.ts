/** Presets whose fields are separated, and whose lines do not name them. */

import { at, csv, info, type Preset } from "./preset-parts.ts";

/** Twelve columns of an NCIC extract, as Minnesota and Topeka have them. */
const NCIC_COLUMNS = [
  info("ORI", { column: 1 }),
  info("entered", { column: 2 }),
  at("plate", 3),
  at("state", 4),
  info("plate year", { column: 5 }),
  at("plateType", 6),
  at("year", 7),
  at("make", 8),
  at("model", 9),
  at("body", 10),
  at("color", 11),
];

const florida = (color: number, columns: [number, number], reason: string[]): Preset => ({
  layout: csv([at("plate", 0), at("state", 1), at("reason", 2), at("color", color), at("make", color + 1)]),
  columns,
  checks: [{ column: 2, is: reason }],
});

export const DELIMITED_PRESETS = {
  genetec: {
    layout: {
      kind: "delimited",
      delimiter: ";",
      header: 0,
      parts: [
        at("reason", 0),
        at("state", 1),
        at("plate", 2),
        at("effective", 3),
        at("expiry", 4),
        at("notes", 5),
      ],
    },
    columns: [5, 6],
    checks: [
      { column: 0, is: "filled" },
      { column: 3, is: "day" },
      { column: 4, is: "day" },
    ],
  },
  alabama: {
    layout: csv([
      at("plate", 0),
      info("record", { column: 2 }),
      at("make", 3),
      at("model", 4),
      at("color", 5),
      at("year", 6),
      at("reason", 7),
      at("state", 8),
    ]),
    columns: [9, 9],
    checks: [
      { column: 6, is: "yearOrBlank" },
      { column: 7, is: "filled" },
      { column: 8, is: "code" },
    ],
  },
  florida: {
    layout: {
      ...csv([
        at("reason", 0),
        info("ORI", { column: 1 }),
        info("agency", { column: 2 }),
        at("caseNumber", 3),
        at("caseNumber", 4),
        info("PCN", { column: 5 }),
        info("NCIC", { column: 6 }),
        info("date", { column: 7 }),
        at("plate", 10),
        info("plate year", { column: 11 }),
        at("state", 12),
        at("plateType", 13),
      ]),
      delimiter: ";",
    },
    columns: [13, 15],
    checks: [
      { column: 0, is: "filled" },
      { column: 12, is: "code" },
    ],
  },
  "florida-license": florida(10, [13, 13], ["EXPIRED DRIVER LICENSE", "EXPIRED DRIVER LICENSES"]),
  "florida-sanctioned": florida(9, [11, 14], ["SUSPENDED/REVOKED/CANCELLED LICENSE"]),
  "florida-offender": florida(12, [14, 16], ["SEXUAL OFFENDERS/PREDATORS"]),
  "florida-tag": {
    layout: csv(
      [
        at("plate", 0),
        at("state", 1),
        { field: "color", column: 2, word: -2 },
        { field: "make", column: 2, word: -1 },
        info("", { column: 2 }),
      ],
      { reason: "Expired tag" },
    ),
    columns: [3, 14],
    checks: [{ column: 2, from: 0, to: 11, is: ["EXPIRED TAG"] }],
  },
  georgia: {
    layout: csv([
      { field: "plate", column: 0, from: 0, to: 8 },
      { field: "state", column: 0, from: 8, to: 10 },
      { field: "reason", column: 0, from: 12 },
      at("make", 1),
      at("year", 2),
      at("model", 3),
      at("color", 4),
    ]),
    columns: [5, 6],
    checks: [
      { column: 0, from: 8, to: 10, is: "code" },
      { column: 0, from: 10, to: 11, is: ["#"] },
      { column: 2, is: "yearOrBlank" },
    ],
  },
  iowa: {
    layout: csv(
      [
        at("plate", 0),
        info("plate year", { column: 1 }),
        at("plateType", 2),
        at("state", 3),
        at("caseNumber", 4),
        { ...at("reason", 5), codes: "iowa" },
        info("ORI", { column: 6 }),
      ],
      { ncic: true },
    ),
    columns: [7, 7],
    checks: [{ column: 5, is: ["B", "SR", "PO", "MP", "N", "LP", "CNVP", "VGT", "SFV", "WP", "SOR"] }],
  },
  indiana: {
    // Names, addresses and birth dates of the file are not imported.
    layout: csv([
      at("plate", 20),
      at("state", 16),
      at("reason", 13),
      at("year", 18),
      at("model", 17),
      at("plateType", 19),
    ]),
    columns: [21, 21],
    checks: [
      { column: 16, is: "code" },
      { column: 18, is: "yearOrBlank" },
    ],
  },
  topeka: {
    layout: csv([{ ...at("reason", 0), codes: "ncic" }, ...NCIC_COLUMNS], { ncic: true }),
    columns: [12, 12],
    checks: [
      { column: 0, is: "letter" },
      { column: 2, is: "day" },
    ],
  },
  minnesota: {
    layout: csv(
      [{ field: "reason", column: 0, from: 0, to: 1, codes: "ncic" }, at("caseNumber", 0), ...NCIC_COLUMNS],
      { ncic: true },
    ),
    columns: [12, 12],
    checks: [
      { column: 0, is: "ncicId" },
      { column: 2, is: "day" },
    ],
  },
  ohio: {
    layout: {
      ...csv(
        [
          at("plate", 1),
          at("state", 2),
          { field: "reason", column: 9, rest: true, when: { column: 9, is: ["0H", "OH"] } },
          { field: "reason", column: 10, from: 0, to: 1, codes: "ohio" },
          info("plate expires", { column: 3 }),
          info("dated", { column: 4 }),
          at("year", 7),
          at("make", 5),
          at("model", 6),
          at("color", 8),
          { ...info("", { column: 9 }), rest: true },
        ],
        { ncic: true, skip: ["SP2-", "and to leave"] },
      ),
      delimiter: " ",
    },
    columns: [10, 30],
    checks: [
      { column: 0, from: 0, to: 1, is: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] },
      { column: 3, is: "slashDate" },
    ],
  },
  "texas-ncic": {
    layout: csv(
      [
        { field: "reason", column: 0, from: 0, to: 1, codes: "ncic" },
        at("caseNumber", 0),
        info("ORI", { column: 1 }),
        info("entered", { column: 2 }),
        at("plate", 3),
        at("state", 4),
        info("plate year", { column: 5 }),
        at("year", 6),
        at("make", 7),
        at("model", 8),
        at("body", 9),
        at("color", 10),
      ],
      { ncic: true },
    ),
    columns: [11, 11],
    checks: [
      { column: 0, is: "ncicId" },
      { column: 2, is: "day" },
    ],
  },
  "texas-tcic": {
    layout: csv(
      [
        { field: "reason", column: 0, from: 1, to: 2, codes: "texas" },
        at("caseNumber", 0),
        at("plate", 1),
        at("state", 2),
        at("year", 3),
        at("make", 4),
        at("model", 5),
        at("body", 6),
        at("color", 7),
      ],
      { ncic: true },
    ),
    columns: [8, 8],
    checks: [
      { column: 0, from: 0, to: 1, is: ["T"] },
      { column: 0, from: 1, to: 2, is: "letter" },
      { column: 3, is: "yearOrBlank" },
    ],
  },
  "washington-stolen": {
    layout: csv(
      [
        info("ORI", { column: 1 }),
        at("plate", 2),
        at("state", 3),
        info("plate year", { column: 4 }),
        at("plateType", 5),
        info("VIN", { column: 6 }),
        at("year", 7),
        at("make", 8),
        at("model", 9),
        at("body", 10),
        at("color", 11),
        info("stolen", { column: 12 }),
        at("caseNumber", 13),
        { field: "notes", column: 14, rest: true },
      ],
      { reason: "Active stolen vehicle", ncic: true },
    ),
    columns: [7, 40],
    checks: [{ column: 0, is: ["EVS"] }],
  },
  simple: {
    layout: csv([at("plate", 0)]),
    columns: [1, 1],
    checks: [],
  },
} satisfies Record<string, Preset>;
