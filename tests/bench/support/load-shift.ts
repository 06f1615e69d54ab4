// Sends the requests of a user's browser during a shift: polls for hits every six seconds and, once a minute, searches,
// views the results and their pictures, then hits; sometimes edits a hotlist or exports.

import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import type { SourceProgram } from "#app/entities/search/query.ts";
import { decodeColumns } from "#app/entities/search/result-codec.ts";
import { type ResultRow, rowAt } from "#app/entities/search/result-columns.ts";
import { imageReference } from "#app/entities/search/result-set.ts";
import { DAY, isoTime, SECOND } from "#app/lib/time/dates.ts";

const POLL_MS = 6 * SECOND;
/** Each user searches once in this time. */
export const ROUND_MS = 60 * SECOND;
const PICTURES = 6;
/** Rows of a result that are kept for pictures, exports and later searches. */
const SAMPLE = 50;
/** One round in this many ends with an export, and one in this many with a plate added to a hotlist. */
const EXPORT_EVERY = 5;
const EDIT_EVERY = 2;

/** One response, or the error instead of it. */
export type Answered = { route: string; ms: number; error?: string };

export type Site = {
  url: string;
  agencies: string[];
  note: (answered: Answered) => void;
};

export type User = {
  name: string;
  cookie: string;
  /** The hotlist that the user edits; undefined if the user only reads it. */
  edits: string | undefined;
  reads: string;
};

type Call = {
  route: string;
  path: string;
  method?: string;
  json?: unknown;
  headers?: Record<string, string>;
};

/** Signs a user in and returns the cookie of the session. */
export async function signIn(
  url: string,
  credentials: { username: string; password: string },
): Promise<string> {
  const answer = await fetch(`${url}/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...credentials, notice: USE_NOTIFICATION.version }),
  });
  const cookie = answer.headers.getSetCookie().find((one) => one.startsWith("__Host-odin="));
  if (!answer.ok || !cookie)
    throw new Error(`${credentials.username} could not sign in: ${await answer.text()}`);
  return cookie.slice(0, cookie.indexOf(";"));
}

/** Makes a call, reads the whole response and records how long that took. Returns undefined after an error. */
async function call(site: Site, user: User, { route, path, method = "GET", json, headers }: Call) {
  const start = performance.now();
  const noteEnd = (error?: string) =>
    site.note({ route, ms: performance.now() - start, ...(error && { error }) });
  try {
    const answer = await fetch(site.url + path, {
      method,
      redirect: "manual",
      headers: {
        cookie: user.cookie,
        "sec-fetch-site": "same-origin",
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const body = new Uint8Array(await answer.arrayBuffer());
    noteEnd(answer.ok ? undefined : `${answer.status} ${new TextDecoder().decode(body.subarray(0, 200))}`);
    return answer.ok ? body : undefined;
  } catch (error) {
    noteEnd(String(error));
    return undefined;
  }
}

const textOf = (body: Uint8Array | undefined) => (body ? new TextDecoder().decode(body) : "");

/** Polls for hits until `ended`. */
export async function poll(site: Site, user: User, ended: () => boolean): Promise<void> {
  let after = "";
  await pause(Math.random() * POLL_MS, ended);
  while (!ended()) {
    const next = performance.now() + POLL_MS;
    const text = textOf(
      await call(site, user, {
        route: "GET /live-alerts",
        path: `/live-alerts${after}`,
        headers: { "odin-background": "1" },
      }),
    );
    const { cursor }: { cursor?: string } = text === "" ? {} : JSON.parse(text);
    if (cursor) after = `?after=${cursor}`;
    await pause(next - performance.now(), ended);
  }
}

/** Works in sequential rounds until `ended`; if `roundMs` is 0, without pauses. */
export async function work(
  site: Site,
  user: User,
  { roundMs, ended }: { roundMs: number; ended: () => boolean },
) {
  await pause(Math.random() * roundMs, ended);
  const known: string[] = [];
  for (let round = 0; !ended(); round++) {
    const next = performance.now() + roundMs;
    await workOnce(site, user, { round, known });
    await pause(next - performance.now(), ended);
  }
}

async function workOnce(site: Site, user: User, { round, known }: { round: number; known: string[] }) {
  await call(site, user, { route: "GET /search", path: "/search" });
  const found = await search(site, user, plateToSearch(known));
  if (found) {
    for (const { plate } of found.rows) if (known.length < 200 && plate.length > 4) known.push(plate);
    await Promise.all(
      Array.from({ length: 3 }, async (_, lane) => {
        for (let n = lane; n < PICTURES; n += 3)
          await picture(site, user, found, Math.floor((n * found.rows.length) / PICTURES));
      }),
    );
    if (round % EXPORT_EVERY === EXPORT_EVERY - 1 && found.rows.length > 0) {
      const records = found.rows.slice(0, 10).map(({ id }) => ({ id }));
      const json = { records, result_id: found.id, justification: "Load bench" };
      await call(site, user, { route: "POST /export-pdf", path: "/export-pdf", method: "POST", json });
    }
  }
  await call(site, user, { route: "GET /alerts-data", path: "/alerts-data" });
  await call(site, user, {
    route: "GET /alerts/group/:id/data",
    path: `/alerts/group/${user.reads}/data?limit=50`,
  });
  if (user.edits === undefined || round % EDIT_EVERY !== 0) return;
  const json = {
    plate_number: `${user.name.slice(-2)}${String(Math.floor(Math.random() * 1e5)).padStart(5, "0")}`,
    group_id: user.edits,
    reason: "Load bench",
  };
  await call(site, user, {
    route: "POST /hotlist/add-plate-direct",
    path: "/hotlist/add-plate-direct",
    method: "POST",
    json,
  });
}

type Wanted = { kind: "whole plate" | "part" | "wildcards" | "all of a day"; plate: string };

/** Returns mostly whole plates of known reads, sometimes parts of them, wildcards, or all reads of a day. */
function plateToSearch(known: string[]): Wanted {
  const plate = known[Math.floor(Math.random() * known.length)];
  const share = Math.random();
  if (plate === undefined || share >= 0.9) return { kind: "all of a day", plate: "" };
  if (share < 0.6) return { kind: "whole plate", plate };
  if (share < 0.8) return { kind: "part", plate: plate.slice(0, 4) };
  return { kind: "wildcards", plate: `${plate.slice(0, 1)}?${plate.slice(2, 3)}?${plate.slice(4)}` };
}

type Found = { id: string; rows: (ResultRow & { number: number })[] };

/** Searches with the progress that the browser asks for, and opens the results. */
async function search(site: Site, user: User, { kind, plate }: Wanted): Promise<Found | undefined> {
  const route = `POST /search-data, ${kind}`;
  const now = Date.now();
  const json = {
    plate,
    justification: "Load bench",
    start_time: isoTime(now - (plate === "" ? DAY : 7 * DAY)),
    end_time: isoTime(now),
    agencies: site.agencies,
  };
  const lines = textOf(
    await call(site, user, {
      route,
      path: "/search-data",
      method: "POST",
      json,
      headers: { accept: "application/x-ndjson", "odin-partial-results": "yes" },
    }),
  );
  if (lines === "") return undefined;
  const last: { type: string; resultId?: string } = JSON.parse(lines.trim().split("\n").at(-1) ?? "{}");
  if (last.type !== "done" || last.resultId === undefined) {
    site.note({ route, ms: 0, error: JSON.stringify(last) });
    return undefined;
  }
  const id = last.resultId;
  await call(site, user, { route: "GET /results", path: `/results?id=${id}` });
  const bytes = await call(site, user, { route: "GET /results/:id/columns", path: `/results/${id}/columns` });
  if (!bytes || bytes.length === 0) return { id, rows: [] };
  const columns = decodeColumns(bytes);
  // Selects rows evenly from the whole set, so that pictures come from all programs.
  const count = Math.min(columns.count, SAMPLE);
  const numbers = Array.from({ length: count }, (_, n) => Math.floor((n * columns.count) / count));
  return { id, rows: numbers.map((number) => ({ ...rowAt(columns, number), number })) };
}

const IMAGES: Record<SourceProgram, (reference: string) => string> = {
  Rekor: (reference) => `/rekor/cropped-plate?image_uuid=${reference}`,
  Axon: (reference) => `/proxy-axon-plate-image?url=${reference}`,
  Axis: (reference) => `/proxy-axis-image?path=${reference}`,
};

async function picture(site: Site, user: User, found: Found, place: number): Promise<void> {
  const one = found.rows[place];
  if (!one?.hasPlateImage) return;
  const path = IMAGES[one.program](imageReference(found.id, one.number, "plate"));
  await call(site, user, { route: `image of ${one.program}`, path });
}

async function pause(ms: number, ended: () => boolean): Promise<void> {
  const until = performance.now() + ms;
  while (!ended() && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, until - performance.now())));
}
