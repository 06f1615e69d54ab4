import type { Page } from "@playwright/test";
import type { Priority } from "#app/entities/hotlists/entry.ts";
import { encodeJpeg } from "../../workers/vendors/world/pictures/jpeg.ts";
import { test as base, callAs, expect, logIn } from "./fixtures.ts";

export const GROUP = "demo-missing-hfd";
/** A valid image, because the reads remain and later tests show the images of the newest reads. */
const JPEG = encodeJpeg({ width: 160, height: 90, data: new Uint8ClampedArray(160 * 90 * 4).fill(120) }, 80);

let made = 0;
export function newPlate(): string {
  made += 1;
  return `E${String(made).padStart(2, "0")}${String(Date.now()).slice(-7)}`;
}

type Pass = { hasPicture?: boolean; state?: string };
type Camera = { name: string; pass: (plate: string, input?: Pass) => Promise<void> };

export const test = base.extend<{
  /** Creates a camera as the agency's administrator; `pass` pushes a read of a plate. */
  newCamera: () => Promise<Camera>;
}>({
  newCamera: async ({ browser, request, baseURL }, use) => {
    await use(async () => {
      const admin = await browser.newContext({ baseURL });
      await logIn(admin, "admin");
      // A long name, to test the layout.
      const camera = {
        name: `Gate ${newPlate()} ${"of the bridge ".repeat(4)}`.slice(0, 60),
        latitude: 41.7637,
        longitude: -72.6851,
      };
      const { address } = await callAs(admin, "POST /axis-cameras", camera);
      await admin.close();
      const webhook = new URL(String(address), baseURL).pathname;
      const picture = { ImageFormat: "jpg", BinaryImage: Buffer.from(JPEG).toString("base64") };
      return {
        name: camera.name,
        pass: async (plate, { hasPicture = true, state = "NY" } = {}) => {
          const data = {
            capture_timestamp: String(Date.now()),
            plateUTF8: plate,
            plateRegionCode: `US-${state}`,
            carState: "lost",
            carID: newPlate(),
            imageType: "vehicle",
            ImageArray: hasPicture ? [{ ...picture, ImageType: "vehicle" }] : [],
          };
          expect((await request.post(webhook, { data })).status()).toBe(200);
        },
      };
    });
  },
});

/**
 * Adds a Connecticut plate to a group; by default the demo's group for missing persons, whose only member is hotadmin.
 */
export async function watch(
  page: Page,
  plate: string,
  { group = GROUP, priority = "normal" }: { group?: string; priority?: Priority } = {},
): Promise<void> {
  await callAs(page, "POST /hotlist/add-plate-direct", {
    plate_number: plate,
    state: "CT",
    reason: "Missing person",
    notes: "Green canoe on the roof",
    group_id: group,
    priority,
  });
}
