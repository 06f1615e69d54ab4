import { faultyAnswer } from "./faulty-answers.ts";

/**
 * What can go wrong with a vendor, on request. Faults apply in the order of the list, the first that fits wins;
 * the list and the counts of calls live as long as this Worker's process.
 */
type FaultKind =
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
  if (call.about !== "image") return answered(call, answer);
  imagesAtOnce += 1;
  calls[MOST_IMAGES] = Math.max(calls[MOST_IMAGES] ?? 0, imagesAtOnce);
  try {
    return await answered(call, answer);
  } finally {
    imagesAtOnce -= 1;
  }
}

async function answered(call: Call, answer: () => Promise<Response>): Promise<Response> {
  const fault = faultFor(call);
  return fault ? faultyAnswer(fault, answer) : answer();
}
