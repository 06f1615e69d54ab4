import jpeg from "jpeg-js";
import { describe, expect, it } from "vitest";
import { US_STATES } from "#app/entities/search/jurisdiction-names.ts";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { axisEvent } from "../../../workers/vendors/axis-camera.ts";
import { CONVOY, PLATE_SHAPES } from "../../../workers/vendors/world/fleet.ts";
import { draw, plateImage, vehicleImage } from "../../../workers/vendors/world/pictures/draw.ts";
import type { Program } from "../../../workers/vendors/world/places.ts";
import { kilometresBetween } from "../../../workers/vendors/world/roads.ts";
import { ESCORT, ROUTINE } from "../../../workers/vendors/world/showcase.ts";
import { plateCorners } from "../../../workers/vendors/world/view.ts";
import { createWorld } from "../../../workers/vendors/world/world.ts";

const DAY = 86_400_000;
const TO = Date.UTC(2026, 5, 20, 16, 30);
const FROM = TO - 90 * DAY;
const PROGRAMS: readonly Program[] = ["rekor", "axon", "axis"];

const world = createWorld({ seed: 1 });
const all = PROGRAMS.flatMap((program) => world.reads({ program, from: FROM, to: TO }));

describe("the demo world", () => {
  it("has at least 20,000 reads over 90 days, in the configured shares", () => {
    expect(all.length).toBeGreaterThanOrEqual(20_000);
    const share = (program: Program) => all.filter((read) => read.program === program).length / all.length;
    expect(share("rekor")).toBeCloseTo(0.52, 1);
    expect(share("axon")).toBeCloseTo(0.33, 1);
    expect(share("axis")).toBeCloseTo(0.15, 1);
  });

  it("generates any number of reads", () => {
    const busy = createWorld({ seed: 1, readsPerDay: 5000 });
    const made = PROGRAMS.flatMap((program) => busy.reads({ program, from: TO - DAY, to: TO }));
    expect(made.length).toBeGreaterThan(4000);
    expect(made.length).toBeLessThan(6000);
  });

  it("is the same for the same seed in any order of requests, and different for another seed", () => {
    const window = { program: "axon", from: TO - 3 * DAY, to: TO } as const;
    const again = createWorld({ seed: 1 }).reads(window);
    expect(again).toEqual(world.reads(window));
    expect(createWorld({ seed: 2 }).reads(window)).not.toEqual(again);
    for (const read of again.slice(0, 20)) expect(world.readById(read.id)).toEqual(read);
    expect(world.readById("20000-9999999")).toBeUndefined();
    expect(world.readById("nonsense")).toBeUndefined();
  });

  it("returns the reads of the requested agency within the window, newest first", () => {
    const reads = world.reads({ program: "rekor", agencyId: "hartford-pd", from: TO - 5 * DAY, to: TO });
    expect(reads.length).toBeGreaterThan(50);
    for (const [index, read] of reads.entries()) {
      expect(read.at).toBeLessThanOrEqual(TO);
      expect(read.at).toBeGreaterThanOrEqual(TO - 5 * DAY);
      expect(read.agencyId).toBe("hartford-pd");
      if (index > 0) expect(read.at).toBeLessThanOrEqual(reads[index - 1]?.at ?? 0);
    }
    expect(new Set(all.map((read) => read.id)).size).toBe(all.length);
  });

  it("has no vehicle faster than a car", () => {
    const byVehicle = Map.groupBy(all, (read) => read.vehicle.id);
    for (const reads of byVehicle.values()) {
      reads.sort((a, b) => a.at - b.at);
      for (let n = 1; n < reads.length; n++) {
        const [a, b] = [reads[n - 1], reads[n]];
        if (!a || !b) continue;
        const kilometres = kilometresBetween(a.camera, b.camera);
        const hours = (b.at - a.at + 4000) / 3_600_000;
        expect(kilometres / hours, `${a.id} to ${b.id}`).toBeLessThan(130);
      }
    }
  });

  it("has tracks across agencies and programs, and a convoy that stays together", () => {
    const leader = all.filter((read) => read.vehicle.id === CONVOY.leader);
    expect(new Set(leader.map((read) => read.program)).size).toBe(3);
    expect(new Set(leader.map((read) => read.agencyId)).size).toBeGreaterThan(5);
    const follower = all.filter((read) => read.vehicle.id === CONVOY.follower);
    const together = follower.filter((read) =>
      leader.some((other) => other.camera.id === read.camera.id && Math.abs(other.at - read.at) < 60_000),
    );
    expect(together.length).toBeGreaterThan(30);
  });

  it("has the vehicles of the tutorial every day: a convoy, and a car with a routine that is often misread", () => {
    const of = (id: number) => all.filter((read) => read.vehicle.id === id);
    const days = (id: number) => new Set(of(id).map((read) => Math.floor(read.at / DAY))).size;
    for (const id of [ROUTINE, ESCORT.leader, ESCORT.follower]) expect(days(id)).toBeGreaterThanOrEqual(89);
    const beside = of(ESCORT.follower).filter((read) =>
      of(ESCORT.leader).some(
        (one) => one.camera.id === read.camera.id && Math.abs(one.at - read.at) < 60_000,
      ),
    );
    expect(beside.length).toBeGreaterThan(5 * 89);
    const routine = of(ROUTINE);
    const misreads = routine.filter((read) => read.plate !== read.vehicle.plate).length / routine.length;
    expect(misreads).toBeGreaterThan(0.2);
    expect(misreads).toBeLessThan(0.4);
  });

  it("uses the product's vocabulary, and only Rekor reports rare colors", () => {
    const codes = new Set<string>(US_STATES.map(({ code }) => code));
    const rare = new Set<string>(VEHICLE_COLORS.filter(({ rekorOnly }) => rekorOnly).map(({ name }) => name));
    for (const read of all) {
      if (read.state !== null) expect(codes.has(read.state)).toBe(true);
      if (read.program !== "rekor") expect(rare.has(read.color)).toBe(false);
    }
    expect(new Set(world.vehicles.map(({ bodyType }) => bodyType))).toEqual(new Set(VEHICLE_BODY_TYPES));
    for (const { make } of world.vehicles) expect(VEHICLE_MAKES).toContain(make);
  });

  it("has unique plates in their state's formats, and misreads a few by one character", () => {
    expect(new Set(world.vehicles.map(({ plate }) => plate)).size).toBe(world.vehicles.length);
    for (const { plate, state } of world.vehicles) {
      const shape = plate.replace(/[A-Z]/g, "@").replace(/\d/g, "#");
      expect(PLATE_SHAPES[state]?.map(([one]) => one)).toContain(shape);
    }
    const wrong = all.filter((read) => read.plate !== read.vehicle.plate);
    expect(wrong.length / all.length).toBeGreaterThan(0.01);
    expect(wrong.length / all.length).toBeLessThan(0.06);
    for (const read of wrong) {
      const changed = [...read.plate].filter((character, index) => character !== read.vehicle.plate[index]);
      expect(changed).toHaveLength(1);
    }
  });
});

describe("its images", () => {
  const samples = VEHICLE_BODY_TYPES.flatMap((bodyType) => {
    const reads = all.filter((read) => read.vehicle.bodyType === bodyType);
    return [reads.find((read) => read.view === "rear"), reads.find((read) => read.view === "front")].filter(
      (read) => read !== undefined,
    );
  });

  it("show the plate at the reported corners", () => {
    for (const read of samples) {
      const corners = plateCorners(read);
      const [[x1, y1], [x2, y2], [x3, y3], [x4, y4]] = corners;
      expect(x1 < x2 && x4 < x3 && y1 < y4 && y2 < y3).toBe(true);
      for (const [x, y] of corners) {
        expect(x).toBeGreaterThan(0);
        expect(x).toBeLessThan(1280);
        expect(y).toBeGreaterThan(0);
        expect(y).toBeLessThan(686);
      }
      // Both images differ only in the plate, so only pixels inside its corners may differ.
      const other = { ...read, vehicle: { ...read.vehicle, plate: "IIIIII" } };
      const part = { x: 0, y: 0, width: 1280, height: 720, outWidth: 640 };
      const [a, b] = [draw(read, part), draw(other, part)];
      let differing = 0;
      for (let pixel = 0; pixel < a.data.length; pixel += 4) {
        if (a.data[pixel] === b.data[pixel]) continue;
        differing++;
        const x = ((pixel / 4) % 640) * 2;
        const y = Math.floor(pixel / 4 / 640) * 2;
        expect(x >= Math.min(x1, x4) - 3 && x <= Math.max(x2, x3) + 3).toBe(true);
        expect(y >= Math.min(y1, y2) - 3 && y <= Math.max(y3, y4) + 3).toBe(true);
      }
      expect(differing).toBeGreaterThan(5);
    }
  });

  it("are JPEG of the documented sizes", () => {
    const read = samples[0];
    if (!read) throw new Error("no sample");
    const whole = jpeg.decode(vehicleImage(read), { useTArray: true });
    expect([whole.width, whole.height]).toEqual([640, 360]);
    const plate = jpeg.decode(plateImage(read), { useTArray: true });
    expect(plate.width).toBe(240);
    expect(plate.height).toBeGreaterThan(100);
  });
});

describe("an Axis event", () => {
  it("has the documented fields, numbers as strings and local time", () => {
    const read = all.find((one) => one.program === "axis" && one.state !== null);
    if (!read) throw new Error("no read");
    const event = axisEvent(read, { state: "lost", withImages: true });
    expect(event.capture_timestamp).toBe(String(read.at));
    expect(event.frame_timestamp).toBe("0");
    expect(event.datetime).toMatch(/^\d{8} \d{9}$/);
    expect(event.plateConfidence).toMatch(/^0\.\d{6}$/);
    expect(event.plateRegionCode).toBe(read.state);
    expect(event.carID).toBe(axisEvent(read, { state: "new", withImages: false }).carID);
    expect(event.ImageArray.map(({ ImageType }) => ImageType)).toEqual(["vehicle", "plate"]);
    for (const { BinaryImage } of event.ImageArray) {
      expect(atob(BinaryImage).slice(0, 3)).toBe("\xff\xd8\xff");
      expect(atob(BinaryImage).slice(-2)).toBe("\xff\xd9");
    }
  });
});
