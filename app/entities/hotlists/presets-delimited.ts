/** Presets with separated fields and no heading line. */

import type { LayoutPart } from "./layout.ts";
import { at, columnsFrom, csv, info, type Preset } from "./preset-parts.ts";

const VEHICLE = ["year", "make", "model", "body", "color"] as const;

/** Columns 1 to 11 of an NCIC extract with 12 columns, used by Minnesota and Topeka. */
const NCIC_COLUMNS = columnsFrom(
  1,
  ["ORI"],
  ["entered"],
  "plate",
  "state",
  ["plate year"],
  "plateType",
  ...VEHICLE,
);
/** A record number that begins with the NCIC file code. */
const NCIC_RECORD: LayoutPart[] = [
  { field: "reason", column: 0, from: 0, to: 1, codes: "ncic" },
  at("caseNumber", 0),
];

const florida = (color: number, columns: [number, number], reason: string[]): Preset => ({
  layout: csv([at("plate", 0), at("state", 1), at("reason", 2), at("color", color), at("make", color + 1)]),
  columns,
  checks: [{ column: 2, is: reason }],
});

/** The layouts of files with delimiters, by preset. */
export const DELIMITED_PRESETS = {
  genetec: {
    layout: {
      kind: "delimited",
      delimiter: ";",
      header: 0,
      parts: columnsFrom(0, "reason", "state", "plate", "effective", "expiry", "notes"),
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
      ...columnsFrom(3, "make", "model", "color", "year", "reason", "state"),
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
        ...columnsFrom(
          0,
          "reason",
          ["ORI"],
          ["agency"],
          "caseNumber",
          "caseNumber",
          ["PCN"],
          ["NCIC"],
          ["date"],
        ),
        ...columnsFrom(10, "plate", ["plate year"], "state", "plateType"),
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
      ...columnsFrom(1, "make", "year", "model", "color"),
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
        ...columnsFrom(0, "plate", ["plate year"], "plateType", "state", "caseNumber"),
        { ...at("reason", 5), codes: "iowa" },
        info("ORI", { column: 6 }),
      ],
      { ncic: true },
    ),
    columns: [7, 7],
    checks: [{ column: 5, is: ["B", "SR", "PO", "MP", "N", "LP", "CNVP", "VGT", "SFV", "WP", "SOR"] }],
  },
  indiana: {
    // Privacy: names, addresses and birth dates in the file are not imported.
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
    layout: csv([...NCIC_RECORD, ...NCIC_COLUMNS], { ncic: true }),
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
      [...NCIC_RECORD, ...columnsFrom(1, ["ORI"], ["entered"], "plate", "state", ["plate year"], ...VEHICLE)],
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
        ...columnsFrom(1, "plate", "state", ...VEHICLE),
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
        ...columnsFrom(1, ["ORI"], "plate", "state", ["plate year"], "plateType", ["VIN"], ...VEHICLE),
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
