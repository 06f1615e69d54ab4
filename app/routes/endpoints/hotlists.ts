import * as z from "zod/mini";
import {
  applyImport,
  bulkUpload,
  cancelImport,
  latestImport,
  startImport,
} from "#app/domain/hotlist-imports.ts";
import {
  addPlate,
  checkPlate,
  editPlate,
  pagePlates,
  removePlate,
  serveAttachment,
} from "#app/domain/hotlists.ts";
import { AddPlate, EntryDetails } from "#app/entities/hotlist-calls.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { answerInText, readBulkForm, readForm, readImport } from "#app/http/forms.ts";

const PlateEdit = z.extend(EntryDetails, { revision: z.int(), renew: z._default(z.boolean(), false) });
const PlateLook = z.object({
  plate_number: z.string().check(z.maxLength(60)),
  state: z._default(z.string().check(z.maxLength(2)), ""),
  group_id: z._default(z.string().check(z.maxLength(60)), ""),
});

const { loader, action } = endpoints(
  endpoint("POST /hotlist/add-plate-direct", "hotlist-admin", AddPlate, ({ app, actor, body }) =>
    addPlate(app, actor, body),
  ),
  endpoint("POST /hotlist/check-plate", "hotlist-admin", PlateLook, ({ app, actor, body }) =>
    checkPlate(app, actor, body),
  ),
  endpoint("POST /groups/:id/remove-plate", "hotlist-admin", none, async ({ app, actor, params, request }) =>
    removePlate(app, actor, { groupId: params.id, plateId: (await readForm(request)).fields.plate_id ?? "" }),
  ),
  endpoint("GET /groups/:id/plates", "hotlist-viewer", none, ({ app, actor, params, query }) =>
    pagePlates(app, actor, { groupId: params.id, search: query.get("q"), after: query.get("after") }),
  ),
  endpoint("PATCH /groups/:id/plates/:plate", "hotlist-admin", PlateEdit, ({ app, actor, params, body }) =>
    editPlate(app, actor, { groupId: params.id, plateId: params.plate, details: body }),
  ),
  endpoint("POST /groups/:id/bulk-upload-plates", "hotlist-admin", none, ({ app, actor, params, request }) =>
    answerInText(async () =>
      bulkUpload(app, actor, { groupId: params.id, ...(await readBulkForm(request)) }),
    ),
  ),
  endpoint("GET /groups/:id/import", "hotlist-admin", none, async ({ app, actor, params }) => ({
    import: await latestImport(app, actor, params.id),
  })),
  endpoint("POST /groups/:id/import", "hotlist-admin", none, ({ app, actor, params, query, request }) =>
    startImport(app, actor, { groupId: params.id, ...readImport(request, query) }),
  ),
  endpoint("POST /groups/:id/import/:import/apply", "hotlist-admin", none, ({ app, actor, params }) =>
    applyImport(app, actor, { groupId: params.id, id: params.import }),
  ),
  endpoint("POST /groups/:id/import/:import/cancel", "hotlist-admin", none, ({ app, actor, params }) =>
    cancelImport(app, actor, { groupId: params.id, id: params.import }),
  ),
  endpoint("GET /get-hotlist-attachment-url/:file", "hotlist-viewer", none, ({ app, actor, params, query }) =>
    serveAttachment(app, actor, { file: params.file, plateId: query.get("plate_id") }),
  ),
);

export { action, loader };
