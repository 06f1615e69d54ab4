import { describe, expect, it } from "vitest";
import { entryMatches } from "#app/entities/hotlists/entry.ts";
import { demoPlan } from "../../../workers/local/demo-plan.ts";
import { createWorld } from "../../../workers/vendors/world/world.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20, 12);

describe("the live demo traffic", () => {
  const world = createWorld();

  it("is the same for any time and window of the request", () => {
    const whole = world.live(START, START + 10 * MINUTE);
    const parts = Array.from({ length: 100 }, (_, i) =>
      world.live(START + i * 6000, START + (i + 1) * 6000),
    ).flat();
    expect(parts).toEqual(whole);
    for (const read of whole) expect(createWorld().readById(read.id)).toEqual(read);
  });

  it("causes about one demo hit a minute, at cameras that the agency may search", async () => {
    const plan = await demoPlan({
      vendors: "https://vendors.example",
      issuer: "http://127.0.0.1:2",
      secret: "s",
    });
    const list = plan.alertGroups?.find(({ name }) => name === "Demo watch list");
    expect(list?.members).toEqual(["user-admin", "user-hotadmin", "user-viewer"]);
    const entries = (list?.plates ?? []).map((plate) => ({
      plate: plate.number,
      state: plate.state,
      matchPolicy: plate.match_policy,
      stateRequired: plate.state_required,
    }));
    const shared = (plan.axisShares ?? []).filter(({ viewerAgencyId }) => viewerAgencyId === "hartford-pd");
    const seen = new Set(["hartford-pd", ...shared.map(({ ownerAgencyId }) => ownerAgencyId)]);
    for (let minute = 0; minute < 60; minute++) {
      const reads = world.live(START + minute * MINUTE, START + (minute + 1) * MINUTE);
      const hits = reads.filter((read) =>
        entries.some((entry) => entryMatches(entry, { plate: read.plate, state: read.state ?? "" })),
      );
      expect(hits).toHaveLength(1);
      expect(reads.every(({ agencyId }) => seen.has(agencyId))).toBe(true);
    }
  });
});
