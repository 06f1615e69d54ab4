import * as z from "zod/mini";
import { bulkUpload } from "#app/domain/hotlists/bulk-upload.ts";
import { applyImport, cancelImport, latestImport, startImport } from "#app/domain/hotlists/imports.ts";
import {
  agencyMappings,
  deleteAgencyMapping,
  mapImport,
  renameAgencyMapping,
} from "#app/domain/hotlists/mappings.ts";
import { addPlate, editPlate, removePlate, renewPlates } from "#app/domain/hotlists/plate-changes.ts";
import { checkPlate } from "#app/domain/hotlists/plate-check.ts";
import { openAttachmentOf, pagePlates } from "#app/domain/hotlists/plates.ts";
import {
  PlateAdded,
  PlateCheck,
  PlateEdited,
  PlatePage,
  PlateRemoved,
  PlatesRenewed,
} from "#app/entities/hotlists/answers.ts";
import { AddPlate, EntryDetails, EntryState, ImportOptions } from "#app/entities/hotlists/calls.ts";
import {
  ImportStatus,
  LatestImport,
  MappingRenamed,
  Mappings,
} from "#app/entities/hotlists/import-answers.ts";
import { MapImport, RenameMapping } from "#app/entities/hotlists/mapping-calls.ts";
import { ADDS_ONCE, about, Done, file } from "#app/http/about.ts";
import { guardAgain } from "#app/http/access.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";
import { readBulkForm, readForm, storeImport } from "#app/http/forms.ts";
import { plainText, textFailure } from "#app/http/responses.ts";
import { described } from "#app/lib/json/named-schema.ts";
import { optionalFlag, RecordId, WholeNumber } from "#app/lib/json/values.ts";

const PlateEdit = z.extend(z.partial(EntryDetails), { revision: WholeNumber, renew: optionalFlag });
const PlateLook = z.object({
  plate_number: z.string().check(z.maxLength(60)),
  state: z._default(EntryState, ""),
  group_id: z._default(RecordId, ""),
  match_policy: z._default(z.enum(["exact", "lookalike"]), "exact"),
  state_required: optionalFlag,
});
/** A search in a list. Sent in a body, because a plate must not be part of a URL. */
const PlateSearch = z.object({
  q: z._default(z.string().check(z.maxLength(60)), ""),
  after: z._default(z.nullable(RecordId), null),
  part: z._default(z.enum(["", "in-force", "near", "expired"]), ""),
});

const { loader, action } = endpoints(
  "Hotlists",
  endpoint(
    "POST /hotlist/add-plate-direct",
    "hotlist-admin",
    AddPlate,
    about("Adds a plate to a group.", PlateAdded, ADDS_ONCE),
    ({ app, actor, body }) => addPlate(app, actor, body),
  ),
  endpoint(
    "POST /hotlist/check-plate",
    "hotlist-admin",
    PlateLook,
    about("Returns what a plate on a hotlist would match, and where it is listed already.", PlateCheck, {
      internal: true,
    }),
    ({ app, actor, body }) => checkPlate(app, actor, body),
  ),
  endpoint(
    "POST /groups/:id/remove-plate",
    "hotlist-admin",
    (request) => readForm(request),
    about("Removes a plate from a group.", PlateRemoved, {
      form: { fields: z.object({ plate_id: z.string() }), urlEncoded: true },
    }),
    ({ app, actor, params, body }) =>
      removePlate(app, actor, { groupId: params.id, plateId: body.fields.plate_id ?? "" }),
    { stepUp: true },
  ),
  endpoint(
    "POST /groups/:id/plates",
    "hotlist-viewer",
    PlateSearch,
    about("Returns a page of a group's plates by a filter.", PlatePage),
    ({ app, actor, params, body }) =>
      pagePlates(app, actor, { groupId: params.id, search: body.q, after: body.after, part: body.part }),
  ),
  endpoint(
    "POST /groups/:id/renew-plates",
    "hotlist-admin",
    z.object({ part: z.enum(["near", "expired"]) }),
    about("Renews the plates that expire soon or have expired.", PlatesRenewed),
    ({ app, actor, params, body }) => renewPlates(app, actor, { groupId: params.id, part: body.part }),
  ),
  endpoint(
    "PATCH /groups/:id/plates/:plate",
    "hotlist-admin",
    PlateEdit,
    about("Changes a plate of a group.", PlateEdited, {
      details:
        "`revision` is the one that the caller saw; 409 means that someone else changed the plate in the meantime. Fields that are not sent stay as they are; null and an empty text empty them, except `expires`, which stays.",
    }),
    ({ app, actor, params, body }) =>
      editPlate(app, actor, { groupId: params.id, plateId: params.plate, details: body }),
  ),
  endpoint(
    "POST /groups/:id/bulk-upload-plates",
    "hotlist-admin",
    readBulkForm,
    about(
      "Adds or replaces the plates of a group from a CSV file.",
      file({ "text/plain": "What was added." }),
      {
        form: {
          fields: z.object({ mode: described("add or replace", z.optional(z.string())) }),
          files: { csv_file: "At most 100,000 rows or 20 MB." },
        },
        failure: "text",
      },
    ),
    async ({ app, actor, params, body }) =>
      plainText(await bulkUpload(app, actor, { groupId: params.id, ...body })),
    { failure: textFailure },
  ),
  endpoint(
    "GET /groups/:id/import",
    "hotlist-admin",
    none,
    about("Returns the latest import of a group.", LatestImport),
    async ({ app, actor, params }) => ({
      import: await latestImport(app, actor, params.id),
    }),
  ),
  endpoint(
    "POST /groups/:id/import",
    "hotlist-admin",
    none,
    about("Starts an import of a file of plates, which is the body.", ImportStatus, {
      details: "With `preset=auto`, the layout is recognized, or the import waits in the state `mapping`.",
      query: ImportOptions,
      file: { "application/octet-stream": "The file." },
    }),
    ({ app, actor, params, query, request }) =>
      storeImport(request, query, (sent) =>
        startImport(app, actor, {
          groupId: params.id,
          ...sent,
          admitAgain: () => guardAgain({ app, access: "hotlist-admin", actor, request }),
        }),
      ),
  ),
  endpoint(
    "POST /groups/:id/import/:import/apply",
    "hotlist-admin",
    none,
    about("Applies an import after its preview.", ImportStatus),
    ({ app, actor, params }) => applyImport(app, actor, { groupId: params.id, id: params.import }),
  ),
  endpoint(
    "POST /groups/:id/import/:import/cancel",
    "hotlist-admin",
    none,
    about("Cancels an import.", ImportStatus),
    ({ app, actor, params }) => cancelImport(app, actor, { groupId: params.id, id: params.import }),
  ),
  endpoint(
    "POST /groups/:id/import/:import/mapping",
    "hotlist-admin",
    MapImport,
    about("Sets the columns of an import.", ImportStatus),
    ({ app, actor, params, body }) =>
      mapImport(app, actor, { groupId: params.id, id: params.import, ...body }),
  ),
  endpoint(
    "GET /hotlist/mappings",
    "hotlist-admin",
    none,
    about("Returns the agency's saved layouts of files.", Mappings),
    ({ app, actor }) => agencyMappings(app, actor),
  ),
  endpoint(
    "PATCH /hotlist/mappings/:id",
    "hotlist-admin",
    RenameMapping,
    about("Renames a saved layout.", MappingRenamed),
    ({ app, actor, params, body }) => renameAgencyMapping(app, actor, { id: params.id, name: body.name }),
  ),
  endpoint(
    "DELETE /hotlist/mappings/:id",
    "hotlist-admin",
    none,
    about("Deletes a saved layout.", Done),
    ({ app, actor, params }) => deleteAgencyMapping(app, actor, params.id),
  ),
  endpoint(
    "GET /get-hotlist-attachment-url/:file",
    "hotlist-viewer",
    none,
    about(
      "Returns the attachment of a plate.",
      file({ "application/pdf": "The attachment.", "image/*": "The attachment." }),
      { query: z.object({ plate_id: z.string() }) },
    ),
    async ({ app, actor, params, query }) =>
      fileAnswer(await openAttachmentOf(app, actor, { file: params.file, plateId: query.get("plate_id") })),
  ),
);

export { action, loader };
