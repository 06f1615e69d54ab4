// Ranges of bytes of an archive, from a file or an https address. Addresses are read with range requests, so that a region
// is read out of a planet without downloading it.

import { open } from "node:fs/promises";

export type ByteSource = {
  /** Returns exactly these bytes. Throws Error if the source ends before. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

const ATTEMPTS = 4;
const PATIENCE_MS = 60_000;

/** Opens a source. http is accepted only on this machine, for tests. */
export async function openSource(from: string): Promise<ByteSource> {
  if (!/^https?:\/\//i.test(from)) return openFile(from);
  const { protocol, hostname } = new URL(from);
  const isLocal = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
  if (protocol !== "https:" && !isLocal)
    throw new Error("The address of an archive must start with https://.");
  return openAddress(from);
}

async function openFile(path: string): Promise<ByteSource> {
  const file = await open(path).catch(() => {
    throw new Error(`There is no file ${path}.`);
  });
  return {
    async read(offset, length) {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      if (bytesRead < length) throw new Error("The file ends before its directories say.");
      return bytes;
    },
    close: () => file.close(),
  };
}

function openAddress(url: string): ByteSource {
  let version: string | undefined;

  async function readOnce(offset: number, length: number): Promise<Uint8Array> {
    const response = await fetch(url, {
      headers: { range: `bytes=${offset}-${offset + length - 1}`, "accept-encoding": "identity" },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status !== 206) {
      await response.body?.cancel();
      const isFinal = response.status >= 200 && response.status < 500 && response.status !== 429;
      const problem =
        response.status === 200 ? "does not support range requests" : `answered ${response.status}`;
      throw Object.assign(new Error(`The server of the archive ${problem}.`), { isFinal });
    }
    const etag = response.headers.get("etag") ?? "";
    version ??= etag;
    if (etag !== version)
      throw Object.assign(new Error("The archive was replaced while it was read. Start again."), {
        isFinal: true,
      });
    const bytes = await bounded(response, length);
    if (bytes.length !== length) throw new Error("The server sent less than was asked for.");
    return bytes;
  }

  return {
    async read(offset, length) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await readOnce(offset, length);
        } catch (error) {
          const isFinal = error instanceof Error && "isFinal" in error && error.isFinal === true;
          if (isFinal || attempt === ATTEMPTS) throw error;
          await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
        }
      }
    },
    close: async () => {},
  };
}

async function bounded(response: Response, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    if (size + value.length > length) {
      await reader?.cancel();
      throw new Error("The server sent more than was asked for.");
    }
    bytes.set(value, size);
    size += value.length;
  }
  return bytes.subarray(0, size);
}
