import * as z from "zod/mini";
import { verifyAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { documentedRow, exportAuditLog, viewAuditLog } from "#app/domain/oversight/audit-log.ts";
import { AuditEntries, AuditPage, ChainReport } from "#app/entities/oversight/answers.ts";
import {
  AuditExportRequest,
  AuditFilter,
  AuditPageRequest,
  AuditVerifyRequest,
} from "#app/entities/oversight/audit-filter.ts";
import { about, file } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { auditFilterOf, pageNumberOf } from "#app/http/queries.ts";
import { csvStream } from "#app/http/uploads.ts";
import { described } from "#app/lib/json/named-schema.ts";

const { loader, action } = endpoints(
  "Audit log",
  endpoint(
    "GET /admin-audit-logs-api",
    "admin",
    none,
    about("Returns a page of 20 entries of the audit log, newest first.", AuditEntries, {
      query: z.extend(AuditFilter, { page: described("From 1.", z.optional(z.string())) }),
    }),
    async ({ app, actor, query }) => {
      const { rows } = await viewAuditLog(app, actor, {
        filter: auditFilterOf(query),
        page: pageNumberOf(query),
      });
      return rows.map(documentedRow);
    },
  ),
  // For the screen: the plate searched for must not be part of a URL.
  endpoint(
    "POST /audit-log/rows",
    "admin",
    AuditPageRequest,
    about("Returns a page of the audit log by a filter that may name a plate.", AuditPage, {
      internal: true,
    }),
    ({ app, actor, body }) => viewAuditLog(app, actor, body),
  ),
  endpoint(
    "POST /audit-log/export",
    "admin",
    AuditExportRequest,
    about("Returns the filtered audit log as CSV.", file({ "text/csv": "The filtered log." }), {
      details: "The version with plates needs a recent confirmation of identity.",
    }),
    async ({ app, actor, body }) => csvStream("odin-audit-log.csv", await exportAuditLog(app, actor, body)),
  ),
  endpoint(
    "POST /audit-log/verify",
    "admin",
    AuditVerifyRequest,
    about("Checks a part of the audit log for changes.", ChainReport),
    ({ app, actor, body }) => verifyAuditLog(app, actor, body),
  ),
);

export { action, loader };
