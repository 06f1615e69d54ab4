import * as z from "zod/mini";
import { sha256 } from "#app/lib/crypto.ts";
import { parseJson } from "#app/lib/json.ts";
import { isSignedBy } from "#app/lib/signing.ts";
import { readZip, type ZipEntry } from "#app/lib/zip-read.ts";

/** A public key of the installation that exported. */
export type CheckingKey = { version: number; pem: string };

export type Finding = { fits: boolean; what: string; why?: string };

export type Checked = {
  /** Whether everything that was looked at fits, and that the signature is Odin's. */
  fits: boolean;
  findings: Finding[];
  /** What the manifest says, where there is one; to be believed only where it fits. */
  manifest?: CheckedManifest;
};

const Manifest = z.object({
  schema: z.literal("odin-export"),
  schema_version: z.literal(1),
  export_id: z.string(),
  created_at: z.string(),
  exporter: z.object({ username: z.string(), name: z.string(), agency: z.string() }),
  justification: z.string(),
  case_number: z.string(),
  records: z.array(z.object({ id: z.string() })),
  missing: z.array(z.object({ record: z.number(), image: z.string(), reason: z.string() })),
  files: z.array(
    z.object({ name: z.string(), bytes: z.number(), sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
  ),
  signature: z.object({ key_version: z.number() }),
});
export type CheckedManifest = z.infer<typeof Manifest>;

const MANIFEST = "manifest.json";
const SIGNATURE = "manifest.sig";

/** Largest file that is read at once: no image is larger, and the lists are far smaller. */
const LARGEST = 256 * 1024 * 1024;

type NamedFile = Blob & { name: string };

/**
 * Checks an archive, or a manifest with its signature and any files beside it. Whoever changed a byte must also forge
 * the signature, for which the key is asked of the installation and never of the archive. Nothing is sent anywhere.
 */
export async function checkExport(
  files: readonly NamedFile[],
  keys: readonly CheckingKey[],
  onProgress: (done: number, total: number) => void,
): Promise<Checked> {
  const [first] = files;
  const isArchive = files.length === 1 && first !== undefined && !first.name.endsWith(".json");
  let entries: ZipEntry[];
  try {
    entries = isArchive ? await readZip(first) : files.map(looseFile);
  } catch (error) {
    return broken([{ fits: false, what: first?.name ?? "File", why: wordsOf(error) }]);
  }
  const findings: Finding[] = [];
  const signed = await checkManifest(entries, keys, findings);
  if (!signed) return broken(findings);
  const listed = new Map(signed.files.map((file) => [file.name, file]));
  const present = entries.filter(({ name }) => name !== MANIFEST && name !== SIGNATURE);
  let done = 0;
  for (const entry of present) {
    findings.push(await checkFile(entry, listed.get(entry.name)));
    onProgress(++done, present.length);
  }
  if (isArchive) {
    const names = new Set(present.map(({ name }) => name));
    for (const { name } of signed.files)
      if (!names.has(name))
        findings.push({ fits: false, what: name, why: "It is missing from the archive." });
  }
  return { fits: findings.every(({ fits }) => fits), findings, manifest: signed };
}

function broken(findings: Finding[]): Checked {
  return { fits: false, findings };
}

const wordsOf = (error: unknown) => (error instanceof TypeError ? error.message : "It could not be read.");

function looseFile(file: NamedFile): ZipEntry {
  const read = async () => new Uint8Array(await file.arrayBuffer());
  return { name: file.name, size: file.size, read };
}

async function checkManifest(
  entries: readonly ZipEntry[],
  keys: readonly CheckingKey[],
  findings: Finding[],
): Promise<CheckedManifest | undefined> {
  const [manifest, signature] = [MANIFEST, SIGNATURE].map((name) => entries.find((one) => one.name === name));
  if (!manifest || !signature) {
    const why =
      "It is not among the files. Choose the whole archive, or manifest.json together with manifest.sig.";
    findings.push({ fits: false, what: manifest ? SIGNATURE : MANIFEST, why });
    return undefined;
  }
  try {
    const bytes = await manifest.read();
    const parsed = Manifest.safeParse(parseJson(new TextDecoder().decode(bytes)));
    const version = parsed.data?.signature.key_version;
    const key = keys.find((one) => one.version === version);
    const isOurs = key !== undefined && (await isSignedBy(key.pem, bytes, await signature.read()));
    if (!parsed.success)
      findings.push({ fits: false, what: MANIFEST, why: "It is no manifest of an export." });
    else if (!key)
      findings.push({ fits: false, what: SIGNATURE, why: "This installation has no key of that version." });
    else if (!isOurs)
      findings.push({
        fits: false,
        what: SIGNATURE,
        why: "The signature does not fit: the manifest was changed, or another installation made it.",
      });
    else findings.push({ fits: true, what: "The manifest is signed by this installation, unchanged." });
    return parsed.data && isOurs ? parsed.data : undefined;
  } catch (error) {
    findings.push({ fits: false, what: MANIFEST, why: wordsOf(error) });
    return undefined;
  }
}

async function checkFile(
  entry: ZipEntry,
  listed: CheckedManifest["files"][number] | undefined,
): Promise<Finding> {
  const what = entry.name;
  if (!listed) return { fits: false, what, why: "The manifest does not list it." };
  if (entry.size !== listed.bytes || entry.size > LARGEST)
    return { fits: false, what, why: `It has ${entry.size} bytes, not ${listed.bytes}.` };
  try {
    const hash = await sha256(await entry.read());
    return hash === listed.sha256
      ? { fits: true, what }
      : { fits: false, what, why: "Its content was changed: the SHA-256 is another." };
  } catch (error) {
    return { fits: false, what, why: wordsOf(error) };
  }
}
