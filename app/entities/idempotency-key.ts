import * as z from "zod/mini";
import { optionalField } from "#app/lib/json/values.ts";

/** The field of a save that is done once, however often it is sent with the same key and content. */
export const IdempotencyKey = optionalField(z.string().check(z.maxLength(64)));
