import type { ZipEntry } from "./zip-read.ts";

/** The folder in which macOS packs the attributes of an archive's files. */
export const MACOS_FOLDER = "__MACOSX/";
/** The attributes of a file (AppleDouble), and the Finder's notes about a folder. */
const MACOS_FILES = [
  { name: /^__MACOSX\/(?:.*\/)?\._[^/]+$/s, start: [0x00, 0x05, 0x16, 0x07] },
  { name: /^(?:.*\/)?\.DS_Store$/s, start: [0x00, 0x00, 0x00, 0x01, 0x42, 0x75, 0x64, 0x31] },
];
/** Attributes of a file, such as where it was downloaded from, take far less. */
const LARGEST_MACOS_BYTES = 1024 * 1024;

/** Returns whether macOS added an entry when it packed a folder, by its name and the start of its content. */
export async function isFromMacOs(entry: ZipEntry): Promise<boolean> {
  if (entry.name.startsWith(MACOS_FOLDER) && entry.name.endsWith("/")) return entry.size === 0;
  const kind = MACOS_FILES.find(({ name }) => name.test(entry.name));
  if (!kind || entry.size > LARGEST_MACOS_BYTES) return false;
  const bytes = await entry.read().catch(() => new Uint8Array(0));
  return kind.start.every((byte, i) => bytes[i] === byte);
}
