// The seal of a PDF report: two comment lines after its %%EOF, which PDF readers ignore. The first states the
// length and SHA-256 of everything before it; the second is a signature of that statement. The three lines with
// which a PDF must end (ISO 32000-2, 7.5.5) follow again, because some readers look only there. The signed
// statement is short, so that a report of any size is signed while it is written, and openssl can check it without
// Odin.

import * as z from "zod/mini";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { isoTime } from "#app/lib/time/dates.ts";

/** An upper bound on the bytes of a seal. */
export const SEAL_MAX_BYTES = 800;

const ReportStatement = z.object({
  schema: z.literal("odin-report"),
  schema_version: z.literal(1),
  export_id: z.string(),
  created_at: z.string(),
  /** Bytes of the file before the seal. */
  bytes: z.number(),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Offset of the cross-reference table; the last lines must agree. Older reports have none, and end with %%EOF only. */
  startxref: z.optional(z.number()),
  algorithm: z.literal("ECDSA-P256-SHA256"),
  key_version: z.number(),
});
export type ReportStatement = z.infer<typeof ReportStatement>;

/** Returns the bytes to append to a report whose first `bytes` bytes have this SHA-256. */
export async function createSeal(input: {
  exportId: string;
  createdAt: number;
  bytes: number;
  sha256: string;
  startxref: number;
  keyVersion: number;
  sign: (data: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
}): Promise<Uint8Array<ArrayBuffer>> {
  const statement: ReportStatement = {
    schema: "odin-report",
    schema_version: 1,
    export_id: input.exportId,
    created_at: isoTime(input.createdAt),
    bytes: input.bytes,
    sha256: input.sha256,
    startxref: input.startxref,
    algorithm: "ECDSA-P256-SHA256",
    key_version: input.keyVersion,
  };
  const encoder = new TextEncoder();
  const text = JSON.stringify(statement);
  const signature = await input.sign(encoder.encode(text));
  return encoder.encode(
    `%odin-report ${text}\n%odin-signature ${base64(signature)}\n${ending(input.startxref)}`,
  );
}

const ending = (startxref: number | undefined) =>
  startxref === undefined ? "%%EOF\n" : `startxref\n${startxref}\n%%EOF\n`;

export type Seal = {
  statement: ReportStatement;
  /** The signed bytes. */
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
  /** Bytes of the whole seal. */
  length: number;
};

const SEAL =
  /%odin-report (\{[ -~]*\})\n%odin-signature ([A-Za-z0-9+/]+={0,2})\n((?:startxref\n\d+\n)?%%EOF\n)$/;

/** Returns the seal at the end of these bytes; undefined if they do not end with a well-formed one. */
export function readSeal(tail: Uint8Array): Seal | undefined {
  const match = SEAL.exec(new TextDecoder("latin1").decode(tail));
  if (!match) return undefined;
  const [whole, text = "", encoded = "", end] = match;
  const statement = ReportStatement.safeParse(parseJson(text));
  const signature = decoded(encoded);
  if (!statement.success || !signature || end !== ending(statement.data.startxref)) return undefined;
  const signed = new TextEncoder().encode(text);
  return { statement: statement.data, signed, signature, length: whole.length };
}

/** Returns the bytes of canonical base64 only; otherwise a changed character could stand for the same bytes. */
function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = fromBase64(text);
    return base64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
