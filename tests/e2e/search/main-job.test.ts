import {
  expect,
  expectAccessible,
  hold,
  leaveScreen,
  logOut,
  search,
  signIn,
  tabTo,
  test,
} from "../fixtures.ts";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

const rows = "[role=grid] [data-row]";

test("a user signs in, searches, opens a read and steps to the next and previous reads", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  await expect(page.getByText("restricted information system")).toBeVisible();
  await signIn(page, "officer");

  await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
  await page.getByLabel("Case number").fill("26-1044");
  await page.getByRole("radio", { name: "7 Days" }).check();
  for (const program of ["Rekor", "Axon", "Axis"])
    await page.getByRole("checkbox", { name: `All ${program} agencies` }).check();
  const release = await hold(page, "**/search-data");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const overlay = page.getByRole("dialog", { name: "Search in progress" });
  await expect(overlay.getByText("Please wait while Odin searches...")).toBeVisible();
  await expect(overlay.getByRole("button", { name: "Cancel" })).toBeVisible();
  release();
  await page.waitForURL("**/results?id=*");

  await expect(page.locator(rows).first()).toBeVisible();
  // The page contains only the first rows; the rest loads afterwards.
  const rowCount = async () => Number(await page.getByRole("grid").getAttribute("aria-rowcount"));
  await expect.poll(rowCount).toBeGreaterThan(100);

  // Other tests add newer reads, some without an image; this takes the first row with a loaded image.
  const thumbnail = page.getByRole("img", { name: /^Vehicle [A-Z0-9]+ [A-Z]{2}/ });
  const firstWithImage = () =>
    page
      .locator(rows)
      .filter({ has: thumbnail })
      .evaluateAll((all) => {
        const row = all.find((one) => (one.querySelector("img")?.naturalWidth ?? 0) > 100);
        return Number(row?.getAttribute("data-row") ?? -1);
      });
  await expect.poll(firstWithImage).toBeGreaterThanOrEqual(0);
  const at = await firstWithImage();
  const first = page.locator(`[role=grid] [data-row="${at}"]`);
  const plate =
    (await first.getByRole("button", { name: /^Copy / }).getAttribute("aria-label"))?.slice(5) ?? "";
  await first.getByText(plate).click();
  const detail = page.getByRole("dialog");
  await expect(detail).toBeVisible();
  await expect(detail.getByText(plate).first()).toBeVisible();
  const image = detail.getByRole("img").first();
  await expect(image).toBeVisible();
  await expect
    .poll(() =>
      detail
        .locator("img")
        .first()
        .evaluate((img: HTMLImageElement) => img.naturalWidth),
    )
    .toBeGreaterThan(100);
  await expect(page).toHaveURL(new RegExp(`read=${at}\\b`));

  const actions = detail.getByRole("group", { name: "Actions for this plate" });
  await actions.getByRole("button", { name: "Copy", exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(plate);

  // The enlarged image fills the window; Escape closes only the image.
  await detail.getByRole("button", { name: "Show the vehicle image full screen" }).click();
  const enlarged = page.getByRole("application", { name: /^Vehicle/ });
  const picture = enlarged.getByRole("img");
  const box = await picture.boundingBox();
  expect(box?.width).toBeCloseTo(page.viewportSize()?.width ?? 0);
  expect(box?.height).toBeCloseTo(page.viewportSize()?.height ?? 0);
  await page.keyboard.press("+");
  await expect(page.getByText("140%")).toBeVisible();
  const zoomed = await picture.boundingBox();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(async () => (await picture.boundingBox())?.x).toBeGreaterThan(zoomed?.x ?? 0);
  await enlarged.hover();
  await page.mouse.wheel(0, -300);
  await expect(page.getByText("140%")).toBeHidden();
  await page.getByRole("button", { name: "Fit to window" }).click();
  await expect(page.getByText("100%")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(enlarged).toBeHidden();
  await expect(detail).toBeVisible();

  await detail.getByRole("button", { name: /next/i }).click();
  await expect(page).toHaveURL(new RegExp(`read=${at + 1}\\b`));
  await expect(detail.getByText(new RegExp(`^${at + 2} of`))).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(new RegExp(`read=${at + 2}\\b`));
  await detail.getByRole("button", { name: /previous/i }).click();
  await expect(page).toHaveURL(new RegExp(`read=${at + 1}\\b`));
  await page.keyboard.press("Escape");
  await expect(detail).toBeHidden();
  await expect(page).not.toHaveURL(/read=/);

  await page.goto(`${page.url()}&read=${at}`);
  await actions.getByRole("button", { name: "Track" }).click();
  await expect(detail).toBeHidden();
  await expect(page.getByRole("tab", { name: "Map View" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("button", { name: "Hide the track" })).toBeVisible();
  await page.goto(`${page.url()}&read=${at}`);
  await actions.getByRole("button", { name: "Search this plate" }).click();
  await expect(page).toHaveURL(/\/search$/);
  await expect(page.getByText(new RegExp(`^30 days, .* with a plate containing ${plate}$`))).toBeVisible();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue(plate);
  await expect(page.getByLabel("Justification")).toHaveValue("");
});

test("a reload and a second tab show the same results, also if the clock is ahead; another user cannot open them", async ({
  page,
  context,
  browser,
  baseURL,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  const count = await page.getByRole("grid").getAttribute("aria-rowcount");
  await page.reload();
  await expect(page.getByRole("grid")).toHaveAttribute("aria-rowcount", count ?? "");
  const tab = await context.newPage();
  // Results expire within an hour, by the server's clock.
  await tab.clock.install({ time: Date.now() + 2 * 60 * 60 * 1000 });
  await tab.goto(page.url());
  await expect(tab.getByRole("grid")).toHaveAttribute("aria-rowcount", count ?? "");
  await tab.close();
  const other = await browser.newContext({ baseURL });
  const stranger = await other.newPage();
  await signIn(stranger, "officer2");
  await stranger.goto(page.url());
  await expect(stranger.getByText("Results not found.")).toBeVisible();
  await other.close();
});

test("Refine restores the form, Clear empties it, and the user's next form has the same agencies", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { plate: "*A*", programs: ["Rekor"] });
  await page.getByRole("link", { name: "Refine Previous Search" }).first().click();
  await expect(page.getByText("Filled in from your previous search.")).toBeVisible();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("*A*");
  await expect(page.getByLabel("Justification")).toHaveValue("Stolen vehicle, case 26-1044");
  await expect(page.getByRole("checkbox", { name: "All Rekor agencies" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "All Axon agencies" })).not.toBeChecked();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("");
  await expect(page.getByLabel("Justification")).toHaveValue("");
  await expect(page.getByLabel("Plate", { exact: true })).toBeFocused();
  const rekor = page.getByRole("checkbox", { name: "All Rekor agencies" });
  await expect(rekor).not.toBeChecked();
  await page.getByRole("link", { name: "Search", exact: true }).first().click();
  // A reload before it would open the form that was cleared.
  await expect(page).toHaveURL(/\/search$/);
  await page.reload();
  await expect(rekor).toBeChecked();
  await expect(page.getByRole("radio", { name: "7 Days" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: "All Axon agencies" })).not.toBeChecked();
  await logOut(page);
  await signIn(page, "officer2");
  await expect(page.getByText(/^24 hours, no agency selected/)).toBeVisible();
  await expect(rekor).not.toBeChecked();
});

test("a copied line is pasted as a plate, but several lines or cells are not joined to one", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signIn(page, "officer");
  await page.goto("/search");
  const plate = page.getByLabel("Plate", { exact: true });
  const paste = async (text: string) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await plate.fill("");
    await plate.press("ControlOrMeta+v");
  };
  for (const text of ["KMY6237\nABC1234", "KMY6237\tCT\r\n"]) {
    await paste(text);
    await expect(page.getByText("The copied text has 2 lines or cells.").last()).toBeVisible();
    await expect(plate).toHaveValue("");
  }
  await paste("KMY6237\r\n");
  await expect(plate).toHaveValue("KMY6237");
});

test("missing values are reported at their fields, and no search is sent", async ({ page }) => {
  await signIn(page, "officer");
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/search-data")) sent++;
  });
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await expect(page.getByText("Justification and date range are required.").first()).toBeVisible();
  await expect(page.getByLabel("Justification")).toBeFocused();
  await expect(page.getByLabel("Justification")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Justification")).toHaveAccessibleDescription(/Enter a justification\.$/);
  const agencies = page.getByRole("checkbox", { name: "All Rekor agencies" });
  await expect(agencies).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("alert").getByRole("link", { name: "Select at least one agency." }).click();
  await expect(agencies).toBeFocused();
  await agencies.check();
  await expect(agencies).not.toHaveAttribute("aria-invalid");
  await page.getByLabel(/^Start/).fill("");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("alert").getByRole("link")).toHaveText([
    "Enter a justification.",
    "Enter a start date and time.",
  ]);
  await page.getByLabel("Justification").fill("\u200b\u2060 ");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByLabel("Justification")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Justification").fill("Stolen vehicle");
  await page.getByLabel("Plate", { exact: true }).fill("A;B");
  await page.keyboard.press("Control+Enter");
  await expect(page.locator("#search-plate-error")).toHaveText("A plate has letters, digits, * and ? only.");
  expect(sent).toBe(0);
});

test("a user signs in, searches and opens a read with the keyboard alone", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel("Username").focus();
  await page.keyboard.type("officer");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Odin-Demo-2026!");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search");
  await expect(page.getByLabel("Plate", { exact: true })).toBeFocused();
  await tabTo(page, "Justification");
  await page.keyboard.type("Stolen vehicle, case 26-1044");
  await tabTo(page, "All Axis agencies");
  await page.keyboard.press("Space");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/results?id=*");
  await expect(page.locator(rows).first()).toBeVisible();
  const row = (number: number) => page.locator(`[role=grid] [data-row="${number}"]`);
  await page.keyboard.press("j");
  await expect(row(0)).toBeFocused();
  await page.keyboard.press("j");
  await expect(row(1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/read=2/);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(row(2)).toBeFocused();
  // A screen reader moves the focus without a key of the list.
  await row(4).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/read=4/);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.keyboard.press("Space");
  await expect(page.getByRole("toolbar", { name: "Selected reads" })).toContainText("1 of");
});

test("the one-line search fills in the form by keyboard, and sends nothing until Search is pressed", async ({
  page,
}) => {
  await signIn(page, "officer");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") sent.push(request.url());
  });
  const line = page.getByLabel("In one line", { exact: true });
  await expect(line).toBeVisible();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(line).toBeFocused();
  await page.keyboard.type("silver honda suv ct 8b4 wobbly new haven yesterday evening");
  const chips = page.getByRole("list", { name: "Understood as" }).getByRole("listitem");
  await expect(chips).toHaveText([
    /^Color: Silver\/Gray/,
    /^Make: Honda/,
    /^Body type: SUV/,
    /^State: Connecticut/,
    /^Plate: 8B4/,
    /^wobbly Not understood/,
    /^Agency: New Haven Police Department/,
    /^Time: yesterday/,
    /^Time: evening/,
  ]);
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(line).toBeFocused();
  await expect(page.getByLabel("Make")).toHaveValue("Honda");
  // Moves to the sixth chip: past the button, and two controls for each chip before it.
  for (let i = 0; i < 13; i++) await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Remove wobbly" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(chips).toHaveCount(8);
  await expect(line).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Justification")).toBeFocused();
  await expect(page.getByLabel("Plate", { exact: true })).toHaveValue("8B4");
  await expect(
    page.getByText(/^5 hours up to .* 22:00, 2 agencies, silver or gray Honda SUVs/),
  ).toBeVisible();
  await page.keyboard.type("Hit-and-run on Chapel Street");
  expect(sent).toEqual([]);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/results?id=*");
});

test("a program that fails is shown as failed, never as having no results", async ({ page, faults }) => {
  await faults({ program: "axon", kind: "status", code: 500 });
  await signIn(page, "officer");
  await search(page);
  await expect(page.locator(rows).first()).toBeVisible();
  await expect(page.getByText(/Axon.*fail|fail.*Axon|Axon reported an error/i).first()).toBeVisible();
  await page.getByRole("link", { name: "Refine Previous Search" }).first().click();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await search(page, { programs: ["Axon"] });
  await expect(page.getByText("Axon did not return complete results.")).toBeVisible();
  await expect(page.getByText("No results found.")).toBeHidden();
});

test("canceling a search keeps the form", async ({ page, faults }) => {
  await faults({ program: "rekor", kind: "hold" });
  await signIn(page, "officer");
  await page.getByLabel("Justification").fill("Stolen vehicle");
  await page.getByRole("checkbox", { name: "All Rekor agencies" }).check();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page).toHaveURL(/\/search/);
  await expect(page.getByLabel("Justification")).toHaveValue("Stolen vehicle");
});

test("a search of thousands of agencies shows its progress without blocking the page", async ({ page }) => {
  await signIn(page, "officer");
  await page.route("**/search-data", async (route) => {
    const answer = await route.fetch();
    const lines = await answer.text();
    const towns = Array.from({ length: 3_000 }, (_, i) => ({
      sourceId: `town-${i}`,
      program: "Axis",
      agency: `Town ${i} Police Department`,
      reads: 0,
      truncated: false,
      message: "",
      milliseconds: 0,
    }));
    const statuses = ["asking", "ok"].flatMap((state) =>
      towns.map((town) => ({ type: "status", source: { ...town, state } })),
    );
    const started = { type: "started", sources: towns.map((town) => ({ ...town, state: "waiting" })) };
    const more = [started, ...statuses].map((line) => `${JSON.stringify(line)}\n`).join("");
    await route.fulfill({ response: answer, body: more + lines });
  });
  await search(page, { programs: ["Axis"] });
  await expect(page.locator(rows).first()).toBeVisible();
});

test.describe("a search that fails", () => {
  test.use({ expectedErrors: [/status of 500/] });
  test("keeps its message while time passes, and no later load of the screen's data changes the form", async ({
    page,
  }) => {
    await page.clock.install();
    await signIn(page, "officer");
    await page.route("**/search-data", (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByLabel("Justification").fill("Stolen vehicle, case 26-1044");
    const agencies = page.getByRole("checkbox", { name: "All Axis agencies" });
    await agencies.check();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const failed = page.getByRole("alert").filter({ hasText: "Search failed." });
    await expect(failed).toBeVisible();
    const start = page.getByLabel(/^Start/);
    const untilRangeMoves = async () => {
      const before = await start.inputValue();
      await page.clock.fastForward(11_000);
      await expect(start).not.toHaveValue(before);
    };
    await untilRangeMoves();
    await expect(failed).toBeVisible();

    // These agencies are remembered now, but only a new form starts with them.
    await agencies.uncheck();
    const loaded = page.waitForResponse(/\/search\.data/);
    await page.getByRole("link", { name: "Search", exact: true }).first().click();
    await loaded;
    await untilRangeMoves();
    await expect(agencies).not.toBeChecked();
  });
});

test("logging out ends the session in every tab", async ({ page, context }) => {
  await signIn(page, "viewer");
  const tab = await context.newPage();
  await tab.goto("/search");
  await logOut(page);
  await leaveScreen(tab);
  await tab.goto("/search");
  await expect(tab).toHaveURL(/\/$/);
});

test.describe("a wrong password", () => {
  test.use({ expectedErrors: [/401/] });
  test("shows one message and keeps the username", async ({ page }) => {
    await page.goto("/");
    await page.getByLabel("Username").fill("officer");
    await page.getByRole("textbox", { name: "Password" }).fill("wrong");
    await page.getByRole("button", { name: "Login" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "Login failed" })).toBeVisible();
    await expect(page.getByLabel("Username")).toHaveValue("officer");
  });
});

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });
  test("the sign-in form works", async ({ page }) => {
    await page.goto("/");
    await page.getByLabel("Username").fill("officer");
    await page.locator("input[name=password]").fill("Odin-Demo-2026!");
    await page.getByRole("button", { name: "Login" }).click();
    await expect(page).toHaveURL(/\/search$/);
  });
});
