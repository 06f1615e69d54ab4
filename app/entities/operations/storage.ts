/** The databases of reads, as the owner sees and changes them. */

import * as z from "zod/mini";
import type * as answers from "./answers.ts";

export type StorageState = "open" | "read-only" | "draining" | "removed";

/** What the owner may set. `removed` is a separate call, which requires that the database is empty. */
export const StorageStateRequest = z.object({ state: z.enum(["open", "read-only", "draining"]) });
export type StorageStateRequest = z.infer<typeof StorageStateRequest>;

/** The fields of the screen's forms. */
export const StorageNameFields = z.object({ name: z.string().check(z.maxLength(40)) });
export const StorageStateFields = z.extend(StorageNameFields, StorageStateRequest.shape);

export type StoredDatabase = z.infer<typeof answers.StoredDatabase>;

export type StorageReport = z.infer<typeof answers.StorageReport>;
