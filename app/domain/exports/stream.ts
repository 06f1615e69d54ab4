// The bytes of an export on their way to the client while the file is still being made. Sending starts once the file is
// larger than a megabyte or has taken some seconds; until then a failure can still be answered with its status.

import { SECOND } from "#app/lib/time/dates.ts";

/** Bytes from which on a file is sent while it is made, and the time after which that begins in any case. */
const START_BYTES = 1024 * 1024;
const START_MS = 10 * SECOND;

const BLOCK = 64 * 1024;

export type ExportTap = {
  /** Takes bytes; they may be reused after the call. */
  write: (bytes: Uint8Array) => void;
  /** Sends what has gathered, as fast as the client takes it. The last bytes are kept until `end`. */
  settle: () => Promise<void>;
};

/** A tap, and the stream of what flows through it. `onHangUp` is called where the client stops reading. */
export function createTap(input: { clock: () => number; onHangUp: () => void }) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  writer.closed.catch(input.onHangUp);
  const started = Promise.withResolvers<ReadableStream<Uint8Array>>();
  const since = input.clock();
  const full: Uint8Array[] = [];
  let block = new Uint8Array(BLOCK);
  let [filled, total] = [0, 0];

  async function send(bytes: Uint8Array): Promise<void> {
    // A client that hung up is told of by `closed`.
    await writer.write(bytes).catch(() => {});
  }

  return {
    /** The stream, as soon as it is to be sent. */
    started: started.promise,
    write(bytes: Uint8Array): void {
      total += bytes.length;
      for (let at = 0; at < bytes.length; ) {
        const taken = Math.min(BLOCK - filled, bytes.length - at);
        block.set(bytes.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
        if (filled < BLOCK) continue;
        full.push(block);
        block = new Uint8Array(BLOCK);
        filled = 0;
      }
    },
    async settle(): Promise<void> {
      if (total < START_BYTES && input.clock() - since < START_MS) return;
      started.resolve(readable);
      // One block is kept: without its end a file is of no use before it is recorded that it is made.
      while (full.length > 1) await send(full.shift() as Uint8Array);
    },
    async end(): Promise<void> {
      for (const bytes of [...full, block.subarray(0, filled)]) await send(bytes);
      await writer.close().catch(() => {});
    },
    async fail(error: unknown): Promise<void> {
      await writer.abort(error).catch(() => {});
    },
  };
}
