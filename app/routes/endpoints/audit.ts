import { verifyAuditLog } from "#app/domain/oversight/audit-chain.ts";
import { documentedRow, exportAuditLog, viewAuditLog } from "#app/domain/oversight/audit-log.ts";
import {
  AuditExportRequest,
  AuditPageRequest,
  AuditVerifyRequest,
} from "#app/entities/oversight/audit-filter.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { auditFilterOf, auditPageOf } from "#app/http/oversight-query.ts";
import { csvStream } from "#app/http/uploads.ts";

const { loader, action } = endpoints(
  endpoint("GET /admin-audit-logs-api", "admin", none, async ({ app, actor, query }) => {
    const { rows } = await viewAuditLog(app, actor, {
      filter: auditFilterOf(query),
      page: auditPageOf(query),
    });
    return rows.map(documentedRow);
  }),
  // For the screen: the plate searched for must not be part of a URL.
  endpoint("POST /audit-log/rows", "admin", AuditPageRequest, ({ app, actor, body }) =>
    viewAuditLog(app, actor, body),
  ),
  endpoint("POST /audit-log/export", "admin", AuditExportRequest, async ({ app, actor, body }) =>
    csvStream("odin-audit-log.csv", await exportAuditLog(app, actor, body)),
  ),
  endpoint("POST /audit-log/verify", "admin", AuditVerifyRequest, ({ app, actor, body }) =>
    verifyAuditLog(app, actor, body),
  ),
);

export { action, loader };
