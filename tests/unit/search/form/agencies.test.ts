import { describe, expect, it } from "vitest";
import {
  agencyGroups,
  chosenOptions,
  selectionOf,
  stateOf,
  withAgencies,
} from "#app/entities/search/agencies.ts";

const given = {
  rekor: [{ id: "key-1", agency: "Hartford" }],
  axon: [
    { id: "axon-1", agency_name: "Avon", base_url: "https://avon.example" },
    { id: "axon-2", agency_name: "Canton", base_url: "https://shared.example" },
    { id: "axon-3", agency_name: "Darien", base_url: "https://shared.example" },
  ],
  axis: [
    { id: "axis-1", agency_name: "Berlin", integrations: [{ identifier: "cam-1" }, { identifier: "cam-2" }] },
    { id: "axis-2", agency_name: "Bare", integrations: [] },
  ],
};
const groups = agencyGroups(given);
const options = groups.flatMap((group) => group.options);
const all = ["key-1", "https://avon.example", "axon-2", "axon-3", "cam-1", "cam-2", "axis-2"];

describe("the agencies of the form", () => {
  it("are grouped by program, each with what a request lists to search it", () => {
    const listed = agencyGroups(given);
    expect(listed.map(({ program }) => program)).toEqual(["Rekor", "Axon", "Axis"]);
    expect(listed.flatMap((group) => group.options)).toEqual([
      { program: "Rekor", key: "key-1", name: "Hartford", identifiers: ["key-1"], aliases: ["Hartford"] },
      {
        program: "Axon",
        key: "axon-1",
        name: "Avon",
        identifiers: ["https://avon.example"],
        aliases: ["axon-1", "Avon", "https://avon.example"],
      },
      {
        program: "Axon",
        key: "axon-2",
        name: "Canton",
        identifiers: ["axon-2"],
        aliases: ["axon-2", "Canton", "https://shared.example"],
      },
      {
        program: "Axon",
        key: "axon-3",
        name: "Darien",
        identifiers: ["axon-3"],
        aliases: ["axon-3", "Darien", "https://shared.example"],
      },
      {
        program: "Axis",
        key: "axis-1",
        name: "Berlin",
        identifiers: ["cam-1", "cam-2"],
        aliases: ["axis-1", "Berlin"],
      },
      { program: "Axis", key: "axis-2", name: "Bare", identifiers: ["axis-2"], aliases: ["axis-2", "Bare"] },
    ]);
  });

  it("can be selected and cleared together", () => {
    expect([...withAgencies(new Set(), options, true)]).toEqual(all);
    const berlin = options.filter(({ name }) => name === "Berlin");
    expect([...withAgencies(new Set(["key-1", "cam-2"]), berlin, true)]).toEqual(["key-1", "cam-2", "cam-1"]);
    expect([...withAgencies(new Set(["key-1", "cam-2"]), berlin, false)]).toEqual(["key-1"]);
  });

  it("are selected wholly, partly or not at all", () => {
    expect(stateOf(options, new Set(all))).toBe(true);
    expect(stateOf(options, new Set(all.slice(1)))).toBe("mixed");
    expect(stateOf(options, new Set(["cam-1"]))).toBe("mixed");
    expect(stateOf(options, new Set(["Hartford"]))).toBe(false);
    expect(stateOf([], new Set(all))).toBe(false);
  });

  it("are chosen if any of their identifiers is selected", () => {
    const chosen = (...selected: string[]) =>
      chosenOptions(groups, new Set(selected)).map(({ name }) => name);
    expect(chosen("cam-2", "key-1")).toEqual(["Hartford", "Berlin"]);
    expect(chosen("Hartford", "axis-1")).toEqual([]);
  });

  it.each([
    [["key-1"], ["key-1"]],
    [["Hartford"], ["key-1"]],
    [["axon-1"], ["https://avon.example"]],
    [["https://shared.example"], ["axon-2", "axon-3"]],
    [["Berlin"], ["cam-1", "cam-2"]],
    [["cam-2"], ["cam-2"]],
    [["axis-2", "axis-9"], ["axis-2"]],
    [[], []],
  ])("named %j in an earlier request are selected as %j", (agencies, selected) => {
    expect([...selectionOf(groups, { agencies })]).toEqual(selected);
  });
});
