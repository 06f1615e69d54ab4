/** Rows of hotlist files whose fields stand at fixed places: NCIC vehicle extracts and Connecticut COLLECT. */

import { visibleText } from "#app/lib/text.ts";
import { NOTES_MAX, parseEntryPlate, parseEntryState } from "./hotlist.ts";
import { COLOR_NAMES, known, type RowRead, refused } from "./hotlist-words.ts";
import { ncicColor, ncicIsUrgent, ncicLetters, ncicMake, ncicReason, ncicStyle } from "./ncic.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_MAKES } from "./vehicle.ts";

/** NCIC vehicle extract (VEHEXTRT.txt): slices as in the vendor's importer, checked against its sample line. */
export function readNcic(line: string): RowRead {
  const slice = (from: number, to?: number) => line.slice(from, to).trim();
  const number = slice(27, 37);
  if (line.length < 39) return refused("The line is too short.", number);
  const plate = parseEntryPlate(number, { wildcards: false });
  if (plate.problem !== undefined) return refused(plate.problem, number);
  const state = parseEntryState(ncicLetters(slice(37, 39)));
  if (state === undefined) return refused(`"${slice(37, 39)}" is no state.`, number);
  const code = slice(0, 1).toUpperCase();
  if (!/^[A-Z]$/.test(code)) return refused("The line does not begin with a file code.", number);
  const day = slice(19, 27);
  const facts = [
    ["NCIC", slice(0, 10)],
    ["ORI", slice(10, 19)],
    ["entered", /^\d{8}$/.test(day) ? `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}` : day],
    ["plate type", slice(43, 45)],
    ["plate year", slice(39, 43)],
    [
      "vehicle",
      [slice(45, 49), slice(49, 53), slice(53, 56), slice(56, 58), slice(58)].filter(Boolean).join(" "),
    ],
  ];
  return {
    row: {
      entry: {
        plate: plate.plate,
        state,
        reason: ncicReason(code),
        notes: visibleText(
          facts.flatMap(([name, value]) => (value ? `${name} ${value}` : [])).join(", "),
        ).slice(0, NOTES_MAX),
        caseNumber: visibleText(slice(0, 10)),
        // NCIC writes zero for O, so that a zero may be either on the plate.
        matchPolicy: plate.plate.includes("0") ? "lookalike" : "exact",
        stateRequired: false,
        make: ncicMake(slice(49, 53)),
        color: ncicColor(slice(58)),
        bodyType: ncicStyle(slice(56, 58), slice(43, 45)),
        priority: ncicIsUrgent(code) ? "high" : "normal",
      },
      expires: "",
    },
  };
}

/** Connecticut COLLECT: the state's own list. Its expiry is that of the registration, not of the entry. */
export function readCollect(line: string): RowRead {
  const slice = (from: number, to?: number) => visibleText(line.slice(from, to));
  const number = slice(0, 8);
  const plate = parseEntryPlate(number, { wildcards: false });
  if (plate.problem !== undefined) return refused(plate.problem, number);
  if (line.length < 192) return refused("The line is too short.", number);
  const expiry = slice(192, 200);
  if (expiry !== "" && !/^\d{8}$/.test(expiry)) return refused(`"${expiry}" is no date.`, number);
  const [make, color, style] = [slice(38, 68), slice(128, 158), slice(98, 128)];
  const status = slice(200, 202);
  const facts = [
    ["class", slice(8, 38)],
    ["vehicle", [slice(158, 162), make, slice(68, 98), style, color].filter(Boolean).join(" ")],
    ["usage", slice(162, 192)],
    ["registration expires", expiry && `${expiry.slice(0, 4)}-${expiry.slice(4, 6)}-${expiry.slice(6)}`],
  ];
  return {
    row: {
      entry: {
        plate: plate.plate,
        state: "CT",
        reason: status ? `COLLECT status ${status}` : "COLLECT",
        notes: facts
          .flatMap(([name, value]) => (value ? `${name} ${value}` : []))
          .join(", ")
          .slice(0, NOTES_MAX),
        caseNumber: "",
        matchPolicy: "exact",
        stateRequired: false,
        make: known(VEHICLE_MAKES, make) || ncicMake(make),
        color: known(COLOR_NAMES, color) || ncicColor(color),
        bodyType: known(VEHICLE_BODY_TYPES, style) || ncicStyle(style, ""),
        priority: "normal",
      },
      expires: "",
    },
  };
}
