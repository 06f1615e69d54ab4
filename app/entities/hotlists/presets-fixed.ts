/** Presets with fixed-width fields. */

import { type Check, fixed, info, type Preset, span } from "./preset-parts.ts";

/** The vehicle part of the NCIC extract, after its date. Michigan and New Jersey use the same positions. */
const NCIC_VEHICLE = [
  span("plate", 27, 37),
  span("state", 37, 39),
  info("plate year", { from: 39, to: 43 }),
  span("plateType", 43, 45),
  span("year", 45, 49),
  span("make", 49, 53),
  span("model", 53, 56),
  span("body", 56, 58),
];
const NCIC_HEAD = [
  span("caseNumber", 0, 10),
  info("NCIC", { from: 0, to: 10 }),
  info("ORI", { from: 10, to: 19 }),
  info("entered", { from: 19, to: 27 }),
];
const NCIC_CHECKS: Check[] = [
  { from: 0, to: 1, is: "letter" },
  { from: 19, to: 27, is: "day" },
  { from: 39, to: 43, is: "yearOrBlank" },
];

const STOLEN = { from: 12, to: 19, is: ["STOLEN"] };
const PERSON = { from: 12, to: 19, is: ["MISSING", "WANTED"] };

/** The layouts of files with fixed positions, by preset. */
export const FIXED_PRESETS = {
  ncic: {
    layout: fixed(
      [{ ...span("reason", 0, 1), codes: "ncic" }, ...NCIC_HEAD, ...NCIC_VEHICLE, span("color", 58)],
      {
        ncic: true,
        minLength: 39,
      },
    ),
    checks: [...NCIC_CHECKS, { from: 0, to: 10, is: "ncicId" }, { from: 65, is: "blank" }],
  },
  "ncic-wa": {
    layout: fixed([{ ...span("reason", 2, 3), codes: "ncic" }, ...NCIC_HEAD, ...NCIC_VEHICLE.slice(0, 4)], {
      ncic: true,
      minLength: 39,
    }),
    checks: [
      { from: 0, to: 1, is: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"] },
      { from: 2, to: 3, is: "letter" },
      { from: 19, to: 27, is: "day" },
    ],
  },
  michigan: {
    layout: fixed(
      [
        span("reason", 65, 100),
        { ...span("reason", 0, 1), codes: "ncic" },
        ...NCIC_HEAD,
        ...NCIC_VEHICLE,
        span("color", 58, 65),
      ],
      { ncic: true, minLength: 39 },
    ),
    checks: [...NCIC_CHECKS, { from: 65, to: 100, is: "filled" }],
  },
  "new-jersey": {
    layout: fixed(
      [{ ...span("reason", 0, 10), codes: "newJersey" }, ...NCIC_VEHICLE.slice(0, 7), span("color", 58, 65)],
      {
        minLength: 39,
      },
    ),
    checks: [
      { from: 0, to: 10, is: ["E", "S"] },
      { from: 10, to: 27, is: "blank" },
    ],
  },
  collect: {
    layout: fixed(
      [
        span("plate", 0, 8),
        info("class", { from: 8, to: 38 }),
        span("make", 38, 68),
        span("model", 68, 98),
        span("body", 98, 128),
        span("color", 128, 158),
        span("year", 158, 162),
        info("usage", { from: 162, to: 192 }),
        // This is when the registration ends, not the entry.
        info("registration expires", { from: 192, to: 200 }),
        { ...span("reason", 200, 202), prefix: "COLLECT status " },
      ],
      { state: "CT", reason: "COLLECT", minLength: 192 },
    ),
    checks: [
      { from: 158, to: 162, is: "yearOrBlank" },
      { from: 192, to: 200, is: "day" },
    ],
  },
  california: {
    layout: fixed(
      [
        span("plate", 0, 8),
        span("state", 8, 10),
        info("county", { from: 10, to: 12 }),
        info("date of loss", { from: 12 }),
      ],
      { skip: ["DATE", "TOTAL RECORD"], reason: "California DOJ stolen or felony list", minLength: 10 },
    ),
    checks: [{ from: 12, is: "day" }],
  },
  colorado: {
    layout: fixed(
      [span("plate", 0, 10), span("state", 10, 12), span("reason", 12, 34), info("vehicle", { from: 34 })],
      { minLength: 13 },
    ),
    checks: [
      {
        from: 12,
        to: 34,
        is: [
          "ATTEMPT TO LOCATE",
          "FELONY WARRANT",
          "LOCAL WARRANT",
          "REPORTED LOST",
          "SEXUAL OFFENDER",
          "STOLEN/CAR JACKING/CA",
          "STOLEN PLATE",
          "STOLEN VEHICLE",
          "USED IN FELONY OR BY",
          "USED IN MISDEMEANOR OR",
        ],
      },
    ],
  },
  "illinois-leads": {
    layout: fixed(
      [
        span("plate", 0, 8),
        span("state", 8, 10),
        span("plateType", 10, 12),
        { field: "reason", text: "Stolen vehicle", when: STOLEN },
        { field: "reason", text: "Missing person", when: { ...PERSON, is: ["MISSING"] } },
        { field: "reason", text: "Wanted person", when: { ...PERSON, is: ["WANTED"] } },
        span("reason", 12, 19),
        { ...info("person", { from: 19, to: 77 }), when: PERSON },
        { ...span("year", 23, 25), when: STOLEN },
        { ...span("make", 30, 35), when: STOLEN },
        { ...span("model", 39, 43), when: STOLEN },
        { ...span("body", 47, 50), when: STOLEN },
        { ...span("color", 54, 62), when: STOLEN },
        { ...info("entered (MMDDYY)", { from: 66, to: 73 }), when: STOLEN },
        { ...span("caseNumber", 77, 86), when: STOLEN },
        { ...span("caseNumber", 81), when: PERSON },
      ],
      { minLength: 13 },
    ),
    checks: [{ from: 12, to: 19, is: ["STOLEN", "MISSING", "WANTED"] }],
  },
  "illinois-sos": {
    layout: fixed(
      [
        span("plate", 0, 9),
        span("state", 9, 11),
        span("plateType", 11, 13),
        span("reason", 13, 21),
        info("Secretary of State", { from: 21, to: 40 }),
      ],
      { minLength: 14 },
    ),
    checks: [{ from: 13, to: 21, is: ["SUSPEND", "REVOKED"] }],
  },
  "new-york": {
    layout: fixed(
      [
        span("plate", 0, 10),
        span("state", 10, 12),
        span("plateType", 12, 15),
        { ...span("reason", 15, 16), codes: "newYork" },
        span("make", 16, 20),
        span("color", 20),
      ],
      { minLength: 16 },
    ),
    checks: [
      { from: 15, to: 16, is: ["M", "P", "R", "S", "T", "V", "W", "X", "Z"] },
      { from: 12, to: 14, is: "code" },
      { from: 27, is: "blank" },
    ],
  },
  kansas: {
    layout: fixed(
      [
        { field: "plate", before: ["#", "CANADIAN ENTRY"], to: -2 },
        { field: "state", before: ["#", "CANADIAN ENTRY"], from: -2 },
        { field: "reason", text: "Canadian entry", when: { contains: "CANADIAN ENTRY" } },
        { field: "reason", after: ["#"], before: ["!"], from: 2 },
        { field: "reason", text: "Missing person", when: { contains: "MISSING-PERSON" } },
        { field: "reason", text: "Person of interest", when: { contains: "POI-" } },
        { field: "reason", text: "Warrant", when: { contains: "WAR-" } },
        { field: "reason", text: "Warrant", when: { contains: "WNT-" } },
        { field: "reason", after: ["#"], from: 2, beforeDigit: true },
        info("", { column: 0 }),
      ],
      {
        skip: [
          "UNKNOWN",
          "NONE",
          "NOTAG",
          "PLATENUMKS",
          "K-STATE",
          "NOT AVAIL",
          "NOTAVAIL",
          "TEMP",
          "60 DAY",
          "60-DAY",
          "#",
        ],
        reason: "Kansas list",
      },
    ),
    // Georgia's lines also contain a #, but have five columns.
    checks: [{ from: 0, is: "fewCommas" }],
  },
} satisfies Record<string, Preset>;
