import { easternClock } from "./eastern-time.ts";
import { shapeOf } from "./pictures/car-shapes.ts";
import { PLATE_HEIGHT, PLATE_WIDTH } from "./pictures/plate-art.ts";
import { mixColors, type Point, type Rgb, scaleColor } from "./pictures/raster.ts";
import type { Shape } from "./pictures/sedan-shape.ts";
import { hashOf, randomFrom } from "./random.ts";
import type { WorldRead } from "./traffic.ts";

/** The whole picture that a camera takes. Images are served smaller; crops are drawn at their own size. */
export const PICTURE = { width: 1280, height: 720 } as const;

/** How the scene is lit. */
interface Light {
  name: "day" | "dusk" | "night";
  /** Returns the color of a surface in this light. */
  lit(color: Rgb): Rgb;
  /** Brightness of the plate, which cameras light themselves. */
  plate: number;
  lamps: boolean;
  skyTop: Rgb;
  skyBottom: Rgb;
}

export interface View {
  read: WorldRead;
  shape: Shape;
  light: Light;
  rear: boolean;
  /** Vehicle meters (right, up, away from the near end) to picture coordinates. */
  project(x: number, y: number, z: number): Point;
  /** Road meters, straight ahead of the camera. */
  ground(x: number, y: number, z: number): Point;
  /** Plate inches to picture coordinates. */
  plate(x: number, y: number): Point;
  /** The visible side of the vehicle. */
  side: -1 | 1;
  /** Seed of this pass, for everything that differs between pictures. */
  seed: number;
}

const FOCAL = 2150;
const CAMERA_HEIGHT = 1.8;

export function viewOf(read: WorldRead): View {
  const { vehicle, camera } = read;
  const shape = shapeOf(vehicle.bodyType);
  const seed = hashOf(read.vehicle.id, camera.index, read.at);
  const random = randomFrom(seed);
  const rear = read.view === "rear";
  // Each camera is left or right of its lane, always on the same side.
  const side = camera.index % 2 === 0 ? -1 : 1;
  const turn = -side * (0.13 + (hashOf(camera.index, 5) % 100) / 900 + random() * 0.05);
  const distance = shape.distance * (1 + random() * 0.1);
  const offset = side * 0.25 + (random() - 0.5) * 0.5;
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  function ground(x: number, y: number, z: number): Point {
    const depth = Math.max(0.8, z + distance);
    return [640 + (FOCAL * x) / depth, shape.horizon + (FOCAL * (CAMERA_HEIGHT - y)) / depth];
  }
  function project(x: number, y: number, z: number): Point {
    return ground(x * cos + z * sin + offset, y, z * cos - x * sin);
  }
  const size = plateSize(vehicle.bodyType);
  const middle = rear ? shape.rearPlate : shape.frontPlate;
  return {
    read,
    shape,
    light: lightAt(read.at),
    rear,
    project,
    ground,
    plate: (x, y) =>
      project((x / PLATE_WIDTH - 0.5) * size * 2, middle + (0.5 - y / PLATE_HEIGHT) * size, -0.03),
    side: side === -1 ? 1 : -1,
    seed,
  };
}

/** Returns the size of the plate in meters, a little larger than real, to be readable. */
function plateSize(bodyType: WorldRead["vehicle"]["bodyType"]): number {
  if (bodyType === "tractor-trailer") return 0.25;
  return bodyType === "Motorcycle" ? 0.13 : 0.19;
}

/** Returns the plate's corners in the 1280 x 720 picture, in whole pixels, clockwise from the top left. */
export function plateCorners(read: WorldRead): [Point, Point, Point, Point] {
  const { plate } = viewOf(read);
  const corner = (x: number, y: number): Point => {
    const [left, top] = plate(x, y);
    return [Math.round(left), Math.round(top)];
  };
  return [corner(0, 0), corner(PLATE_WIDTH, 0), corner(PLATE_WIDTH, PLATE_HEIGHT), corner(0, PLATE_HEIGHT)];
}

/** Returns the box around the vehicle in the same picture. */
export function vehicleBox(read: WorldRead): { x: number; y: number; width: number; height: number } {
  const { project, shape } = viewOf(read);
  const tall = read.vehicle.bodyType === "Motorcycle" ? 1.75 : Math.max(...shape.profile.map(([, y]) => y));
  const half = shape.width / 2;
  const points = [0, shape.length].flatMap((z) =>
    [-half, half].flatMap((x) => [project(x, 0, z), project(x, tall, z)]),
  );
  const xs = points.map(([x]) => Math.min(PICTURE.width, Math.max(0, x)));
  const ys = points.map(([, y]) => Math.min(PICTURE.height, Math.max(0, y)));
  const x = Math.round(Math.min(...xs));
  const y = Math.round(Math.min(...ys));
  return { x, y, width: Math.round(Math.max(...xs)) - x, height: Math.round(Math.max(...ys)) - y };
}

function lightAt(at: number): Light {
  const { hour } = easternClock(at);
  const month = new Date(at).getUTCMonth();
  // Approximate sunrise and sunset in Connecticut: 7.2 to 16.5 in December, 5.4 to 20.4 (daylight time) in June.
  const summer = (1 - Math.cos(((month + 0.5) / 12) * 2 * Math.PI)) / 2;
  const rises = 7.1 - summer * 1.6;
  const sets = 16.6 + summer * 3.8;
  if (hour > rises + 0.5 && hour < sets - 0.5) {
    const low = Math.min(1, (sets - hour) / 3, (hour - rises) / 3);
    return {
      name: "day",
      lit: (color) =>
        scaleColor(
          [color[0], color[1] * (0.97 + low * 0.03), color[2] * (0.92 + low * 0.08)],
          0.86 + low * 0.14,
        ),
      plate: 0.97,
      lamps: false,
      skyTop: mixColors([150, 168, 196], [112, 160, 206], low),
      skyBottom: mixColors([236, 214, 186], [208, 224, 234], low),
    };
  }
  if (hour > rises - 0.5 && hour < sets + 0.5) {
    return {
      name: "dusk",
      lit: (color) => [color[0] * 0.6 + 6, color[1] * 0.52 + 4, color[2] * 0.56 + 10],
      plate: 0.86,
      lamps: true,
      skyTop: [62, 66, 108],
      skyBottom: [232, 150, 104],
    };
  }
  return {
    name: "night",
    lit: (color) => [color[0] * 0.3 + 4, color[1] * 0.31 + 5, color[2] * 0.35 + 9],
    plate: 0.9,
    lamps: true,
    skyTop: [8, 11, 22],
    skyBottom: [30, 33, 46],
  };
}
