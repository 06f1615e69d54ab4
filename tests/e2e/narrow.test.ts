import type { Locator, Page } from "@playwright/test";
import { callAs, expect, leaveScreen, logIn, search, signIn, test } from "./fixtures.ts";

const suffix = () => Date.now().toString(36);
/** A name of the greatest length, without spaces. */
const longest = (most: number) => `N${suffix()}`.padEnd(most, "Ww");

/** Expects that neither the page nor a table on it scrolls sideways. */
async function expectNarrow(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const tooWide = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("main *")]
      .filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1)
      .filter(
        (box) => box === document.documentElement || /auto|scroll/.test(getComputedStyle(box).overflowX),
      )
      .filter((box) => !box.matches("pre, input, select, textarea"))
      .map((box) => `${box.tagName} ${box.getAttribute("aria-label")}: ${box.scrollWidth}`),
  );
  expect(tooWide, path).toEqual([]);
}

/** A tablet on its side and upright, and phones. At 720 px the text of a laptop is enlarged to 200 %. */
const WIDTHS = [1024, 720, 390, 320];

test("no screen is wider than a phone, and no table than a tablet, however long the names on it are", async ({
  page,
  request,
}) => {
  await logIn({ request }, "hotadmin");
  const newGroup = async () => {
    const form = { group_name: longest(120), group_description: longest(2000), group_members: "" };
    const headers = { "sec-fetch-site": "same-origin" };
    const created = await request.post("/groups/create-mobile", { multipart: form, headers });
    const { group_id } = await created.json();
    await callAs({ request }, "POST /hotlist/add-plate-direct", {
      plate_number: "WWWWWWWWWWWWWWW",
      reason: longest(300),
      notes: longest(2000),
      case_number: longest(40),
      group_id,
    });
    return group_id;
  };
  const group = await newGroup();
  // The list of the group names another group that has the plate.
  const other = await newGroup();
  const { id: outgoing } = await callAs({ request }, "POST /outgoing-webhooks", {
    name: longest(120),
    url: `${process.env.ODIN_VENDORS_URL}/receiver/${longest(120)}`,
    events: ["hit"],
    group_id: group,
  });

  await signIn(page, "admin");
  const key = { agency: longest(120), api_key: longest(60), source_program: "Rekor" };
  const { id: added } = await callAs(page, "POST /add-api-key", key);
  await callAs(page, "POST /rekor-webhooks", { name: longest(120) });
  const spot = { latitude: 41.7637, longitude: -72.6851 };
  const camera = await callAs<{ id: string }>(page, "POST /axis-cameras", { name: longest(120), ...spot });
  const service = await callAs(page, "POST /service-accounts", {
    name: longest(60),
    scopes: ["search"],
    addresses: ["2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  });
  await callAs(page, "POST /legal-holds/request", {
    case_number: longest(64),
    reason: longest(500),
    plates: "ABC1234",
    start: "2026-01-01",
    end: "2026-01-31",
  });
  try {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      for (const path of [
        "/integrations/rekor",
        "/integrations/axis",
        "/integrations/outgoing",
        "/integrations/service-accounts",
        `/integrations/service-accounts/${service.id}`,
        "/legal-holds",
        "/edit-alerts-permissions",
        "/system-health",
        "/audit-log",
        "/review",
        "/searches",
      ])
        await expectNarrow(page, path);
    }
  } finally {
    // Later tests search with all keys, and list cameras.
    await callAs(page, `DELETE /delete-api-key/${added}`);
    await callAs(page, `DELETE /axis-cameras/${camera.id}`);
  }

  await logIn(page, "hotadmin");
  for (const path of [
    "/alerts",
    `/alerts/group/${group}`,
    `/groups/${group}`,
    `/groups/${group}/edit`,
    `/integrations/outgoing/${outgoing}`,
  ])
    await expectNarrow(page, path);
  await page.goto(`/groups/${group}/edit`);
  await page.getByLabel("Plate number").fill("WWWWWWWWWWWWWWW");
  const known = page.getByText(/^Already in this group/);
  await expect(known).toBeVisible();
  expect((await known.boundingBox())?.width).toBeLessThan(320);
  await callAs(page, `DELETE /outgoing-webhooks/${outgoing}`);
  for (const group_id of [group, other]) await callAs(page, "POST /archive-group", { group_id });

  await logIn(page, "owner");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    for (const path of ["/status", "/storage", "/backups", "/dead-jobs", "/rekor-camera-management"])
      await expectNarrow(page, path);
  }
});

/** The text spacing of WCAG 1.4.12, as readers set it by a style sheet. */
function widenLetters(page: Page): Promise<void> {
  return page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`* {
      letter-spacing: 0.12em !important;
      word-spacing: 0.16em !important;
      line-height: 1.5 !important;
    }`);
    document.adoptedStyleSheets = [sheet];
  });
}

/** Returns the texts of elements that are wider than their box, which cuts them off. */
const cutOff = (elements: Locator) =>
  elements.evaluateAll((all) =>
    all.flatMap((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { right } = range.getBoundingClientRect();
      const parents = [element, element.parentElement, element.parentElement?.parentElement];
      const isCut = parents.some((box) => box && right > box.getBoundingClientRect().right + 1);
      return isCut ? [element.textContent] : [];
    }),
  );

test("wider letters cut off no time of a read, no email of a user and no name of an agency (WCAG 1.4.12)", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  for (const width of [390, 360, 320]) {
    await page.setViewportSize({ width, height: 844 });
    await widenLetters(page);
    await page.getByRole("tab", { name: "Table View" }).click();
    const card = page.locator("[data-row] td").filter({ hasText: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/ });
    await expect(card.first()).toBeVisible();
    expect(await cutOff(card.locator("> span, > span > span"))).toEqual([]);
    await page.getByRole("tab", { name: "Gallery View" }).click();
    const tile = page.locator("[role=gridcell][data-row] > span").filter({ hasText: /:\d\d:\d\d/ });
    await expect(tile.first()).toBeVisible();
    expect(await cutOff(tile.locator("> :not(:first-child)"))).toEqual([]);
  }
  await leaveScreen(page);
  await logIn(page, "admin");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/admin");
  await widenLetters(page);
  const email = page.getByRole("cell", { name: /@/ });
  await expect(email.first()).toBeVisible();
  expect(await cutOff(email)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/create-group");
  await widenLetters(page);
  const agency = page.locator("summary > span").filter({ hasText: "Department" });
  await expect(agency.first()).toBeVisible();
  expect(await cutOff(agency)).toEqual([]);
});

test("the texts of an export, a camera and an imported row, and the choice of passwords, are shown in full", async ({
  page,
}) => {
  await signIn(page, "officer");
  // A search makes Rekor's cameras known.
  await search(page, { programs: ["Rekor"] });
  await page.setViewportSize({ width: 390, height: 844 });
  const justification = `Stolen vehicle, case 26-1044, ${"seen by the neighbors ".repeat(20)}`.trim();
  const made = { id: "one", kind: "pdf", state: "ready", name: "odin-report.pdf", bytes: 1, sha256: "0" };
  await page.route("**/exports", (route) =>
    route.fulfill({ json: [{ ...made, justification, message: "", records: 1, missing: 0, createdAt: 1 }] }),
  );
  await page.goto("/profile");
  const reason = page.getByText(justification);
  await expect(reason).toBeVisible();
  expect(await cutOff(reason)).toEqual([]);

  await leaveScreen(page);
  await logIn(page, "owner");
  await page.goto("/rekor-camera-management");
  const agent = page.locator("th[title] > span:nth-child(2)");
  await expect(agent.first()).toBeVisible();
  expect(await cutOff(agent)).toEqual([]);

  await leaveScreen(page);
  await logIn(page, "admin");
  await page.goto("/single-sign-on");
  await widenLetters(page);
  const passwords = page.getByLabel("Sign-in with a password");
  const room = await passwords.evaluate((select) => {
    const text = document.createElement("span");
    text.textContent = select.querySelector("option:checked")?.textContent ?? "";
    text.style.font = getComputedStyle(select).font;
    text.style.position = "absolute";
    document.body.appendChild(text);
    const { paddingLeft, paddingRight } = getComputedStyle(select);
    return (
      select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - text.offsetWidth
    );
  });
  expect(room).toBeGreaterThan(0);

  await page.setViewportSize({ width: 1440, height: 900 });
  await leaveScreen(page);
  await logIn(page, "hotadmin");
  const form = { group_name: `Long ${suffix()}`, group_description: "", group_members: "" };
  const headers = { "sec-fetch-site": "same-origin" };
  const created = await page.request.post("/groups/create-mobile", { multipart: form, headers });
  const { group_id } = await created.json();
  const notes = `${"Dent in the left rear panel ".repeat(8)}, end`;
  const query = new URLSearchParams({ name: "list.txt", mode: "add", preset: "columns" });
  await page.request.post(`/groups/${group_id}/import?${query}`, {
    data: Buffer.from(`Nummer;Reason;Notes\nAB1234;${notes};${notes}\n`),
    headers: { ...headers, "content-type": "application/octet-stream" },
  });
  await expect(async () => {
    await page.goto(`/groups/${group_id}/columns`);
    await expect(page.getByRole("heading", { name: "Choose Columns" })).toBeVisible({ timeout: 2000 });
  }).toPass();
  for (const n of [2, 3]) await page.getByLabel(`Column ${n}`).selectOption(n === 2 ? "Reason" : "Notes");
  await page.getByLabel("Column 1").selectOption("Plate");
  const long = page.getByRole("cell", { name: /, end$/ });
  await expect(long).toHaveCount(4);
  expect(await cutOff(long)).toEqual([]);
  await callAs(page, "POST /archive-group", { group_id });
});

test("the bar of an owner, who has the most links, has room for wider letters (WCAG 1.4.12)", async ({
  page,
}) => {
  await signIn(page, "owner");
  const entries = page.getByRole("navigation", { name: "Main" }).locator("> a, > button");
  await expect(entries).toHaveCount(11);
  await widenLetters(page);
  for (const width of [1280, 1366, 1536]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    // No text of an entry is outside of it.
    const cut = await entries.evaluateAll((all) =>
      all.filter((entry) => entry.scrollWidth > entry.clientWidth).map((entry) => entry.textContent),
    );
    expect(cut).toEqual([]);
    const logout = await page.getByRole("button", { name: "Logout" }).boundingBox();
    expect((logout?.x ?? 0) + (logout?.width ?? 0)).toBeLessThanOrEqual(width);
  }
});
