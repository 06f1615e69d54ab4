// The seal that a PDF report ends with: two comment lines after its %%EOF, which readers of PDF ignore. The first states
// the length and SHA-256 of everything before it, the second is a signature over that statement. What is signed is short,
// so that a report of any size is signed as it is written, and openssl can check it without Odin.

import * as z from "zod/mini";
import { base64, fromBase64 } from "#app/lib/crypto/encoding.ts";
import { parseJson } from "#app/lib/json/parse.ts";
import { isoTime } from "#app/lib/time/dates.ts";

/** Comments must not push `startxref` out of the last 1,024 bytes, where Poppler, MuPDF and pdf.js look for it. */
export const SEAL_MAX_BYTES = 800;

const ReportStatement = z.object({
  schema: z.literal("odin-report"),
  schema_version: z.literal(1),
  export_id: z.string(),
  created_at: z.string(),
  /** Bytes of the file before the seal. */
  bytes: z.number(),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  algorithm: z.literal("ECDSA-P256-SHA256"),
  key_version: z.number(),
});
export type ReportStatement = z.infer<typeof ReportStatement>;

/** The bytes to append to a report whose first `bytes` bytes have this SHA-256. */
export async function createSeal(input: {
  exportId: string;
  createdAt: number;
  bytes: number;
  sha256: string;
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
    algorithm: "ECDSA-P256-SHA256",
    key_version: input.keyVersion,
  };
  const encoder = new TextEncoder();
  const text = JSON.stringify(statement);
  const signature = await input.sign(encoder.encode(text));
  return encoder.encode(`%odin-report ${text}\n%odin-signature ${base64(signature)}\n%%EOF\n`);
}

export type Seal = {
  statement: ReportStatement;
  /** What the signature is over. */
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
  /** Bytes of the whole seal. */
  length: number;
};

const SEAL = /%odin-report (\{[ -~]*\})\n%odin-signature ([A-Za-z0-9+/]+={0,2})\n%%EOF\n$/;

/** The seal that bytes end with; undefined where they do not end with a well-formed one. */
export function readSeal(tail: Uint8Array): Seal | undefined {
  const match = SEAL.exec(new TextDecoder("latin1").decode(tail));
  if (!match) return undefined;
  const [whole, text = "", encoded = ""] = match;
  const statement = ReportStatement.safeParse(parseJson(text));
  const signature = decoded(encoded);
  if (!statement.success || !signature) return undefined;
  const signed = new TextEncoder().encode(text);
  return { statement: statement.data, signed, signature, length: whole.length };
}

/** Bytes of canonical base64; otherwise a changed character could stand for the same bytes. */
function decoded(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = fromBase64(text);
    return base64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
