import type { AuditLogRow } from "#app/entities/oversight/audit-filter.ts";
import { purposeLabel } from "#app/entities/search/purpose.ts";

export type AuditPart = { name: string; value: string; isPlate?: boolean };

/** The labels of search parameters, in display order. Other parameters follow. */
const NAMES: Record<string, string> = {
  plate: "plate",
  plate_state: "state",
  vehicle_color: "color",
  vehicle_make: "make",
  vehicle_body_type: "body",
  start_time: "from",
  end_time: "until",
  case_number: "case",
  purpose: "purpose",
  justification: "why",
};

const LONGEST = 300;

export function isSearch(row: Pick<AuditLogRow, "action">): boolean {
  return row.action === "search";
}

/** Returns a row's Query Parameters cell: non-empty parameters by name, and the object of other actions. */
export function auditParts(row: AuditLogRow): AuditPart[] {
  const parsed = parametersOf(row.query_parameters);
  const entries = Object.entries(parsed);
  const known = Object.keys(NAMES).flatMap((key) => entries.filter(([name]) => name === key));
  const rest = entries.filter(([name]) => !(name in NAMES));
  const parts = [...known, ...rest].flatMap(([name, value]) => {
    const text = name === "purpose" && value !== "" ? purposeLabel(String(value)) : textOf(value);
    return text === "" ? [] : [{ name: NAMES[name] ?? name, value: text, isPlate: name === "plate" }];
  });
  if (isSearch(row)) return parts;
  const own: AuditPart[] = [
    ...(row.plate && !("plate" in parsed) ? [{ name: "plate", value: row.plate, isPlate: true }] : []),
    ...(row.case_number && !("case_number" in parsed) ? [{ name: "case", value: row.case_number }] : []),
    ...(row.object ? [{ name: "object", value: row.object }] : []),
  ];
  return [...own, ...parts];
}

function parametersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}

/** Returns a value as text. Empty, false and missing values return an empty text. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === false || value === "") return "";
  if (value === true) return "yes";
  if (typeof value !== "object") return shortened(String(value));
  const on = Object.entries(value).filter(([, one]) => textOf(one) !== "");
  if (on.length === 0) return "";
  return on.every(([, one]) => one === true)
    ? on.map(([name]) => name.replaceAll("_", " ")).join(", ")
    : shortened(JSON.stringify(Object.fromEntries(on)));
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
