// Images of reads, fetched from their vendors by the server. A caller names only a row of its own result set; host,
// path and key are built here, so that the image proxies cannot be pointed at other addresses.

import type { AppContext } from "#app/context.ts";
import type { Actor } from "#app/entities/accounts/actor.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { type ImageKind, parseImageReference } from "#app/entities/search/result-set.ts";
import type { ServedFile } from "#app/entities/served-file.ts";
import { base64 } from "#app/lib/crypto/encoding.ts";
import { AppError } from "#app/lib/errors.ts";
import { isProviderFailure, type ProviderImage } from "#app/providers/provider.ts";
import { findLocators } from "#app/store/search/result-sets.ts";
import { requireResultSet } from "./results.ts";
import { searchableSource } from "./searchable.ts";

/** How long a vendor may take for one image. */
const IMAGE_DEADLINE_MS = 15_000;

/**
 * Returns the image of a reference, from the given program; `kind` overrides the kind in the reference. Throws AppError
 * bad_request for anything that is not an image reference, gone for purged sets, not_found if the program has no such
 * image, unavailable if the program failed.
 */
async function fetchImage(
  app: AppContext,
  actor: Actor,
  input: { program: SourceProgram; reference: string | null; kind?: ImageKind; signal: AbortSignal },
): Promise<{ image: ProviderImage; keptMs: number }> {
  const reference = parseImageReference(input.reference ?? "");
  if (!reference) throw new AppError("bad_request", "This is not an image reference.");
  const set = await requireResultSet(app, actor, reference.resultId, { checksSharing: false });
  const locators = await findLocators(app.results, { id: set.id, count: set.count, row: reference.row });
  const locator = locators?.[input.kind ?? reference.kind];
  // Looks up the read's source only: a list of all sources would load every shared camera.
  const source =
    locator && (await searchableSource(app, actor, { program: input.program, id: locators.sourceId }));
  if (!source) throw new AppError("not_found", "There is no such image.");
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(IMAGE_DEADLINE_MS)]);
  try {
    const image = await app.providers[source.program].image({ source, locator, signal });
    return { image, keptMs: set.expiresAt - app.clock() };
  } catch (error) {
    if (!isProviderFailure(error)) throw error;
    const { kind, message } = error;
    throw new AppError(kind === "missing" ? "not_found" : "unavailable", message, { cause: error });
  }
}

/**
 * Returns an image for the proxies: typed by its content, isolated, and cached by the browser until the set expires.
 */
export async function openImage(
  app: AppContext,
  actor: Actor,
  input: {
    program: SourceProgram;
    reference: string | null;
    kind?: ImageKind;
    signal: AbortSignal;
    asBase64?: boolean;
  },
): Promise<ServedFile> {
  const { image, keptMs } = await fetchImage(app, actor, input);
  const file = { keptMs, neverChanges: true, isolated: true };
  return input.asBase64
    ? { ...file, content: base64(image.bytes), type: "text/plain; charset=utf-8" }
    : { ...file, content: image.bytes, type: image.type };
}
