/** Gzips a text. */
export async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Response(text).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return bytesOf(body.pipeThrough(new CompressionStream("gzip")));
}

/** The text of a gzip file. Throws where it is none or was cut off. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new Response(bytes).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body.pipeThrough(new DecompressionStream("gzip"))).text();
}

async function bytesOf(stream: ReadableStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
