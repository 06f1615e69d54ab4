import { describe, expect, it } from "vitest";
import { FailedJobChoice } from "#app/entities/operations/failed-job.ts";

const isAccepted = (choice: object) => FailedJobChoice.safeParse(choice).success;
const ids = (count: number) => Array.from({ length: count }, (_, i) => `job-${i}`);

describe("the choice of failed jobs to retry or discard", () => {
  it.each([
    [{ kind: "jobs", ids: ["a"] }],
    [{ kind: "sends", channel: "apns", reason: "BadDeviceToken" }],
    [{ kind: "sends", channel: "apns", reason: "" }],
    [{ kind: "all" }],
  ])("is some jobs, sends of one kind, or everything: %j", (choice) => {
    expect(FailedJobChoice.parse(choice)).toEqual(choice);
  });

  it.each([
    [{}],
    [{ kind: "some" }],
    [{ kind: "jobs" }],
    [{ kind: "sends", channel: "apns" }],
    [{ kind: "sends", channel: "pigeon", reason: "" }],
    [{ kind: "sends", reason: "BadDeviceToken" }],
  ])("is refused: %j", (choice) => {
    expect(isAccepted(choice)).toBe(false);
  });

  it.each([
    [0, false],
    [1, true],
    [200, true],
    [201, false],
  ])("with %i jobs is accepted: %s", (count, accepted) => {
    expect(isAccepted({ kind: "jobs", ids: ids(count) })).toBe(accepted);
  });

  it("has ids of at most 200 characters and a reason of at most 300", () => {
    expect(isAccepted({ kind: "jobs", ids: ["x".repeat(200)] })).toBe(true);
    expect(isAccepted({ kind: "jobs", ids: ["x".repeat(201)] })).toBe(false);
    expect(isAccepted({ kind: "sends", channel: "apns", reason: "x".repeat(300) })).toBe(true);
    expect(isAccepted({ kind: "sends", channel: "apns", reason: "x".repeat(301) })).toBe(false);
  });
});
