import { readSeal, SEAL_MAX_BYTES, type Seal } from "#app/entities/exports/pdf-signature.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { isSignedBy } from "#app/lib/crypto/signing.ts";
import type { Checked, CheckingKey } from "./check.ts";

/** Whether a file begins as a PDF does. */
export async function isPdf(file: Blob): Promise<boolean> {
  return (await file.slice(0, 5).text()) === "%PDF-";
}

/**
 * Checks a PDF report by the seal that it ends with: signature, length and SHA-256 of everything before the seal.
 * A PDF that says nowhere that Odin made it is foreign, and neither good nor bad.
 */
export async function checkReport(
  file: Blob,
  keys: readonly CheckingKey[],
  onProgress: (done: number, total: number) => void,
): Promise<Checked> {
  const tail = new Uint8Array(await file.slice(-SEAL_MAX_BYTES).arrayBuffer());
  const seal = readSeal(tail);
  if (!seal) {
    if (!(await claimsToBeOurs(file))) return { verdict: "foreign", findings: [] };
    return changed("Signature", "Odin made this report, but its signature is missing or damaged.");
  }
  const problem = await signatureProblem(seal, keys);
  if (problem) return changed("Signature", problem);
  const { statement } = seal;
  const length = file.size - seal.length;
  if (length !== statement.bytes)
    return changed("Report", `It has ${length} bytes before its signature, not ${statement.bytes}.`);
  const hash = await hashOf(file.slice(0, length), (done) => onProgress(done, length));
  if (hash !== statement.sha256) return changed("Report", "Its content was changed: the SHA-256 is another.");
  const what = "The report is signed by this installation, unchanged.";
  return { verdict: "unchanged", findings: [{ fits: true, what }], report: statement };
}

function changed(what: string, why: string): Checked {
  return { verdict: "changed", findings: [{ fits: false, what, why }] };
}

async function signatureProblem(seal: Seal, keys: readonly CheckingKey[]): Promise<string | undefined> {
  const key = keys.find(({ version }) => version === seal.statement.key_version);
  if (!key) return "This installation has no key of that version.";
  if (await isSignedBy(key.pem, seal.signed, seal.signature)) return undefined;
  return "The signature does not fit: the report was changed, or another installation made it.";
}

/** Bytes at the end of a report in which its metadata and what is left of its seal are looked for. */
const SEARCHED = 4 * 1024 * 1024;

/** Whether a file names Odin in its metadata or has a part of a seal. */
async function claimsToBeOurs(file: Blob): Promise<boolean> {
  const end = new TextDecoder("latin1").decode(await file.slice(-SEARCHED).arrayBuffer());
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
