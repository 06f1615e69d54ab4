import * as z from "zod/mini";
import { optionalField } from "#app/lib/json/values.ts";

/** The field that makes a save idempotent: requests with the same key and content are saved once. */
export const IdempotencyKey = optionalField(z.string().check(z.maxLength(64)));
