// Runs in workerd: a convoy search of three simulated vendors that answer after 200 ms, and a naive search that queries
// them once for each read of the plate.

import type { AppContext } from "#app/context.ts";
import { companionsIn, gatherConvoy } from "#app/domain/search/investigate/convoy.ts";
import { waiting } from "#app/domain/search/searchable.ts";
import { rankConvoy } from "#app/entities/search/investigate/convoy.ts";
import { plateMatches } from "#app/entities/search/plate.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";
import { SearchRequest } from "#app/entities/search/request.ts";
import { createColumns } from "#app/entities/search/result-builder.ts";
import type { Sighting } from "#app/entities/search/sighting.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import { HOUR, isoTime, MINUTE } from "#app/lib/time/dates.ts";
import type { Provider, SearchInput } from "#app/providers/provider.ts";
import { openControl } from "#app/store/database.ts";
import { BLANK_SIGHTING } from "../../support/search/sighting.ts";

const VENDOR_MS = 200;
const CAMERAS = 48;
const PASSES = 100;
const WITHIN = 2 * MINUTE;
const START = Date.UTC(2026, 5, 1);

const plateOf = (n: number) => `T${String(Math.imul(n + 1, 0x9e3779b1) >>> 18).padStart(5, "0")}`;

/** Twenty trips past five cameras each, one in three days, with traffic around them. */
const reads: Sighting[] = Array.from({ length: PASSES }, (_, pass) => {
  const at = START + Math.floor(pass / 5) * 72 * HOUR + (pass % 5) * 4 * MINUTE;
  const camera = (pass * 7) % CAMERAS;
  const traffic = Array.from({ length: 20 }, (_, n) =>
    read(plateOf(pass * 20 + n), at + (n - 10) * 20_000, camera),
  );
  return [read("LEADER1", at, camera), read("FOLLOW2", at + 25_000, camera), ...traffic];
})
  .flat()
  .sort((a, b) => (b.capturedAt ?? 0) - (a.capturedAt ?? 0));

function read(plate: string, capturedAt: number, camera: number): Sighting {
  const program: SourceProgram = SOURCE_PROGRAMS[camera % 3] ?? "Rekor";
  const id = `${plate}${capturedAt}`;
  return {
    ...BLANK_SIGHTING,
    id: Array.from({ length: 32 }, (_, i) => (id.charCodeAt(i % id.length) % 16).toString(16)).join(""),
    program,
    sourceId: program,
    agency: program,
    plate,
    plateState: "CT",
    capturedAt,
    cameraName: `Camera ${camera}`,
    cameraId: `camera-${camera}`,
  };
}

function providerOf(program: SourceProgram): Provider {
  return {
    program,
    unsupported: () => [],
    async *search({ query }: SearchInput) {
      await new Promise((resolve) => setTimeout(resolve, VENDOR_MS));
      const sightings = reads.filter((one) => {
        const at = one.capturedAt ?? 0;
        return (
          one.program === program &&
          at >= query.from &&
          at <= query.to &&
          plateMatches(query.plate, one.plate)
        );
      });
      yield { sightings, truncated: false };
    },
    check: () => Promise.reject(new Error("not part of the bench")),
    image: () => Promise.reject(new Error("not part of the bench")),
  };
}

const providers = { Rekor: providerOf("Rekor"), Axon: providerOf("Axon"), Axis: providerOf("Axis") };
const sources = SOURCE_PROGRAMS.map(
  (program): SearchSource => ({
    id: program,
    program,
    agency: program,
    integrationId: program,
    baseUrl: "",
    sealedSecret: "",
    clientId: "",
    partnerId: "",
    cameraIds: Array.from({ length: CAMERAS }, (_, camera) => `camera-${camera}`),
  }),
);
const search = SearchRequest.parse({
  plate: "LEADER1",
  justification: "Bench",
  start_time: isoTime(START - HOUR),
  end_time: isoTime(START + 90 * 24 * HOUR),
  agencies: ["all"],
});

async function convoy(env: { DB: D1Database }): Promise<string> {
  // The parts of the context that gathering uses.
  const app = {
    db: openControl(env.DB),
    clock: Date.now,
    config: { searchMaxReads: 200_000, sourceSlowMs: 4000, sourceDeadlineMs: 12_000 },
    providers,
  } as unknown as AppContext;
  const columns = createColumns();
  const { anchors } = await gatherConvoy(app, {
    sources,
    search,
    withinMs: WITHIN,
    statuses: sources.map(waiting),
    columns,
    signal: new AbortController().signal,
    report: () => {},
  });
  const found = companionsIn({ columns, plate: "LEADER1", anchors, withinMs: WITHIN, atLeast: 3 });
  return found[0]?.pairs.length === PASSES ? found[0].plate : "";
}

/** The naive search: one query per read of the plate, sequential for each vendor. */
async function naive(): Promise<string> {
  const ask = async (program: SourceProgram, from: number, to: number) => {
    await new Promise((resolve) => setTimeout(resolve, VENDOR_MS));
    return reads.filter(
      ({ program: own, capturedAt: at }) => own === program && (at ?? 0) >= from && (at ?? 0) <= to,
    );
  };
  const all = await Promise.all(
    SOURCE_PROGRAMS.map(async (program) => {
      const anchors = (await ask(program, 0, Number.MAX_SAFE_INTEGER)).filter(
        ({ plate }) => plate === "LEADER1",
      );
      const others = new Map<string, Sighting>();
      for (const { capturedAt } of anchors)
        for (const one of await ask(program, (capturedAt ?? 0) - WITHIN, (capturedAt ?? 0) + WITHIN))
          if (one.plate !== "LEADER1") others.set(`${one.id}`, one);
      return { anchors, others: [...others.values()] };
    }),
  );
  const rowed = (list: Sighting[]) =>
    list.map(({ capturedAt, cameraName, plate }, row) => ({
      row,
      at: capturedAt ?? 0,
      camera: cameraName,
      plate,
    }));
  const found = rankConvoy({
    anchors: rowed(all.flatMap(({ anchors }) => anchors)),
    others: rowed(all.flatMap(({ others }) => others)),
    withinMs: WITHIN,
    atLeast: 3,
  });
  return found[0]?.plate ?? "";
}

export default {
  async fetch(request: Request, env: { DB: D1Database }): Promise<Response> {
    const start = Date.now();
    const found = new URL(request.url).pathname === "/naive" ? await naive() : await convoy(env);
    return Response.json({ ms: Date.now() - start, found });
  },
};
