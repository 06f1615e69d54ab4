import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, isoTime } from "#app/lib/time/dates.ts";
import {
  imageTime,
  newAlertImageName,
  newReadImageName,
  objectsOf,
  openKeys,
  packKeys,
  partKeys,
  partOf,
} from "#app/store/archive/images.ts";

const time = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2058, 0, 1) });
/** Ids of cameras are random, but older installations chose their own. */
const cameraId = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom("a/b", "~5", "x~1~2", "é ", "."));
const name = fc.oneof(
  fc.record({ at: time, cameraId }).map(newReadImageName),
  time.map((at) => newAlertImageName(at)),
);
const bytes = fc.integer({ min: 1, max: 5_000_000 });
const sizes = fc.record({ vehicle: bytes, plate: bytes });

describe("the keys of pictures in one object", () => {
  it("say where each picture begins and how long it is", () => {
    fc.assert(
      fc.property(name, sizes, (object, of) => {
        const { vehicle, plate } = partKeys(object, of);
        expect(partOf(vehicle)).toEqual({ object, range: { offset: 0, length: of.vehicle } });
        expect(partOf(plate)).toEqual({ object, range: { offset: of.vehicle, length: of.plate } });
        expect(objectsOf([null, vehicle, plate])).toEqual([object]);
      }),
    );
  });

  it("are as short as possible", () => {
    expect(partKeys("axis/2026-06-20/c/mo3a1b2c-x", { vehicle: 61234, plate: 4821 })).toEqual({
      vehicle: "axis/2026-06-20/c/mo3a1b2c-x~61234",
      plate: "axis/2026-06-20/c/mo3a1b2c-x~61234~4821",
    });
  });

  it.each([
    "axis/2026-06-20/camera/mo3a1b2c-random.jpg",
    "axis/2026-06-20/camera/random.jpg",
    "axis/2026-06-20/x~1~2/random.jpg",
    "alerts/2026-06-20/random.bin",
    "axis/2026-06-20/camera/random~",
    "axis/2026-06-20/camera/random~0",
    "axis/2026-06-20/camera/random~-5",
    "axis/2026-06-20/camera/random~5.5",
    "axis/2026-06-20/camera/random~05",
    "axis/2026-06-20/camera/random~1e3",
    "axis/2026-06-20/camera/random~1234567890",
    "axis/2026-06-20/camera/random~1~2~3",
    "axis/2026-06-20/camera/random.jpg~5",
    "~5",
    "",
  ])("of other objects, such as %s, are the names of these objects", (key) => {
    expect(partOf(key)).toEqual({ object: key });
    expect(objectsOf([key])).toEqual([key]);
  });

  it("show when the picture was taken, as keys of a single picture do", () => {
    fc.assert(
      fc.property(time, cameraId, sizes, (at, camera, of) => {
        const object = newReadImageName({ at, cameraId: camera });
        for (const key of [`${object}.jpg`, ...Object.values(partKeys(object, of))])
          expect(imageTime(key)).toEqual({ from: at, to: at });
      }),
    );
  });
});

describe("the keys in a stored read", () => {
  const read = fc.record({ capturedAt: time, cameraId, after: fc.integer({ min: -3 * DAY, max: 3 * DAY }) });

  it("are the same when the read is opened", () => {
    const foreign = fc.oneof(
      fc.constantFrom(null, "v1", "axis/x", "axis/2026-06-20/c/x.jpg", "axis/2026-06-20/c/abcd1234-x.jpg"),
      fc.record({ at: time, cameraId }).map((of) => `${newReadImageName(of)}.jpg`),
    );
    fc.assert(
      fc.property(read, sizes, foreign, foreign, ({ after, ...of }, bytes, one, two) => {
        const object = newReadImageName({ at: of.capturedAt + after, cameraId: of.cameraId });
        const { vehicle, plate } = partKeys(object, bytes);
        const single = `${object}.png`;
        const all = [vehicle, plate, single, one, two];
        for (const vehicleImageKey of all)
          for (const plateImageKey of all) {
            const keys = { vehicleImageKey, plateImageKey };
            expect(openKeys(of, JSON.parse(JSON.stringify(packKeys({ ...of, ...keys }))))).toEqual(keys);
          }
      }),
    );
  });

  it("repeat neither date nor camera, and the object only once", () => {
    const of = { capturedAt: Date.UTC(2026, 5, 20), cameraId: "9Jk2aB4dE6gH8iK0lM2nO4" };
    const object = newReadImageName({ at: of.capturedAt + 1500, cameraId: of.cameraId });
    expect(object).toContain(isoTime(of.capturedAt).slice(0, 10));
    const { vehicle, plate } = partKeys(object, { vehicle: 61234, plate: 4821 });
    // The random part may contain or begin with a hyphen.
    const [, random] = /\/[0-9a-z]{8}-(.*)$/.exec(object) ?? [];
    const packed = packKeys({ ...of, vehicleImageKey: vehicle, plateImageKey: plate });
    expect(packed[1]).toBe("~4821");
    expect(packed[0]).toBe(`/1500-${random}~61234`);
  });

  it("of earlier versions are whole", () => {
    const of = { capturedAt: Date.UTC(2026, 5, 20), cameraId: "c" };
    const keys = ["axis/2026-06-20/c/mo3a1b2c-x.jpg", "axis/2026-06-20/c/mo3a1b2c-y.jpg"] as const;
    expect(openKeys(of, [...keys])).toEqual({ vehicleImageKey: keys[0], plateImageKey: keys[1] });
  });
});
