// Files sealed with AES-256-GCM in frames, so that a large file never has to fit in memory. Each frame is bound to
// the file's name, its index and the number of frames: none can be moved, removed or cut off undetected. The key is
// derived per purpose from a sealing key, whose version is in the file's header.

import { at } from "#app/lib/at.ts";
import { joined } from "#app/lib/buffers.ts";
import { fromBase64 } from "./encoding.ts";
import type { SealingKeys } from "./primitives.ts";

/** Bytes of content per frame. */
export const FRAME = 1024 * 1024;
const IV = 12;
const TAG = 16;
const MAGIC = new TextEncoder().encode("odin-1");
/** The magic bytes, then the key's version in two bytes. */
const HEADER = MAGIC.length + 2;

/** A file's identity: the purpose that its key is derived for, and its name. It opens only with both. */
export type SealedFile = { purpose: string; name: string };

/** The file was changed, or was sealed with another key or as another file. */
export class SealBroken extends Error {}

type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = (text: string) => new TextEncoder().encode(text);
const framesOf = (size: number, frame: number) => Math.max(1, Math.ceil(size / frame));

/** Returns the size of a sealed file, given the size of its content. */
export function sealedSize(size: number): number {
  return HEADER + size + framesOf(size, FRAME) * (IV + TAG);
}

async function keyFor(keys: SealingKeys, purpose: string, version: number): Promise<CryptoKey> {
  const secret = keys.keys[version];
  if (secret === undefined) throw new SealBroken(`there is no sealing key of version ${version}`);
  const base = await crypto.subtle.importKey("raw", fromBase64(secret), "HKDF", false, ["deriveKey"]);
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8(`odin sealed file|${purpose}`) },
    base,
    { name: "AES-GCM", length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}

const associated = (name: string, index: number, frames: number) => utf8(`${name}|${index}|${frames}`);

/** Cuts a stream into blocks of one size, the first optionally of another size; the last holds the rest. */
async function* blocksOf(
  source: ReadableStream<Uint8Array>,
  size: number,
  first = size,
): AsyncGenerator<Bytes> {
  let block = new Uint8Array(first);
  let filled = 0;
  for await (const chunk of source as unknown as AsyncIterable<Uint8Array>) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === block.length) {
        yield block;
        block = new Uint8Array(size);
        filled = 0;
      }
      const taken = Math.min(block.length - filled, chunk.length - at);
      block.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
    }
  }
  yield block.subarray(0, filled);
}

async function* sealedFrames(
  keys: SealingKeys,
  file: SealedFile,
  { source, size }: { source: ReadableStream<Uint8Array>; size: number },
): AsyncGenerator<Bytes> {
  const version = keys.current;
  const key = await keyFor(keys, file.purpose, version);
  yield Uint8Array.of(...MAGIC, version >> 8, version & 0xff);
  const frames = framesOf(size, FRAME);
  let [index, read] = [0, 0];
  for await (const block of blocksOf(source, FRAME)) {
    read += block.length;
    const iv = crypto.getRandomValues(new Uint8Array(IV));
    const additionalData = associated(file.name, index++, frames);
    yield iv;
    yield new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, block));
  }
  if (read !== size) throw new Error(`${file.name} has ${read} bytes instead of ${size}`);
}

async function* openedFrames(
  keys: SealingKeys,
  file: SealedFile,
  { source, size }: { source: ReadableStream<Uint8Array>; size: number },
): AsyncGenerator<Bytes> {
  const sealedFrame = FRAME + IV + TAG;
  const frames = framesOf(size - HEADER, sealedFrame);
  let key: CryptoKey | undefined;
  let index = 0;
  for await (const block of blocksOf(source, sealedFrame, HEADER)) {
    if (!key) {
      const isOurs = block.length === HEADER && MAGIC.every((byte, i) => block[i] === byte);
      if (!isOurs) throw new SealBroken("it is not a sealed file");
      const version = (at(block, HEADER - 2) << 8) | at(block, HEADER - 1);
      key = await keyFor(keys, file.purpose, version);
      continue;
    }
    const additionalData = associated(file.name, index++, frames);
    const algorithm = { name: "AES-GCM", iv: block.subarray(0, IV), additionalData };
    const opened = await crypto.subtle.decrypt(algorithm, key, block.subarray(IV)).catch(() => {
      throw new SealBroken("its seal is broken");
    });
    yield new Uint8Array(opened);
  }
  if (index !== frames) throw new SealBroken("it was cut off");
}

/** Seals a stream of `size` bytes with the current key. The result fails midway if the source has another size. */
export function sealStream(
  keys: SealingKeys,
  file: SealedFile,
  input: { source: ReadableStream<Uint8Array>; size: number },
): ReadableStream<Bytes> {
  return streamOf(sealedFrames(keys, file, input));
}

/** Opens a sealed stream of `size` bytes. The result fails if the file, the key or any byte differs. */
export function openStream(
  keys: SealingKeys,
  file: SealedFile,
  input: { source: ReadableStream<Uint8Array>; size: number },
): ReadableStream<Bytes> {
  return streamOf(openedFrames(keys, file, input));
}

/** Does the same in memory, for small files. */
export async function sealBytes(keys: SealingKeys, file: SealedFile, bytes: Bytes): Promise<Bytes> {
  return gather(sealedFrames(keys, file, { source: sourceOf(bytes), size: bytes.length }));
}

/** Opens what `sealBytes` sealed. Throws if the file, its name or purpose, the key or any byte differs. */
export async function openBytes(keys: SealingKeys, file: SealedFile, sealed: Bytes): Promise<Bytes> {
  return gather(openedFrames(keys, file, { source: sourceOf(sealed), size: sealed.length }));
}

function sourceOf(bytes: Bytes): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function streamOf(frames: AsyncGenerator<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const { value, done } = await frames.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await frames.return(undefined);
    },
  });
}

async function gather(frames: AsyncGenerator<Bytes>): Promise<Bytes> {
  const parts: Bytes[] = [];
  for await (const part of frames) parts.push(part);
  return joined(parts);
}
