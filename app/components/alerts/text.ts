import { type AlertRow, type ExpiryNotice, MAX_NOTICE_COUNT } from "#app/entities/alerts/hit.ts";
import type { ExpiryStage } from "#app/entities/hotlists/entry.ts";

/** Returns plate and state, such as `AB12345 CT`, or `no plate`. */
export function plateText({ plate, state }: Pick<AlertRow, "plate" | "state">): string {
  return [plate, state].filter(Boolean).join(" ") || "no plate";
}

/** Returns the alternative text of an image of a hit. */
export function imageAlt(kind: "vehicle" | "plate", alert: Pick<AlertRow, "plate" | "state" | "camera">) {
  const what = kind === "vehicle" ? "Vehicle" : "Plate image";
  return `${what} ${plateText(alert)}, ${alert.camera || "camera unknown"}`;
}

const STAGE_WORDS: Record<ExpiryStage, [one: string, many: string]> = {
  week: ["expires within a week", "expire within a week"],
  day: ["expires within a day", "expire within a day"],
  expired: ["has expired and is no longer matched", "have expired and are no longer matched"],
};

/** Returns the text of a notice about expiring plates, for the user who added them or who manages the list. */
export function noticeText({ stage, plates, plate, group }: ExpiryNotice): string {
  const [one, many] = STAGE_WORDS[stage];
  if (plates === 1) return `${plate} in "${group}" ${one}.`;
  const count = plates > MAX_NOTICE_COUNT ? `More than ${MAX_NOTICE_COUNT}` : String(plates);
  return `${count} plates in "${group}" ${many}.`;
}
