/**
 * Reads a ZIP archive from a Blob, one file at a time, in browsers too. Strict: archives that different readers
 * would read differently are rejected, because the content is verified.
 */

import { joined } from "#app/lib/buffers.ts";

export type ZipEntry = { name: string; size: number; read: () => Promise<Uint8Array<ArrayBuffer>> };

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
/** The record before the end record of a ZIP64 archive. Programs that find it use the end record of ZIP64 instead. */
const LOCATOR_64 = 0x07064b50;
const [END_BYTES, LOCATOR_BYTES, LONGEST_COMMENT] = [22, 20, 0xffff];
/** The extra field with another name of the file (Info-ZIP Unicode Path), which other programs show instead. */
const SECOND_NAME = 0x7075;

/**
 * Returns the files of an archive. Throws TypeError with a message for the user if it is not an archive or
 * contradicts itself.
 */
export async function readZip(archive: Blob): Promise<ZipEntry[]> {
  const tailAt = Math.max(0, archive.size - END_BYTES - LONGEST_COMMENT - LOCATOR_BYTES);
  const tail = await view(archive.slice(tailAt));
  let end = tail.byteLength - END_BYTES;
  const first = Math.max(0, end - LONGEST_COMMENT);
  while (end >= first && tail.getUint32(end, true) !== END) end--;
  if (end < first) throw new TypeError("This is not a ZIP archive, or it is incomplete.");
  const [count, size, at] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ];
  const outside = () => new TypeError("The archive contains data outside its files.");
  if (at + size !== tailAt + end) throw outside();
  // Other programs would look for another end record, or use that of ZIP64, and find other files.
  const isCommentWhole = end + END_BYTES + tail.getUint16(end + 20, true) === tail.byteLength;
  const locator = end - LOCATOR_BYTES;
  if (!isCommentWhole || (locator >= 0 && tail.getUint32(locator, true) === LOCATOR_64)) throw outside();
  const directory = await view(archive.slice(at, at + size));
  const entries: (ZipEntry & { start: number })[] = [];
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const damaged = () => new TypeError("The archive's list of files is damaged.");
  let place = 0;
  for (let i = 0; i < count; i++) {
    if (place + 46 > directory.byteLength || directory.getUint32(place, true) !== CENTRAL) throw damaged();
    const [method, packed, plain, nameLength, extra, comment, start] = [
      directory.getUint16(place + 10, true),
      directory.getUint32(place + 20, true),
      directory.getUint32(place + 24, true),
      directory.getUint16(place + 28, true),
      directory.getUint16(place + 30, true),
      directory.getUint16(place + 32, true),
      directory.getUint32(place + 42, true),
    ];
    const name = decoder.decode(
      new Uint8Array(directory.buffer, directory.byteOffset + place + 46, nameLength),
    );
    if (hasSecondName(directory, place + 46 + nameLength, extra)) throw secondName(name);
    if ((entries.at(-1)?.start ?? -1) >= start)
      throw new TypeError("The archive's files overlap or are out of order.");
    entries.push({
      name,
      size: plain,
      start,
      read: () =>
        readEntry(archive, { name, method, packed, plain, start, until: entries[i + 1]?.start ?? at }),
    });
    place += 46 + nameLength + extra + comment;
  }
  // Other readers use the size of the list, and would show files beyond the count.
  if (place !== directory.byteLength) throw damaged();
  if ((entries[0]?.start ?? at) !== 0) throw outside();
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) throw new TypeError(`The archive contains two files named ${name}.`);
    seen.add(name);
  }
  return entries.map(({ name, size: bytes, read }) => ({ name, size: bytes, read }));
}

const secondName = (name: string) => new TypeError(`${name} has a second name.`);

/** Returns whether extra fields have another name of the file. */
function hasSecondName(bytes: DataView, from: number, length: number): boolean {
  const end = Math.min(from + length, bytes.byteLength);
  for (let at = from; at + 4 <= end; at += 4 + bytes.getUint16(at + 2, true))
    if (bytes.getUint16(at, true) === SECOND_NAME) return true;
  return false;
}

async function view(part: Blob): Promise<DataView> {
  return new DataView(await part.arrayBuffer());
}

/** The flag of files that a descriptor follows, and the sizes that a descriptor can have. */
const DESCRIBED = 1 << 3;
const DESCRIPTORS = [12, 16, 20, 24];

async function readEntry(
  archive: Blob,
  entry: { name: string; method: number; packed: number; plain: number; start: number; until: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const head = await view(archive.slice(entry.start, entry.start + 30));
  if (head.byteLength < 30 || head.getUint32(0, true) !== LOCAL)
    throw new TypeError(`${entry.name} is not where the archive says.`);
  const nameLength = head.getUint16(26, true);
  const named = new TextDecoder().decode(
    await archive.slice(entry.start + 30, entry.start + 30 + nameLength).arrayBuffer(),
  );
  if (named !== entry.name)
    throw new TypeError(`${entry.name} has a different name in its own header: ${named}.`);
  const extra = head.getUint16(28, true);
  const from = entry.start + 30 + nameLength + extra;
  if (hasSecondName(await view(archive.slice(from - extra, from)), 0, extra)) throw secondName(entry.name);
  // Readers that ignore the list use the file's own header; its sizes may be in a descriptor after the file.
  const isDescribed = (head.getUint16(6, true) & DESCRIBED) !== 0;
  const packed = head.getUint32(18, true);
  if (head.getUint16(8, true) !== entry.method || (packed !== entry.packed && !(isDescribed && packed === 0)))
    throw new TypeError(`${entry.name} is not what its own header says.`);
  // Readers that ignore the list would show what is hidden there.
  const rest = entry.until - from - entry.packed;
  if (rest !== 0 && !(isDescribed && DESCRIPTORS.includes(rest)))
    throw new TypeError(`${entry.name} does not end where the archive says.`);
  const data = archive.slice(from, from + entry.packed);
  const isStored = entry.method === 0;
  if (!isStored && entry.method !== 8)
    throw new TypeError(`${entry.name} uses an unsupported compression method.`);
  if (isStored && entry.packed !== entry.plain)
    throw new TypeError(
      `${entry.name} is ${entry.packed > entry.plain ? "larger" : "smaller"} than the archive says.`,
    );
  const plain = isStored ? data.stream() : data.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return readAtMost(plain, entry);
}

/** Reads a stream only up to its claimed size: a small archive may inflate to gigabytes. */
async function readAtMost(
  stream: ReadableStream<Uint8Array>,
  entry: { name: string; plain: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value } = await reader.read();
    if (!value) break;
    size += value.length;
    if (size > entry.plain) {
      // An error of a stream that already failed changes nothing.
      await reader.cancel().catch(() => {});
      throw new TypeError(`${entry.name} is larger than the archive says.`);
    }
    parts.push(value);
  }
  if (size < entry.plain) throw new TypeError(`${entry.name} is smaller than the archive says.`);
  return joined(parts);
}
