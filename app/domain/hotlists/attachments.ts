// Files that users attach to groups and plates. Each is checked by content, stripped of metadata, scanned for viruses
// if a scanner is configured, and only then stored under a random key. Files are served only after the permission check
// of the group. Workers have no image codec, so images are stripped, not re-encoded.

import type { AppContext } from "#app/context.ts";
import { auditNow } from "#app/domain/oversight/audit-act.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { randomToken, sha256 } from "#app/lib/crypto/primitives.ts";
import { AppError, audited } from "#app/lib/errors.ts";
import { holdsTestVirus } from "#app/lib/files/test-virus.ts";
import { isHeic, type StrippableType, stripImage, strippableTypeOf } from "#app/lib/images/strip.ts";
import { logError, logWarning } from "#app/lib/log.ts";
import { pdfProblem } from "#app/lib/pdf/check.ts";
import { visibleText } from "#app/lib/text.ts";
import { MINUTE } from "#app/lib/time/dates.ts";
import { removeObjects } from "#app/store/files.ts";
import { openAttachment, putAttachment, type StoredAttachment } from "#app/store/hotlists/attachments.ts";

export type OfferedFile = { name: string; bytes: Uint8Array<ArrayBuffer> };

/** Workers and most browsers cannot decode HEIC. */
const HEIC_REFUSED = "Browsers cannot show HEIC images. Save the picture as JPEG and upload it again.";
const IMAGE_MAX_BYTES = 8 * 1024 * 1024;
const PDF_MAX_BYTES = 10 * 1024 * 1024;
const IMAGE_MAX_SIDE = 8192;
const IMAGE_MAX_PIXELS = 40_000_000;

const EXTENSIONS: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif",
  "application/pdf": "pdf",
};

export type CheckedFile = { name: string; type: string; bytes: Uint8Array<ArrayBuffer> };

/**
 * Returns the part of a file that can be stored: an image without metadata, or a PDF without active content. Throws
 * AppError unsupported_media, too_large and bad_request with user-facing messages.
 */
export function checkFile(file: OfferedFile, kinds: "image" | "image or PDF"): CheckedFile {
  const name = visibleText(file.name).slice(-120) || "file";
  const type = strippableTypeOf(file.bytes);
  if (type) return { name, type, bytes: checkImage(file.bytes, type) };
  if (isHeic(file.bytes)) throw new AppError("unsupported_media", `"${name}": ${HEIC_REFUSED}`);
  const isPdf = new TextDecoder("windows-1252").decode(file.bytes.subarray(0, 1024)).includes("%PDF-");
  if (!isPdf || kinds === "image") {
    const wanted =
      kinds === "image" ? "a JPEG, PNG, WebP or GIF image" : "a PDF or a JPEG, PNG, WebP or GIF image";
    throw new AppError("unsupported_media", `"${name}" is not ${wanted}.`);
  }
  if (file.bytes.length > PDF_MAX_BYTES) throw new AppError("too_large", "A PDF can be at most 10 MB.");
  const problem = pdfProblem(file.bytes);
  if (problem) throw new AppError("bad_request", problem);
  return { name, type: "application/pdf", bytes: file.bytes };
}

function checkImage(bytes: Uint8Array<ArrayBuffer>, type: StrippableType): Uint8Array<ArrayBuffer> {
  if (bytes.length > IMAGE_MAX_BYTES) throw new AppError("too_large", "An image can be at most 8 MB.");
  const image = stripImage(bytes, type);
  if (!image) throw new AppError("bad_request", "The image is damaged.");
  const { width, height } = image;
  if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width * height > IMAGE_MAX_PIXELS)
    throw new AppError(
      "too_large",
      `An image can be at most ${IMAGE_MAX_SIDE} pixels on each side, and 40 million pixels in total.`,
    );
  return image.bytes;
}

const NO_SCAN = "Files cannot be scanned for viruses at the moment. Nothing was saved. Try again later.";

/**
 * Returns if no virus is found: the test virus is detected here, everything else by the scanner, if one is configured.
 * Throws AppError bad_request for an infected file, with an audit row, and unavailable if the scanner does not answer.
 * Call it before anything is stored.
 */
export async function requireClean(
  app: AppContext,
  actor: Actor,
  input: { files: readonly CheckedFile[]; groupId: string },
): Promise<void> {
  for (const file of input.files) {
    const found = await virusIn(app, file);
    if (found === null) continue;
    const error = new AppError("bad_request", `"${file.name}" was refused because it contains a virus.`);
    await auditNow(app, actor, {
      action: "attachment.refuse",
      outcome: "refused",
      object: input.groupId,
      detail: { file: file.name, size: file.bytes.length, sha256: await sha256(file.bytes), found },
    });
    throw audited(error);
  }
}

/** Returns the name of the virus, or null if none is found. */
async function virusIn(app: AppContext, file: CheckedFile): Promise<string | null> {
  if (holdsTestVirus(file.bytes)) return "EICAR test file";
  if (!app.scanner) return null;
  try {
    const answer = await app.scanner.scan(file.bytes);
    return answer.clean ? null : answer.found || "unnamed";
  } catch (error) {
    logError("File could not be scanned", error);
    throw new AppError("unavailable", NO_SCAN, { retryAfter: 60, cause: error });
  }
}

/** Stores the content of a checked and scanned file. Returns the row for the caller's batch to insert. */
export async function keepFile(
  app: AppContext,
  file: CheckedFile,
  owner: { groupId: string; userId: string },
): Promise<StoredAttachment> {
  const key = await putAttachment(app.attachments, file);
  return {
    id: `${randomToken()}.${EXTENSIONS[file.type]}`,
    groupId: owner.groupId,
    key,
    name: file.name,
    type: file.type,
    size: file.bytes.length,
    sha256: await sha256(file.bytes),
    createdAt: app.clock(),
    createdBy: owner.userId,
  };
}

/** Removes stored files whose rows were not written. Never throws: retention removes the files that are left. */
export async function dropFiles(app: AppContext, files: StoredAttachment[]): Promise<void> {
  await removeObjects(
    app.attachments,
    files.map(({ key }) => key),
  ).catch((error: unknown) => logWarning("files that were not saved are kept until they are swept", error));
}

/** How long a browser may cache a file. */
const ATTACHMENT_KEPT_MS = 5 * MINUTE;

/** Types that a browser can safely show in a tab while the file is isolated. Other types are downloaded. */
const SHOWN_TYPES = new Set(["application/pdf", "image/jpeg", "image/png", "image/webp", "image/gif"]);

/**
 * Returns a stored file: shown if its type is safe, downloaded otherwise. It is isolated, so it can run no scripts,
 * load nothing and has none of our origin's rights. The caller has checked access. Throws AppError not_found.
 */
export async function openFile(app: AppContext, file: StoredAttachment): Promise<ServedFile> {
  const object = await openAttachment(app.attachments, file.key);
  if (!object) throw new AppError("not_found", "This attachment does not exist.");
  return {
    content: object.body,
    type: file.type,
    size: object.size,
    name: file.name,
    opensInTab: SHOWN_TYPES.has(file.type),
    keptMs: ATTACHMENT_KEPT_MS,
    isolated: true,
  };
}
