import * as z from "zod/mini";
import { countNewAlerts, pageAlerts, streamAlerts } from "#app/domain/alerts/history.ts";
import { decideAlert, describeAlert, findAlertAddress, openHitImage } from "#app/domain/alerts/hit.ts";
import { describeHitQuality } from "#app/domain/alerts/hit-quality.ts";
import { listLiveAlerts, markAlertsSeen } from "#app/domain/alerts/live.ts";
import {
  AlertDetail,
  AlertPage,
  LiveAlerts,
  NewAlerts,
  QualityOverview,
  Seen,
} from "#app/entities/alerts/answers.ts";
import { AlertFilterCall, DispositionCall } from "#app/entities/alerts/calls.ts";
import { NearestAddress } from "#app/entities/search/answers/search.ts";
import { about, file } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { alertQueryOf, readPageSize } from "#app/http/queries.ts";
import { jsonStream } from "#app/http/responses.ts";
import { described } from "#app/lib/json/named-schema.ts";
import { jsonWithList } from "#app/lib/json/stream.ts";

const AlertQuery = z.object({
  limit: described("Rows per page, from 1 to 500.", z.optional(z.string())),
  older: described("The `older` of a page, for the page after it.", z.optional(z.string())),
  newer: described("The `newer` of a page, for the page before it.", z.optional(z.string())),
  latest: described("The `latest` of a page, to count what is newer.", z.optional(z.string())),
  plate: z.optional(z.string()),
  program: z.optional(z.string()),
  camera: z.optional(z.string()),
  disposition: described("`none` for hits without one.", z.optional(z.string())),
  from: z.optional(z.string()),
  until: z.optional(z.string()),
});

const { loader, action } = endpoints(
  "Hits",
  endpoint(
    "GET /api/alerts/:id",
    "hotlist-viewer",
    none,
    about("Returns a hit.", AlertDetail),
    ({ app, actor, params }) => describeAlert(app, actor, params.id),
  ),
  endpoint(
    "GET /api/alerts/:id/image/:kind",
    "hotlist-viewer",
    none,
    about("Returns an image of a hit.", file({ "image/*": "The image." })),
    async ({ app, actor, params }) => fileAnswer(await openHitImage(app, actor, params)),
  ),
  endpoint(
    "GET /api/alerts/:id/address",
    "hotlist-viewer",
    none,
    about("Returns the nearest address of a hit.", NearestAddress),
    ({ app, actor, params }) => findAlertAddress(app, actor, params.id),
  ),
  endpoint(
    "POST /api/alerts/:id/disposition",
    "hotlist-viewer",
    DispositionCall,
    about("Records what a member found, or removes it.", AlertDetail),
    ({ app, actor, params, body }) => decideAlert(app, actor, { id: params.id, decision: body }),
  ),
  // The whole history as a stream, unless a page is requested.
  endpoint(
    "GET /alerts/group/:id/data",
    "hotlist-viewer",
    none,
    about("Returns a group and its alerts, newest first.", AlertPage, {
      details: "Returns all alerts, or a page of them if `limit`, `older` or `newer` is given.",
      query: AlertQuery,
    }),
    async ({ app, actor, params, query }) => {
      const limit = readPageSize(query);
      if (limit !== undefined || query.has("older") || query.has("newer"))
        return pageAlerts(app, actor, {
          groupId: params.id,
          query: alertQueryOf(query),
          ...(limit && { limit }),
        });
      const { head, pages } = await streamAlerts(app, actor, {
        groupId: params.id,
        query: alertQueryOf(query),
      });
      return jsonStream(jsonWithList({ head, name: "alerts", pages }));
    },
  ),
  // A page with a filter that names a plate, which must not be part of a URL.
  endpoint(
    "POST /alerts/group/:id/find",
    "hotlist-viewer",
    AlertFilterCall,
    about("Returns a page of a group's alerts by a filter that may name a plate.", AlertPage, {
      internal: true,
    }),
    ({ app, actor, params, body }) =>
      pageAlerts(app, actor, { groupId: params.id, query: alertQueryOf(new URLSearchParams(body.filter)) }),
  ),
  endpoint(
    "POST /alerts/group/:id/new",
    "hotlist-viewer",
    AlertFilterCall,
    about("Counts the alerts that are newer than a list, by a filter that may name a plate.", NewAlerts, {
      internal: true,
    }),
    ({ app, actor, params, body }) =>
      countNewAlerts(app, actor, {
        groupId: params.id,
        query: alertQueryOf(new URLSearchParams(body.filter)),
      }),
  ),
  endpoint(
    "GET /alerts/group/:id/new",
    "hotlist-viewer",
    none,
    about("Counts the alerts that are newer than a list.", NewAlerts, { internal: true, query: AlertQuery }),
    ({ app, actor, params, query }) =>
      countNewAlerts(app, actor, { groupId: params.id, query: alertQueryOf(query) }),
  ),
  endpoint(
    "GET /alerts/quality-data",
    "admin",
    none,
    about(
      "Returns how many hits were correct, in the wrong state, misread or dismissed, by group and camera.",
      QualityOverview,
    ),
    ({ app, actor }) => describeHitQuality(app, actor),
  ),
  endpoint(
    "GET /live-alerts",
    "hotlist-viewer",
    none,
    about("Returns the newest hits of the caller's groups since a cursor, and notices.", LiveAlerts, {
      details: "Send `odin-background: 1` while polling, so that the session does not stay open.",
      query: z.object({ after: described("The cursor of the answer before.", z.optional(z.string())) }),
    }),
    ({ app, actor, query }) => listLiveAlerts(app, actor, query.get("after")),
  ),
  endpoint(
    "POST /live-alerts/seen",
    "hotlist-viewer",
    z.object({
      until: z._default(z.string().check(z.maxLength(40)), ""),
      notices_until: z._default(z.string().check(z.maxLength(40)), ""),
    }),
    about("Marks hits and notices as seen.", Seen),
    ({ app, actor, body }) => markAlertsSeen(app, actor, body),
  ),
);

export { action, loader };
