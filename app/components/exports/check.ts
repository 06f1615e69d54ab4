import * as z from "zod/mini";
import {
  type ReportStatement,
  readSeal,
  SEAL_MAX_BYTES,
  type Seal,
} from "#app/entities/exports/pdf-signature.ts";
import { createDigest } from "#app/lib/crypto/digest.ts";
import { sha256 } from "#app/lib/crypto/primitives.ts";
import { isSignedBy } from "#app/lib/crypto/signing.ts";
import { isFromMacOs, MACOS_FOLDER } from "#app/lib/files/macos.ts";
import { readZip, type ZipEntry } from "#app/lib/files/zip-read.ts";
import { parseJson } from "#app/lib/json/parse.ts";

/** A public key of the installation that created the export. */
export type CheckingKey = { version: number; pem: string };

/** The result of one check: what was checked, whether it matches, and if not, why. */
export type Finding = { matches: boolean; what: string; why?: string };

export type Checked = {
  /**
   * `unchanged`: signed by this installation, and everything matches. `changed`: something does not match. `foreign`:
   * nothing indicates that Odin created the file, so it cannot be checked. `several`: a report or an archive was chosen
   * together with other files, so nothing was checked.
   */
  verdict: "unchanged" | "changed" | "foreign" | "several";
  findings: Finding[];
  /** The manifest of an archive; only if its signature is valid. */
  manifest?: CheckedManifest;
  /** How many of the manifest's files were not given, and so not checked. */
  unchecked?: number;
  /** The statement in the seal of a report; only if its signature is valid. */
  report?: ReportStatement;
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

/** Largest file that is read as a whole: no image is larger, and the lists are far smaller. */
const LARGEST_BYTES = 256 * 1024 * 1024;

/** An export of 5,000 records has a manifest of about 3 MB. Limits what is read before the signature is checked. */
const LARGEST_MANIFEST_BYTES = 32 * 1024 * 1024;
const LARGEST_SIGNATURE_BYTES = 1024;

type NamedFile = Blob & { name: string };

/**
 * Checks a report, an archive, or a manifest with its signature and any further files. A changed byte invalidates the
 * signature, whose key comes from this installation and never from the archive. The files are not sent anywhere.
 */
export async function checkExport(
  files: readonly NamedFile[],
  keys: readonly CheckingKey[],
  onProgress: (done: number, total: number) => void,
): Promise<Checked> {
  const [first] = files;
  if (files.length === 1 && first !== undefined && (await isPdf(first)))
    return checkReport(first, keys, onProgress);
  const isUnpacked = files.some(({ name }) => name === MANIFEST || name === SIGNATURE);
  if (files.length > 1 && !isUnpacked && (await hasWholeExport(files)))
    return { verdict: "several", findings: [] };
  const isArchive = files.length === 1 && first !== undefined && !first.name.endsWith(".json");
  let entries: ZipEntry[];
  try {
    entries = isArchive ? withoutFolder(await readZip(first)) : files.map(looseFile);
  } catch (error) {
    if (first === undefined || !(await containsSignatureName(first)))
      return { verdict: "foreign", findings: [] };
    return changed([{ matches: false, what: first.name, why: readProblem(error) }]);
  }
  if (isArchive && !entries.some(({ name }) => name === MANIFEST || name === SIGNATURE))
    return { verdict: "foreign", findings: [] };
  // An archive with two files of a name is not read at all.
  const twice = repeatedName(entries);
  if (twice !== undefined) {
    const why = "Two of the files have this name. Choose one of them.";
    return changed([{ matches: false, what: twice, why }]);
  }
  const findings: Finding[] = [];
  const signed = await checkManifest(entries, keys, findings);
  if (!signed) return changed(findings);
  const listed = new Map(signed.files.map((file) => [file.name, file]));
  const present = entries.filter(({ name }) => name !== MANIFEST && name !== SIGNATURE);
  const unpacked = isArchive ? undefined : unpackedNames(signed);
  const given = new Set<ListedFile>();
  let done = 0;
  for (const entry of present) {
    const file = listed.get(entry.name) ?? unpacked?.files.get(entry.name);
    if (file) given.add(file);
    if (!file && unpacked?.folders.has(entry.name))
      findings.push({
        matches: true,
        what: entry.name,
        why: "It is a folder. Files in it were not checked, except those listed here.",
      });
    else if (!file && isArchive && (await isFromMacOs(entry)))
      findings.push({
        matches: true,
        what: entry.name,
        why: "Added by macOS. It is not part of the export.",
      });
    else findings.push(await checkFile(entry, file ?? folderOf(signed, entry.name)));
    onProgress(++done, present.length);
  }
  if (isArchive) {
    const names = new Set(present.map(({ name }) => name));
    for (const { name } of signed.files)
      if (!names.has(name))
        findings.push({ matches: false, what: name, why: "It is missing from the archive." });
  }
  const verdict = findings.every(({ matches }) => matches) ? "unchanged" : "changed";
  return { verdict, findings, manifest: signed, unchecked: signed.files.length - given.size };
}

type ListedFile = CheckedManifest["files"][number];

/** The name of the folder that had all files of an archive. */
const OUTERMOST = "./";

/** Returns the files of an archive as Odin named them. Programs that pack an unpacked export may put all into one folder. */
function withoutFolder(entries: ZipEntry[]): ZipEntry[] {
  const folder = entries[0]?.name.replace(/\/.*/s, "/") ?? "";
  const isWhole = entries.some(({ name }) => name === `${folder}${MANIFEST}`);
  const isWithin = ({ name }: ZipEntry) => name.startsWith(folder) || name.startsWith(MACOS_FOLDER);
  if (!isWhole || !folder.endsWith("/") || !entries.every(isWithin)) return entries;
  return entries.map((entry) =>
    entry.name.startsWith(folder) ? { ...entry, name: entry.name.slice(folder.length) || OUTERMOST } : entry,
  );
}

/** The SHA-256 of nothing. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Returns the entry of an archive for a folder of an export: one without content. Odin writes none, but other programs
 * do.
 */
function folderOf({ files }: CheckedManifest, name: string): ListedFile | undefined {
  const isFolder =
    name === OUTERMOST || (name.endsWith("/") && files.some((file) => file.name.startsWith(name)));
  return isFolder ? { name, bytes: 0, sha256: EMPTY_SHA256 } : undefined;
}

/**
 * Returns the files of an export by the last part of their names, and the names of its folders. A browser names files
 * chosen in a folder without the folder, and a dropped folder like a file.
 */
function unpackedNames({ files }: CheckedManifest) {
  const byLastPart = Map.groupBy(files, ({ name }) => name.slice(name.lastIndexOf("/") + 1));
  return {
    files: new Map(
      [...byLastPart].flatMap(([name, [file, ...others]]) =>
        file && others.length === 0 ? [[name, file] as const] : [],
      ),
    ),
    folders: new Set(
      files.flatMap(({ name }) => (name.includes("/") ? [name.slice(0, name.indexOf("/"))] : [])),
    ),
  };
}

/** Returns the first name that two files have. An export that was unpacked has thousands of files. */
function repeatedName(entries: readonly ZipEntry[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

function changed(findings: Finding[]): Checked {
  return { verdict: "changed", findings };
}

/** Returns whether a file that is not a readable archive contains the name of the last file of Odin's archives. */
async function containsSignatureName(file: Blob): Promise<boolean> {
  const end = await file.slice(-4 * 1024 * 1024).arrayBuffer();
  return new TextDecoder("latin1").decode(end).includes(SIGNATURE);
}

const readProblem = (error: unknown) =>
  error instanceof TypeError ? error.message : "It could not be read.";

function looseFile(file: NamedFile): ZipEntry {
  const read = async () => new Uint8Array(await file.arrayBuffer());
  return { name: file.name, size: file.size, read };
}

async function checkManifest(
  entries: readonly ZipEntry[],
  keys: readonly CheckingKey[],
  findings: Finding[],
): Promise<CheckedManifest | undefined> {
  const [manifest, signature] = [MANIFEST, SIGNATURE].map((name) =>
    entries.find((entry) => entry.name === name),
  );
  if (!manifest || !signature) {
    const why = "The file is missing. Choose the whole archive, or manifest.json together with manifest.sig.";
    findings.push({ matches: false, what: manifest ? SIGNATURE : MANIFEST, why });
    return undefined;
  }
  for (const [entry, most] of [
    [manifest, LARGEST_MANIFEST_BYTES],
    [signature, LARGEST_SIGNATURE_BYTES],
  ] as const) {
    if (entry.size <= most) continue;
    findings.push({
      matches: false,
      what: entry.name,
      why: `It is too large for ${partOf(entry.name)} of an export.`,
    });
    return undefined;
  }
  try {
    const [bytes, sealed] = [await manifest.read(), await signature.read()];
    const signer = await signerOf(bytes, sealed, keys);
    const parsed = Manifest.safeParse(parseJson(new TextDecoder().decode(bytes)));
    const version = parsed.data?.signature.key_version;
    const isSigned = signer !== undefined && signer.version === version;
    if (!parsed.success)
      findings.push({ matches: false, what: MANIFEST, why: "It is not the manifest of an export." });
    else if (!keys.some((key) => key.version === version))
      findings.push({
        matches: false,
        what: SIGNATURE,
        why: "This installation has no key with that version.",
      });
    else if (!isSigned)
      findings.push({
        matches: false,
        what: SIGNATURE,
        why: "The signature does not match: the manifest was changed, or another installation created it.",
      });
    else findings.push({ matches: true, what: "The manifest is signed by this installation, unchanged." });
    return parsed.data && isSigned ? parsed.data : undefined;
  } catch (error) {
    findings.push({ matches: false, what: MANIFEST, why: readProblem(error) });
    return undefined;
  }
}

const partOf = (name: string) => (name === MANIFEST ? "the manifest" : "the signature");

/** Returns the key that made a signature over these bytes, or undefined. */
async function signerOf(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  keys: readonly CheckingKey[],
): Promise<CheckingKey | undefined> {
  for (const key of keys) if (await isSignedBy(key.pem, bytes, signature)) return key;
  return undefined;
}

async function checkFile(entry: ZipEntry, listed: ListedFile | undefined): Promise<Finding> {
  const what = entry.name;
  if (!listed) return { matches: false, what, why: "The manifest does not list it." };
  if (entry.size !== listed.bytes || entry.size > LARGEST_BYTES)
    return { matches: false, what, why: `It has ${entry.size} bytes, not ${listed.bytes}.` };
  try {
    const hash = await sha256(await entry.read());
    return hash === listed.sha256
      ? { matches: true, what }
      : { matches: false, what, why: "Its content was changed: the SHA-256 does not match." };
  } catch (error) {
    return { matches: false, what, why: readProblem(error) };
  }
}

/** Returns whether a file starts like a PDF. */
async function isPdf(file: Blob): Promise<boolean> {
  return (await file.slice(0, 5).text()) === "%PDF-";
}

/** Returns whether one of the files is a PDF or an archive. A dropped folder cannot be read. */
async function hasWholeExport(files: readonly NamedFile[]): Promise<boolean> {
  for (const file of files) {
    const beginning = await file
      .slice(0, 5)
      .text()
      .catch(() => "");
    if (beginning === "%PDF-" || beginning.startsWith("PK\x03\x04")) return true;
  }
  return false;
}

/**
 * Checks a PDF report by its seal, the signed statement at the end of the file: signature, length and SHA-256 of
 * everything before the seal. A PDF without any sign of Odin is `foreign`.
 */
async function checkReport(
  file: Blob,
  keys: readonly CheckingKey[],
  onProgress: (done: number, total: number) => void,
): Promise<Checked> {
  const tail = new Uint8Array(await file.slice(-SEAL_MAX_BYTES).arrayBuffer());
  const seal = readSeal(tail);
  if (!seal) {
    if (!(await claimsToBeOdins(file))) return { verdict: "foreign", findings: [] };
    return changed([
      {
        matches: false,
        what: "Signature",
        why: "Odin created this report, but its signature is missing or damaged.",
      },
    ]);
  }
  const problem = await signatureProblem(seal, keys);
  if (problem) return changed([{ matches: false, what: "Signature", why: problem }]);
  const { statement } = seal;
  const length = file.size - seal.length;
  if (length !== statement.bytes)
    return changed([
      {
        matches: false,
        what: "Report",
        why: `It has ${length} bytes before its signature, not ${statement.bytes}.`,
      },
    ]);
  const hash = await hashOf(file.slice(0, length), (done) => onProgress(done, length));
  if (hash !== statement.sha256)
    return changed([
      { matches: false, what: "Report", why: "Its content was changed: the SHA-256 does not match." },
    ]);
  const what = "The report is signed by this installation, unchanged.";
  return { verdict: "unchanged", findings: [{ matches: true, what }], report: statement };
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
