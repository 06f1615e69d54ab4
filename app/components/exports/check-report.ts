import { readSeal, SEAL_MAX_BYTES, type Seal } from "#app/entities/exports/pdf-signature.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { isSignedBy } from "#app/lib/crypto/signing.ts";
import type { Checked, CheckingKey } from "./check.ts";

/** Returns whether a file starts like a PDF. */
export async function isPdf(file: Blob): Promise<boolean> {
  return (await file.slice(0, 5).text()) === "%PDF-";
}

/**
 * Checks a PDF report by its seal, the signed statement at the end of the file: signature, length and SHA-256 of
 * everything before the seal. A PDF without any sign of Odin is `foreign`.
 */
export async function checkReport(
  file: Blob,
  keys: readonly CheckingKey[],
  onProgress: (done: number, total: number) => void,
): Promise<Checked> {
  const tail = new Uint8Array(await file.slice(-SEAL_MAX_BYTES).arrayBuffer());
  const seal = readSeal(tail);
  if (!seal) {
    if (!(await claimsToBeOdins(file))) return { verdict: "foreign", findings: [] };
    return changed("Signature", "Odin created this report, but its signature is missing or damaged.");
  }
  const problem = await signatureProblem(seal, keys);
  if (problem) return changed("Signature", problem);
  const { statement } = seal;
  const length = file.size - seal.length;
  if (length !== statement.bytes)
    return changed("Report", `It has ${length} bytes before its signature, not ${statement.bytes}.`);
  const hash = await hashOf(file.slice(0, length), (done) => onProgress(done, length));
  if (hash !== statement.sha256)
    return changed("Report", "Its content was changed: the SHA-256 does not match.");
  const what = "The report is signed by this installation, unchanged.";
  return { verdict: "unchanged", findings: [{ matches: true, what }], report: statement };
}

function changed(what: string, why: string): Checked {
  return { verdict: "changed", findings: [{ matches: false, what, why }] };
}

async function signatureProblem(seal: Seal, keys: readonly CheckingKey[]): Promise<string | undefined> {
  const key = keys.find(({ version }) => version === seal.statement.key_version);
  if (!key) return "This installation has no key with that version.";
  if (await isSignedBy(key.pem, seal.signed, seal.signature)) return undefined;
  return "The signature does not match: the report was changed, or another installation created it.";
}

/** Bytes at the end of a report that are searched for its metadata and remains of its seal. */
const SEARCHED_BYTES = 4 * 1024 * 1024;

/** Returns whether a file names Odin in its metadata or contains part of a seal. */
async function claimsToBeOdins(file: Blob): Promise<boolean> {
  const end = new TextDecoder("latin1").decode(await file.slice(-SEARCHED_BYTES).arrayBuffer());
  return /%odin-(report|signature) |<pdf:Producer>Odin<\/pdf:Producer>/.test(end);
}

async function hashOf(part: Blob, onProgress: (done: number) => void): Promise<string> {
  const digest = createDigest();
  const reader = part.stream().getReader();
  let done = 0;
  for (;;) {
    const { value } = await reader.read();
    if (!value) return digest.hex();
    await digest.update(value);
    done += value.length;
    onProgress(done);
  }
}
