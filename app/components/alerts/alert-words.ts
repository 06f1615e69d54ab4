import { type Alert, type AlertRow, dispositionLabel } from "#app/entities/alert.ts";
import { MESSAGES } from "#app/entities/messages.ts";

/** `AB12345 CT`, or that there is no plate. */
export function plateWords({ plate, state }: Pick<AlertRow, "plate" | "state">): string {
  return [plate, state].filter(Boolean).join(" ") || "no plate";
}

/** What an image of a hit shows, for those who cannot see it. */
export function imageAlt(kind: "vehicle" | "plate", alert: Pick<AlertRow, "plate" | "state" | "camera">) {
  const what = kind === "vehicle" ? "Vehicle" : "Plate image";
  return `${what} ${plateWords(alert)}, ${alert.camera || "camera unknown"}`;
}

export function orMissing(text: string): string {
  return text.trim() === "" ? MESSAGES.missing : text;
}

/** `Misread, Hanna Hotlist`; empty where nobody has decided. */
export function decisionWords({ disposition, disposition_by }: Alert): string {
  if (!disposition) return "";
  return [dispositionLabel(disposition), disposition_by].filter(Boolean).join(", ");
}
