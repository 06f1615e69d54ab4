// Streams an export to the client while its file is still being built. Streaming starts once the file exceeds a
// megabyte or takes ten seconds; until then a failure can still be answered with an error status.

import { SECOND } from "#app/lib/time/dates.ts";

/** A file larger than this, or a build longer than START_MS, is streamed while it is built. */
const START_BYTES = 1024 * 1024;
const START_MS = 10 * SECOND;

const BLOCK = 64 * 1024;

export type ExportTap = {
  /** Copies bytes to the stream; the caller may reuse its buffer. */
  write: (bytes: Uint8Array) => void;
  /** Sends buffered bytes at the client's speed. The last block is kept until `end`. */
  settle: () => Promise<void>;
};

/** Returns a tap and its stream. `onHangUp` is called if the client stops reading. */
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
    // `closed` reports a client that hung up.
    await writer.write(bytes).catch(() => {});
  }

  return {
    /** Resolves with the stream as soon as streaming starts. */
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
      // The last block is withheld: without its end the file is unusable until its completion is recorded.
      while (full.length > 1) {
        const next = full.shift();
        if (next) await send(next);
      }
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
