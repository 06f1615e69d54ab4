import { faultyAnswer } from "./faulty-answers.ts";

/**
 * Faults that a vendor can simulate on request. The first one in the list that matches a call applies. The list and the
 * counts of calls are kept until this Worker's process ends.
 */
type FaultKind =
  | "delay"
  /** The real answer comes once the list of faults is replaced. */
  | "hold"
  | "status"
  | "reset"
  /** The call succeeds, but its answer says that it failed. */
  | "lostAnswer"
  | "html"
  | "truncated"
  | "wrongType"
  | "deep"
  | "huge"
  | "trickle"
  | "duplicateIds"
  /** Axon's ids are numbers, of which a JavaScript number holds only the first sixteen digits. */
  | "longIds"
  | "oddTimes"
  | "redirect"
  | "expiredToken"
  | "imageHtml"
  | "imageSvg"
  | "imageHuge"
  | "imageTruncated"
  | "imageMissing"
  | "imageStatus"
  /** Another valid image instead of the real one: a PNG, a WebP, or a JPEG of a megabyte. */
  | "imagePng"
  | "imageWebp"
  | "imageLarge";

export interface Fault {
  program: "rekor" | "axon" | "geocoder" | "tiles" | "scanner" | "apns" | "webpush" | "receiver";
  /** Only calls for this agency, for this device of a push service, or for this receiver of webhooks. */
  agencyId?: string;
  kind: FaultKind;
  /** delay: how long; the real answer follows. */
  ms?: number;
  /** status, imageStatus: the code. */
  code?: number;
  /** status: seconds for Retry-After. */
  retryAfter?: number;
  /** status: send Retry-After as a date, not as seconds. */
  retryAsDate?: boolean;
  /** How many matching calls fail; all, if absent. */
  times?: number;
  /** How many matching calls succeed first, for example before expiredToken in the middle of a search. */
  after?: number;
  /** redirect: the target. */
  url?: string;
}

export interface Call {
  program: Fault["program"];
  agencyId: string | null;
  /** A fault affects either images or data; only a delay affects every kind of call. */
  about: "image" | "token" | "data";
}

let faults: Fault[] = [];
let seen = new Map<Fault, number>();
let calls: Record<string, number> = {};
let imagesAtOnce = 0;
let started = false;

/** Key of the highest number of concurrent image calls. */
const MAX_IMAGES = "images at once";

/** Sets the initial list from the configuration, once. A list that is not JSON fails the first call. */
export function startFaults(initial: string | undefined): void {
  if (started) return;
  started = true;
  if (initial) setFaults(JSON.parse(initial) as unknown);
}

export function setFaults(list: unknown): void {
  if (!Array.isArray(list)) throw new TypeError("faults must be a list");
  faults = list as Fault[];
  seen = new Map();
}

export function currentFaults(): { faults: Fault[]; calls: Record<string, number> } {
  return { faults, calls };
}

/** Returns the calls since the start or the last reset, by "program", "program/agency" and "program/agency/about". */
export function currentCalls(): Record<string, number> {
  return calls;
}

/** Image calls that are still being answered stay counted. */
export function clearCalls(): void {
  calls = imagesAtOnce > 0 ? { [MAX_IMAGES]: imagesAtOnce } : {};
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
    // Only delays affect token calls; the other faults are about the answers to searches.
    if (about === "token" && fault.kind !== "delay") return false;
    const count = seen.get(fault) ?? 0;
    seen.set(fault, count + 1);
    const past = count - (fault.after ?? 0);
    return past >= 0 && (fault.times === undefined || past < fault.times);
  });
}

/** Returns the answer to a call, changed by the first fault that matches. */
export async function withFaults(call: Call, answer: () => Promise<Response>): Promise<Response> {
  if (call.about !== "image") return answered(call, answer);
  imagesAtOnce += 1;
  calls[MAX_IMAGES] = Math.max(calls[MAX_IMAGES] ?? 0, imagesAtOnce);
  try {
    return await answered(call, answer);
  } finally {
    imagesAtOnce -= 1;
  }
}

async function answered(call: Call, answer: () => Promise<Response>): Promise<Response> {
  const fault = faultFor(call);
  return fault ? faultyAnswer(fault, answer, () => faults.includes(fault)) : answer();
}
