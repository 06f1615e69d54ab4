import type { Page } from "@playwright/test";
import { encodeJpeg } from "../../workers/vendors/world/pictures/jpeg.ts";
import { test as base, callAs, expect, signIn } from "./fixtures.ts";

export const GROUP = "demo-missing-hfd";
/** Of one colour. It can be drawn: the reads stay, and journeys after these look at the pictures of the newest. */
const JPEG = encodeJpeg({ width: 160, height: 90, data: new Uint8ClampedArray(160 * 90 * 4).fill(120) }, 80);

let made = 0;
export function newPlate(): string {
  made += 1;
  return `E${String(made).padStart(2, "0")}${String(Date.now()).slice(-7)}`;
}

type Camera = { pass: (plate: string) => Promise<void> };

export const test = base.extend<{
  /** A camera of the agency's own, made by its administrator, and what it pushes when a car passes. */
  newCamera: () => Promise<Camera>;
}>({
  newCamera: async ({ browser, request, baseURL }, use) => {
    await use(async () => {
      const page = await (await browser.newContext({ baseURL })).newPage();
      await signIn(page, "admin");
      const camera = { name: `Gate ${newPlate()}`, latitude: 41.7637, longitude: -72.6851 };
      const { address } = await callAs(page, "POST /axis-cameras", camera);
      await page.context().close();
      const webhook = new URL(String(address), baseURL).pathname;
      const picture = { ImageFormat: "jpg", BinaryImage: Buffer.from(JPEG).toString("base64") };
      return {
        pass: async (plate) => {
          const data = {
            capture_timestamp: String(Date.now()),
            plateUTF8: plate,
            plateRegionCode: "US-NY",
            carState: "lost",
            carID: newPlate(),
            imageType: "vehicle",
            ImageArray: [{ ...picture, ImageType: "vehicle" }],
          };
          expect((await request.post(webhook, { data })).status()).toBe(200);
        },
      };
    });
  },
});

/** Puts a plate of Connecticut on a list, by itself the demo's of missing persons, whose one member is hotadmin. */
export async function watch(page: Page, plate: string, group = GROUP): Promise<void> {
  await callAs(page, "POST /hotlist/add-plate-direct", {
    plate_number: plate,
    state: "CT",
    reason: "Missing person",
    notes: "Green canoe on the roof",
    group_id: group,
  });
}
