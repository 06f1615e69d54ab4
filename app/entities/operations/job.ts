import * as z from "zod/mini";

/** Messages of the jobs queue. They contain only ids, never a plate or a person; the consumer parses them strictly. */
export const Job = z.discriminatedUnion("type", [
  z.strictObject({ v: z.literal(1), type: z.literal("purge-result-set"), id: z.string() }),
  z.strictObject({ v: z.literal(1), type: z.literal("hotlist-import"), id: z.string() }),
  z.strictObject({ v: z.literal(1), type: z.literal("export"), id: z.string() }),
  z.strictObject({ v: z.literal(1), type: z.literal("alert"), id: z.string() }),
  z.strictObject({ v: z.literal(1), type: z.literal("backup"), id: z.string() }),
  // Copies a range of images for the backup `id`, between two keys of objects.
  z.strictObject({
    v: z.literal(1),
    type: z.literal("backup-copy"),
    id: z.string(),
    after: z.string(),
    until: z.string(),
  }),
  // Copies images of a restored backup back; `id` is the run of a chain of steps.
  z.strictObject({ v: z.literal(1), type: z.literal("restore-images"), id: z.string() }),
  z.strictObject({ v: z.literal(1), type: z.literal("webhook"), id: z.string() }),
  // A slice of the Axon integrations; `id` is the first of them.
  z.strictObject({
    v: z.literal(1),
    type: z.literal("axon-poll"),
    id: z.string(),
    ids: z.array(z.string()),
  }),
]);
export type Job = z.infer<typeof Job>;
