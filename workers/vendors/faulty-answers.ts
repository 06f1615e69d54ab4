import type { Fault } from "./faults.ts";

/** How often a held answer checks whether its fault is still set. */
const HOLD_STEP_MS = 50;

/**
 * Returns the answer that a fault causes. Calls `answer` only if the fault needs the real one. `isSet` returns whether the
 * fault is still in the list.
 */
export async function faultyAnswer(
  fault: Fault,
  answer: () => Promise<Response>,
  isSet: () => boolean,
): Promise<Response> {
  switch (fault.kind) {
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms ?? 1000));
      return answer();
    case "hold":
      while (isSet()) await new Promise((resolve) => setTimeout(resolve, HOLD_STEP_MS));
      return answer();
    case "status":
    case "imageStatus":
      return new Response("The server says no", { status: fault.code ?? 500, headers: retryHeaders(fault) });
    case "expiredToken":
      return Response.json({ error: "invalid_token" }, { status: 401 });
    case "redirect":
      return new Response(null, { status: 302, headers: { location: fault.url ?? "/elsewhere" } });
    case "html":
    case "imageHtml":
      return new Response(
        "<!doctype html><title>Sign in</title><script>document.title='no'</script><h1>Please sign in</h1>",
        {
          headers: { "content-type": fault.kind === "html" ? "text/html" : "image/jpeg" },
        },
      );
    case "imageSvg":
      return new Response('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', {
        headers: { "content-type": "image/svg+xml" },
      });
    case "imagePng":
      return image(PNG, "image/png");
    case "imageWebp":
      return image(WEBP, "image/webp");
    case "imageLarge":
      return enlarged(await answer());
    case "imageMissing":
      return new Response("Not found", { status: 404 });
    case "wrongType":
      return wrongType(await answer());
    case "deep":
      return json(`${'{"reads":['.repeat(20_000)}${"]}".repeat(20_000)}`);
    case "huge":
      return stream({
        head: "[",
        chunk: `${" ".repeat(262_143)}\n`,
        chunks: 260,
        everyMs: 0,
        type: "application/json",
      });
    case "imageHuge":
      return stream({
        head: "\xff\xd8\xff",
        chunk: "x".repeat(262_144),
        chunks: 260,
        everyMs: 0,
        type: "image/jpeg",
      });
    case "trickle":
      return stream({ head: "[", chunk: " ", chunks: 600, everyMs: 1000, type: "application/json" });
    case "lostAnswer":
      await (await answer()).body?.cancel();
      return new Response("Bad gateway", { status: fault.code ?? 502, headers: retryHeaders(fault) });
    case "reset":
      return reset(await answer());
    case "truncated":
    case "imageTruncated":
      return truncated(await answer());
    case "duplicateIds":
      return changed(await answer(), (records) => records.flatMap((record) => [record, record]));
    case "longIds":
      return longIds(await answer());
    case "oddTimes":
      return changed(await answer(), (records) => records.map(oddTime));
  }
}

function retryHeaders({ retryAfter, retryAsDate }: Fault): HeadersInit {
  if (retryAfter === undefined) return {};
  const value = retryAsDate ? new Date(Date.now() + retryAfter * 1000).toUTCString() : String(retryAfter);
  return { "retry-after": value };
}

function json(body: string): Response {
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** Two images: four gray pixels, and one black pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mMQaGA48B8ABNUCUDdj9EQAAAAASUVORK5CYII=";
const WEBP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=";

function image(base64: string, type: string): Response {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(bytes, { headers: { "content-type": type } });
}

/** Returns the same JPEG with a megabyte of comments after its first marker. */
async function enlarged(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const comment = new Uint8Array(65_537);
  comment.set([0xff, 0xfe, 0xff, 0xff]);
  const comments = Array.from({ length: 16 }, () => comment);
  return new Response(new Blob([bytes.slice(0, 2), ...comments, bytes.slice(2)]), {
    headers: { "content-type": "image/jpeg" },
  });
}

async function truncated(response: Response): Promise<Response> {
  const bytes = await response.arrayBuffer();
  const type = response.headers.get("content-type") ?? "application/octet-stream";
  return new Response(bytes.slice(0, Math.floor(bytes.byteLength / 2)), {
    headers: { "content-type": type },
  });
}

/** Sends half of the body, then breaks the connection. */
async function reset(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  let step = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Waits until the first half is sent; otherwise the client gets no answer at all.
      if (step > 0) await new Promise((resolve) => setTimeout(resolve, 300));
      if (step++ === 0) controller.enqueue(bytes.slice(0, Math.max(1, Math.floor(bytes.length / 2))));
      else controller.error(new Error("Connection reset by the simulator"));
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

interface Drip {
  head: string;
  chunk: string;
  chunks: number;
  everyMs: number;
  type: string;
}

function stream({ head, chunk, chunks, everyMs, type }: Drip): Response {
  const bytes = (value: string) => Uint8Array.from(value, (character) => character.charCodeAt(0));
  const body = bytes(chunk);
  let sent = -1;
  return new Response(
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (everyMs > 0 && sent >= 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
        controller.enqueue(sent < 0 ? bytes(head) : body.slice());
        if (++sent >= chunks) controller.close();
      },
    }),
    { headers: { "content-type": type } },
  );
}

/** Returns the answer with an object instead of a list and numbers instead of texts. */
async function wrongType(response: Response): Promise<Response> {
  const value: unknown = await response.json();
  const turned = (record: unknown): unknown => {
    if (Array.isArray(record)) return record.map(turned);
    if (typeof record !== "object" || record === null)
      return typeof record === "string" ? record.length : String(record);
    return Object.fromEntries(Object.entries(record).map(([key, inner]) => [key, turned(inner)]));
  };
  return Response.json(
    Array.isArray(value)
      ? { 0: turned(value[0]) }
      : { reads: { 0: turned((value as { reads?: unknown[] }).reads?.[0]) }, nextCursor: 7 },
  );
}

async function changed(response: Response, change: (records: unknown[]) => unknown[]): Promise<Response> {
  if (!response.ok) return response;
  const value: unknown = await response.json();
  if (Array.isArray(value)) return Response.json(change(value));
  const page = value as { reads?: unknown[] };
  return Response.json(page.reads ? { ...page, reads: change(page.reads) } : page);
}

/** Writes the ids of reads as numbers of 21 digits. */
async function longIds(response: Response): Promise<Response> {
  const long = (_: string, vehicle: string, pass: string) =>
    `"id":${10n ** 20n + BigInt(vehicle) * 1000n + BigInt(pass)}`;
  return json((await response.text()).replace(/"id":"(\d+)-(\d+)"/g, long));
}

/** Sets the record's time, in turn, to 1970, far in the future, missing, empty, or not a time. */
function oddTime(record: unknown, index: number): unknown {
  const odd = ["1970-01-01T00:00:00.000Z", "2099-12-31T23:59:59.000Z", undefined, "", "yesterday"][index % 5];
  const { fields, ...rest } = record as { fields?: object };
  if (fields) return { ...rest, fields: { ...fields, epoch_time_start: odd, epoch_time_end: odd } };
  return { ...rest, capturedAt: odd };
}
