import type { SightingQuery } from "#app/entities/search/query.ts";
import type { SearchSource } from "#app/entities/search/source.ts";
import type { SightingPage } from "#app/providers/provider.ts";

export const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

export function aQuery(changes: Partial<SightingQuery> = {}): SightingQuery {
  const everything: SightingQuery = {
    plate: { kind: "any" },
    plateState: "",
    color: "",
    make: "",
    bodyType: "",
    marks: [],
    from: NOW - 3_600_000,
    to: NOW,
  };
  return { ...everything, ...changes };
}

export function aSource(changes: Partial<SearchSource> = {}): SearchSource {
  const rekor: SearchSource = {
    id: "source-1",
    program: "Rekor",
    agency: "Hartford Police Department",
    integrationId: "integration-1",
    baseUrl: "https://rekor.example",
    sealedSecret: "sealed",
    clientId: "client-1",
    partnerId: "partner-1",
    cameraIds: [],
  };
  return { ...rekor, ...changes };
}

/** Returns the reads of all pages in their order, whether there are more, and the number of pages. */
export async function drained(pages: AsyncIterable<SightingPage>) {
  const reads: SightingPage["sightings"] = [];
  let truncated = false;
  let count = 0;
  for await (const page of pages) {
    count++;
    if (truncated) throw new Error("a page came after the last one");
    reads.push(...page.sightings);
    truncated = page.truncated;
  }
  return { reads, truncated, pages: count };
}
