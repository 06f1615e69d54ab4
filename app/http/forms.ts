// Forms with files, read up to a size limit before anything is parsed. The declared name and type of a file are
// ignored: the domain checks its bytes.

import * as z from "zod/mini";
import {
  GroupForm,
  ImportOptions,
  type NewPlate,
  NewPlate as NewPlateSchema,
} from "#app/entities/hotlists/calls.ts";
import { BULK_MAX_BYTES, IMPORT_MODES, type ImportMode } from "#app/entities/hotlists/import.ts";
import { at } from "#app/lib/at.ts";
import { AppError } from "#app/lib/errors.ts";
import { refuseLostConnection, streamOfSize } from "#app/lib/files/bodies.ts";
import { readSentBytes, requirePlain } from "#app/lib/files/inflate.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { flag } from "#app/lib/json/values.ts";
import { checked, formOf, requireMedia, schemaProblem, urlEncodedOf, utf8Of } from "./body.ts";
import { requireCleanFields, requireCleanFileName } from "./clean-text.ts";

export type UploadedFile = { name: string; bytes: Uint8Array<ArrayBuffer> };
export type Upload = {
  /** The last value of each field. */
  fields: Record<string, string>;
  /** Every value of each field, in form order. */
  lists: Record<string, string[]>;
  files: Record<string, UploadedFile>;
};

/** The size limit in bytes of a form with its files. Larger forms are refused before they are read. */
export const FORM_LIMIT = 48 * 1024 * 1024;

/**
 * Reads a multipart or URL-encoded form of at most `limit` bytes. Ignores an empty file without a name, which browsers
 * send if no file was chosen. Throws AppError unsupported_media, too_large and bad_request, including for a named file
 * of 0 bytes.
 */
export async function readForm(request: Request, limit = FORM_LIMIT): Promise<Upload> {
  requireMedia(request, ["multipart/form-data", "application/x-www-form-urlencoded"], "Send this as a form.");
  const form = formOf(request, await readSentBytes(request, limit));
  const upload: Upload = { fields: named(), lists: named(), files: named() };
  for (const { name, value } of form) {
    if (typeof value === "string") {
      upload.fields[name] = value;
      const list = upload.lists[name];
      if (list) list.push(value);
      else upload.lists[name] = [value];
    } else if (value.bytes.length > 0 || value.name !== "") upload.files[name] = value;
  }
  requireCleanFields(Object.entries(upload.fields));
  for (const [field, file] of Object.entries(upload.files)) {
    requireCleanFileName(file.name);
    if (file.bytes.length === 0)
      throw new AppError("bad_request", `The file "${file.name.slice(0, 200).toWellFormed()}" is empty.`, {
        field,
      });
  }
  return upload;
}

/** Returns an object without any names, not even `constructor`: form fields may have any name. */
function named<T>(): Record<string, T> {
  return Object.create(null);
}

/** What is wrong with a form if its schema has no message. */
const WRONG_FORM = "The form is not as documented.";

export type GroupUpload = {
  form: GroupForm;
  image: UploadedFile | null;
  plates: { plate: NewPlate; file: UploadedFile | null }[];
};

/**
 * Reads the form of POST /groups/create-mobile and /groups/{id}/edit-mobile: plates[i][number|reason|notes|state|file].
 */
export async function readGroupForm(request: Request): Promise<GroupUpload> {
  return groupUploadOf(await readForm(request));
}

/**
 * Returns a group's form from its fields. Members are comma-separated, as documented, a field each, or the check boxes
 * of our screens.
 */
export function groupUploadOf({ fields, lists, files }: Upload): GroupUpload {
  const numbered = new Map<number, Record<string, string>>();
  for (const [name, value] of Object.entries(fields)) {
    const match = /^plates\[(\d{1,6})\]\[(\w{1,30})\]$/.exec(name);
    if (!match) continue;
    const row = Number(match[1]);
    const plate = numbered.get(row) ?? named();
    plate[at(match, 2)] = value;
    numbered.set(row, plate);
  }
  const sent = [lists.group_members, lists["group_members[]"], lists.member].filter(
    (list) => list !== undefined,
  );
  const members = sent.length > 0 ? sent.flat() : undefined;
  return {
    form: checked(GroupForm, { ...fields, group_members: members?.join(",") }, WRONG_FORM),
    image: files.group_image_file ?? null,
    plates: [...numbered]
      .filter(([row, plate]) => !isBlank(plate) || files[`plates[${row}][file]`])
      .sort(([a], [b]) => a - b)
      .map(([row, plate]) => ({
        plate: plateOf(row, plate),
        file: files[`plates[${row}][file]`] ?? null,
      })),
  };
}

/** Returns a plate of the form. Throws AppError bad_request, which names the first wrong field. */
function plateOf(row: number, plate: Record<string, string>): NewPlate {
  const parsed = NewPlateSchema.safeParse(plate);
  if (parsed.success) return parsed.data;
  const field = `plates[${row}][${String(parsed.error.issues[0]?.path[0] ?? "number")}]`;
  throw new AppError("bad_request", schemaProblem(parsed.error, WRONG_FORM), { field });
}

/**
 * Returns whether the fields of a plate are empty. Its selects always have a value, so they do not count. A number must
 * have been sent.
 */
function isBlank({ number, reason = "", notes = "", case_number = "" }: Record<string, string>): boolean {
  return number !== undefined && [number, reason, notes, case_number].every((text) => text.trim() === "");
}

/**
 * Returns the changed check boxes of the permissions screen as POST /update-alert-permissions-api takes them, so that a
 * save keeps what another administrator changed at the same time.
 */
export function permissionChanges({ fields, lists }: Upload): Record<string, boolean> {
  const switchedOff = (lists.was_on ?? []).filter((name) => !(name in fields));
  const switchedOn = (lists.was_off ?? []).filter((name) => name in fields);
  return Object.fromEntries([
    ...switchedOff.map((name) => [name, false] as const),
    ...switchedOn.map((name) => [name, true] as const),
  ]);
}

/** Reads the form of POST /groups/{id}/bulk-upload-plates: csv_file and mode. */
export async function readBulkForm(
  request: Request,
): Promise<{ file: UploadedFile | undefined; mode: ImportMode }> {
  const { fields, files } = await readForm(request, BULK_MAX_BYTES + 64 * 1024);
  const mode = IMPORT_MODES.find(({ value }) => value === (fields.mode || "add").toLowerCase())?.value;
  if (!mode) throw new AppError("bad_request", "The mode is add or replace.");
  return { file: files.csv_file, mode };
}

type SentImport = { options: ImportOptions; body: ReadableStream<Uint8Array>; size: number };

/**
 * Stores a hotlist file that is the request body, with options in the query, and returns the result. The file streams
 * to storage without filling memory. Throws AppError unavailable if the body breaks off.
 */
export async function storeImport<T>(
  request: Request,
  query: URLSearchParams,
  store: (file: SentImport) => Promise<T>,
): Promise<T> {
  requirePlain(request);
  if (!request.body) throw new AppError("bad_request", "Choose a file.");
  // R2 stores a stream only if its length is known before it begins.
  const size = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!Number.isSafeInteger(size) || size < 0)
    throw new AppError("bad_request", "Send the size of the file in Content-Length, not in chunks.");
  const options = checked(ImportOptions, Object.fromEntries(query), WRONG_FORM);
  const { readable, writable } = streamOfSize(size);
  const sent = passedOn(request.body, writable);
  try {
    return await store({ options, body: readable, size });
  } catch (error) {
    sent.stop();
    // The storage's error does not show whether the storage or the sender failed.
    if (sent.lost() !== undefined) refuseLostConnection(sent.lost());
    throw error;
  }
}

/** Writes a body to a stream. `lost` returns the error of a body that broke off. */
function passedOn(body: ReadableStream<Uint8Array>, to: WritableStream<Uint8Array>) {
  let lost: unknown;
  const [reader, writer] = [body.getReader(), to.getWriter()];
  async function pass(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        lost = cause;
        throw cause;
      });
      if (done) return writer.close();
      await writer.write(value);
    }
  }
  const stop = (reason?: unknown) => Promise.allSettled([writer.abort(reason), reader.cancel(reason)]);
  pass().catch(stop);
  return { lost: () => lost, stop };
}

const Switch = z.object({ push_alerts: z.nullish(flag) });

/**
 * Returns the wanted state of a switch, `push_alerts` of JSON or of a form, or undefined to toggle it: without a body,
 * or without a value. Throws AppError bad_request for a value that is neither true nor false.
 */
export async function readSwitch(request: Request): Promise<boolean | undefined> {
  const text = utf8Of(await readSentBytes(request, 1024)).trim();
  const sent = text.startsWith("{") ? parseJson(text) : Object.fromEntries(urlEncodedOf(text));
  return checked(Switch, sent ?? {}, WRONG_FORM).push_alerts ?? undefined;
}
