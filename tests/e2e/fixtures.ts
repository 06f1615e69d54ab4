import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import type { Fault } from "../../workers/vendors/faults.ts";

type Fixtures = {
  /** Console errors that the journey provokes; any other fails it. */
  expectedErrors: RegExp[];
  faults: (...faults: Fault[]) => Promise<void>;
};

/** Every journey also proves that nothing leaves this origin, no policy is broken and nothing is logged as an error. */
export const test = base.extend<Fixtures>({
  expectedErrors: [[], { option: true }],
  page: async ({ page, baseURL, expectedErrors }, use) => {
    const wrong: string[] = [];
    const foreign: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || /content security policy/i.test(message.text()))
        wrong.push(message.text());
    });
    page.on("pageerror", (error) => wrong.push(String(error.stack ?? error)));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (!["data:", "blob:"].includes(url.protocol) && url.origin !== baseURL) foreign.push(request.url());
    });
    await use(page);
    expect(foreign, "requests to other origins").toEqual([]);
    expect(
      wrong.filter((text) => !expectedErrors.some((pattern) => pattern.test(text))),
      "errors in the console",
    ).toEqual([]);
  },
  faults: async ({ request }, use) => {
    const set = async (...faults: Fault[]) => {
      await request.put(`${process.env.ODIN_VENDORS_URL}/_simulator/faults`, { data: faults });
    };
    await use(set);
    await set();
  },
});

export { expect };

export async function signIn(page: Page, username: string): Promise<void> {
  await page.goto("/");
  await page.getByLabel("Username").fill(username);
  await page.getByRole("textbox", { name: "Password" }).fill(DEMO_PASSWORD);
  await page.getByRole("button", { name: "Login" }).click();
  await page.waitForURL("**/search");
  await expect(page.getByRole("heading", { name: "Search LPR Records" })).toBeVisible();
}

export type Wish = { plate?: string; programs?: ("Rekor" | "Axon" | "Axis")[]; range?: string };

/** Fills the search form and searches; ends on the results screen. */
export async function search(page: Page, wish: Wish = {}): Promise<void> {
  const { plate = "", programs = ["Rekor", "Axon", "Axis"], range = "7 Days" } = wish;
  await page.getByLabel("Plate", { exact: true }).fill(plate);
  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByRole("radio", { name: range, exact: true }).check();
  for (const program of programs)
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.waitForURL("**/results?id=*");
  await expect(page.getByRole("heading", { name: "Search Results" })).toBeVisible();
}

/** No serious or critical violation of WCAG 2.2 AA that axe can see. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
  ).toEqual([]);
}
