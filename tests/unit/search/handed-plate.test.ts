import { describe, expect, it } from "vitest";
import { withHandedPlate } from "#app/components/search/form/handed-plate.ts";
import { agencyGroups } from "#app/entities/search/agencies.ts";
import { clearForm } from "#app/entities/search/form.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const groups = agencyGroups({
  rekor: [{ id: "rekor-1", agency: "Manchester" }],
  axon: [],
  axis: [{ id: "axis-1", agency_name: "Hartford", integrations: [{ identifier: "camera-1" }] }],
});

describe("a plate passed to the search form", () => {
  it("searches the Axis cameras over 30 days", () => {
    const form = withHandedPlate(clearForm(), "A?1*", { groups, now: NOW, limitDays: 365 });
    expect(form).toMatchObject({ plate: "A?1*", preset: "30d", justification: "" });
    expect([...form.selected]).toEqual(["camera-1"]);
  });

  it("searches no longer than the agency's policy allows", () => {
    expect(withHandedPlate(clearForm(), "AB1", { groups, now: NOW, limitDays: 10 }).preset).toBe("7d");
    expect(withHandedPlate(clearForm(), "AB1", { groups, now: NOW, limitDays: 30 }).preset).toBe("30d");
  });
});
