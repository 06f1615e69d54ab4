import type { AuditRow } from "#app/entities/oversight/audit-filter.ts";

/** A row of the audit log with nothing but its user, time, action and outcome. */
export const NO_ROW: AuditRow = {
  id: 1,
  user: "officer",
  user_name: "",
  user_agency: "",
  detail: "{}",
  timestamp: "2026-11-20T12:00:00.000Z",
  programs_queried: "",
  action: "search",
  outcome: "ok",
  object: "",
  plate: "",
  case_number: "",
  ip: "",
  service_account: "",
};
