/**
 * What can go wrong with a vendor, on request. Faults apply in the order of the list, the first that fits wins;
 * the list and the counts of calls live as long as this Worker's process.
 */
export type FaultKind =
  | "delay"
  | "status"
  | "reset"
  /** All is done, and the answer says otherwise. */
  | "lostAnswer"
  | "html"
  | "truncated"
  | "wrongType"
  | "deep"
  | "huge"
  | "trickle"
  | "duplicateIds"
  | "oddTimes"
  | "redirect"
  | "expiredToken"
  | "imageHtml"
  | "imageSvg"
  | "imageHuge"
  | "imageTruncated"
  | "imageMissing"
  /** A sound image in the place of the real one: a PNG, a WebP, or a JPEG of a megabyte. */
  | "imagePng"
  | "imageWebp"
  | "imageLarge";

export interface Fault {
  program: "rekor" | "axon" | "geocoder" | "tiles" | "scanner" | "apns" | "webpush";
  /** Only calls for this agency, or for this device of a push service. */
  agencyId?: string;
  kind: FaultKind;
  /** delay: how long; the real answer follows. */
  ms?: number;
  /** status: the code. */
  code?: number;
  /** status: seconds for Retry-After. */
  retryAfter?: number;
  /** status: give Retry-After as a date, not as seconds. */
  retryAsDate?: boolean;
  /** How often it happens before all is well again; always, when absent. */
  times?: number;
  /** Let this many matching calls through first: expiredToken in the middle of a run. */
  after?: number;
  /** redirect: where to. */
  url?: string;
}

export interface Call {
  program: Fault["program"];
  agencyId: string | null;
  /** Images, searches and token calls are told apart, so that a fault of one does not hit the other. */
  about: "image" | "token" | "data";
}

let faults: Fault[] = [];
let seen = new Map<Fault, number>();
let calls: Record<string, number> = {};
let imagesAtOnce = 0;
let started = false;

/** The count of image calls that were under way at the same time, at most. */
const MOST_IMAGES = "images at once";

/** Takes the initial list from the configuration, once. A list that is not JSON is an error at the first call. */
export function startFaults(initial: string | undefined): void {
  if (started) return;
  started = true;
  if (initial) setFaults(JSON.parse(initial) as unknown);
}

export function setFaults(list: unknown): void {
  if (!Array.isArray(list)) throw new TypeError("Faults are a list");
  faults = list as Fault[];
  seen = new Map();
}

export function currentFaults(): { faults: Fault[]; calls: Record<string, number> } {
  return { faults, calls };
}

/** Calls since the start or the last clearing, by "program", "program/agency" and "program/agency/about". */
export function currentCalls(): Record<string, number> {
  return calls;
}

export function clearCalls(): void {
  calls = {};
}

export function countCall({ program, agencyId, about }: Call): void {
  const agency = agencyId ?? "unknown";
  for (const key of [program, `${program}/${agency}`, `${program}/${agency}/${about}`])
    calls[key] = (calls[key] ?? 0) + 1;
}

function faultFor({ program, agencyId, about }: Call): Fault | undefined {
  return faults.find((fault) => {
    if (fault.program !== program || (fault.agencyId && fault.agencyId !== agencyId)) return false;
    if (fault.kind.startsWith("image") !== (about === "image") && fault.kind !== "delay") return false;
    // A token call that fails is a status of its own; the shapes of answers concern searches.
    if (about === "token" && fault.kind !== "delay") return false;
    const count = seen.get(fault) ?? 0;
    seen.set(fault, count + 1);
    const past = count - (fault.after ?? 0);
    return past >= 0 && (fault.times === undefined || past < fault.times);
  });
}

/** The answer to a call: the real one, or what the first fitting fault makes of it. */
export async function withFaults(call: Call, answer: () => Promise<Response>): Promise<Response> {
  if (call.about !== "image") return faulty(call, answer);
  imagesAtOnce += 1;
  calls[MOST_IMAGES] = Math.max(calls[MOST_IMAGES] ?? 0, imagesAtOnce);
  try {
    return await faulty(call, answer);
  } finally {
    imagesAtOnce -= 1;
  }
}

async function faulty(call: Call, answer: () => Promise<Response>): Promise<Response> {
  const fault = faultFor(call);
  if (!fault) return answer();
  switch (fault.kind) {
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.ms ?? 1000));
      return answer();
    case "status":
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

/** Four pixels in grey, and one in black. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mMQaGA48B8ABNUCUDdj9EQAAAAASUVORK5CYII=";
const WEBP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=";

function image(base64: string, type: string): Response {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(bytes, { headers: { "content-type": type } });
}

/** The same JPEG with a megabyte of comments behind its first mark. */
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

/** Half of the body, then the connection breaks. */
async function reset(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  let step = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The first half must have left before the break, or the client sees no answer at all.
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

/** An object where a list belongs, numbers where texts do. */
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

/** Every record's time is 1970, far ahead, missing, empty or no time at all, in turn. */
function oddTime(record: unknown, index: number): unknown {
  const odd = ["1970-01-01T00:00:00.000Z", "2099-12-31T23:59:59.000Z", undefined, "", "yesterday"][index % 5];
  const { fields, ...rest } = record as { fields?: object };
  if (fields) return { ...rest, fields: { ...fields, epoch_time_start: odd, epoch_time_end: odd } };
  return { ...rest, capturedAt: odd };
}
