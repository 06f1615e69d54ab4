import * as z from "zod/mini";
import {
  countNewAlerts,
  decideAlert,
  describeAlert,
  findAlertAddress,
  openHitImage,
  pageAlerts,
  streamAlerts,
} from "#app/domain/alerts/history.ts";
import { describeHitQuality } from "#app/domain/alerts/hit-quality.ts";
import { listLiveAlerts, markAlertsSeen } from "#app/domain/alerts/live.ts";
import { AlertFilterCall, DispositionCall } from "#app/entities/alerts/calls.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { readPageSize } from "#app/http/page-size.ts";
import { jsonStream } from "#app/http/responses.ts";
import { jsonWithList } from "#app/lib/json/stream.ts";

const { loader, action } = endpoints(
  endpoint("GET /api/alerts/:id", "hotlist-viewer", none, ({ app, actor, params }) =>
    describeAlert(app, actor, params.id),
  ),
  endpoint("GET /api/alerts/:id/image/:kind", "hotlist-viewer", none, async ({ app, actor, params }) =>
    fileAnswer(await openHitImage(app, actor, params)),
  ),
  endpoint("GET /api/alerts/:id/address", "hotlist-viewer", none, ({ app, actor, params }) =>
    findAlertAddress(app, actor, params.id),
  ),
  endpoint(
    "POST /api/alerts/:id/disposition",
    "hotlist-viewer",
    DispositionCall,
    ({ app, actor, params, body }) => decideAlert(app, actor, { id: params.id, decision: body }),
  ),
  // The whole history as a stream, unless a page is requested.
  endpoint("GET /alerts/group/:id/data", "hotlist-viewer", none, async ({ app, actor, params, query }) => {
    const limit = readPageSize(query);
    if (limit !== undefined || query.has("older") || query.has("newer"))
      return pageAlerts(app, actor, { groupId: params.id, query, ...(limit && { limit }) });
    const { head, pages } = await streamAlerts(app, actor, { groupId: params.id, query });
    return jsonStream(jsonWithList({ head, name: "alerts", pages }));
  }),
  // A page with a filter that names a plate, which must not be part of a URL.
  endpoint("POST /alerts/group/:id/find", "hotlist-viewer", AlertFilterCall, ({ app, actor, params, body }) =>
    pageAlerts(app, actor, { groupId: params.id, query: new URLSearchParams(body.filter) }),
  ),
  endpoint("POST /alerts/group/:id/new", "hotlist-viewer", AlertFilterCall, ({ app, actor, params, body }) =>
    countNewAlerts(app, actor, { groupId: params.id, query: new URLSearchParams(body.filter) }),
  ),
  endpoint("GET /alerts/group/:id/new", "hotlist-viewer", none, ({ app, actor, params, query }) =>
    countNewAlerts(app, actor, { groupId: params.id, query }),
  ),
  endpoint("GET /alerts/quality-data", "admin", none, ({ app, actor }) => describeHitQuality(app, actor)),
  endpoint("GET /live-alerts", "hotlist-viewer", none, ({ app, actor, query }) =>
    listLiveAlerts(app, actor, query.get("after")),
  ),
  endpoint(
    "POST /live-alerts/seen",
    "hotlist-viewer",
    z.object({
      until: z._default(z.string().check(z.maxLength(40)), ""),
      notices_until: z._default(z.string().check(z.maxLength(40)), ""),
    }),
    ({ app, actor, body }) => markAlertsSeen(app, actor, body),
  ),
);

export { action, loader };
