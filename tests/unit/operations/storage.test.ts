import { describe, expect, it } from "vitest";
import { StorageStateFields, StorageStateRequest } from "#app/entities/operations/storage.ts";

describe("the state that the owner sets for a database of reads", () => {
  it.each([
    ["open", true],
    ["read-only", true],
    ["draining", true],
    // Removing a database is a separate call, because it must be empty.
    ["removed", false],
    ["", false],
    [null, false],
  ])("%j is accepted: %s", (state, accepted) => {
    expect(StorageStateRequest.safeParse({ state }).success).toBe(accepted);
    expect(StorageStateFields.safeParse({ name: "READS_3", state }).success).toBe(accepted);
  });

  it("is for a database with a name of at most 40 characters", () => {
    expect(StorageStateFields.parse({ name: "N".repeat(40), state: "open" })).toEqual({
      name: "N".repeat(40),
      state: "open",
    });
    expect(StorageStateFields.safeParse({ name: "N".repeat(41), state: "open" }).success).toBe(false);
    expect(StorageStateFields.safeParse({ state: "open" }).success).toBe(false);
  });
});
