/** Returns a text gzipped. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")));
}

/** Returns the text of a gzip file. Throws if it is not gzip or is truncated. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

async function bytesOf(stream: ReadableStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
