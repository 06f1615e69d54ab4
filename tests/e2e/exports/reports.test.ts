import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { unzipSync, zipSync } from "fflate";
import type { ExportSummary } from "#app/entities/exports/request.ts";
import {
  callAs,
  expect,
  forgetSession,
  hold,
  logIn,
  search,
  signIn,
  test,
  withoutBackground,
} from "../fixtures.ts";

const rows = "[role=grid] [data-row]";

/** Returns the offset of the middle of the first image in an archive. Images are stored uncompressed. */
function withinImage(archive: Buffer): number {
  const files = Object.entries(unzipSync(new Uint8Array(archive)));
  const image = files.find(([name]) => name.startsWith("images/"));
  if (!image) throw new Error("The archive has no image.");
  return archive.indexOf(image[1]) + Math.floor(image[1].length / 2);
}

test("the selected results are exported with a justification, and the files can be verified", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  const toPdf = page.getByRole("button", { name: "Export Selected to PDF" });
  const toZip = page.getByRole("button", { name: "Export Selected to ZIP" });
  await expect(toPdf).toBeDisabled();
  await expect(toZip).toBeDisabled();
  for (const n of [0, 1]) await page.locator(rows).nth(n).getByRole("checkbox").check();

  await toPdf.click();
  await expect(page.getByLabel(/^Justification/)).toHaveValue("Stolen vehicle, case 26-1044");
  await page.getByLabel(/^Justification/).fill(" ");
  await page.getByRole("button", { name: "Create the report" }).click();
  await expect(page.getByText("Justification is required.")).toBeVisible();
  const reason = `Stolen vehicle, stop ${Date.now()}`;
  await page.getByLabel(/^Justification/).fill(reason);
  const report = page.waitForEvent("download");
  const letGo = await hold(page, "**/export-pdf");
  await page.getByRole("button", { name: "Create the report" }).click();
  await expect(page.getByText("Please Wait While Odin Finishes Your Report")).toBeVisible();
  letGo();
  const pdf = await report;
  expect(pdf.suggestedFilename()).toMatch(/^odin-report-\d{4}-\d\d-\d\d\.pdf$/);
  expect((await readFile(await pdf.path())).subarray(0, 5).toString()).toBe("%PDF-");

  await toZip.click();
  await page.getByLabel(/^Justification/).fill(reason);
  const archive = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the archive" }).click();
  const bytes = await readFile(await (await archive).path());
  expect(Object.keys(unzipSync(new Uint8Array(bytes)))).toContain("manifest.sig");

  await page.goto("/profile");
  const made = page.getByRole("listitem").filter({ hasText: reason });
  await expect(made.getByRole("link", { name: "Download" })).toHaveCount(2);

  await page.goto("/verify");
  const result = page.getByRole("region", { name: "Result" });
  const chooseReport = (buffer: Buffer) =>
    page
      .getByLabel("Report, archive, or manifest with signature")
      .setInputFiles({ name: "report.pdf", mimeType: "application/pdf", buffer });
  const reportBytes = await readFile(await pdf.path());
  await chooseReport(reportBytes);
  await expect(result).toContainText("Verified. Unchanged since export.");
  const forgedReport = Buffer.from(reportBytes);
  forgedReport.writeUInt8(forgedReport.readUInt8(5000) ^ 1, 5000);
  await chooseReport(forgedReport);
  await expect(result).toContainText("Do not rely on this export");
  await expect(result.getByRole("heading", { name: "Problems found" })).toBeVisible();
  await chooseReport(Buffer.from("%PDF-1.4\n%%EOF\n"));
  await expect(result).toContainText("This file is not an export from this Odin installation.");
  await expect(result).not.toContainText("Do not rely");

  const file = (buffer: Buffer) => ({ name: "export.zip", mimeType: "application/zip", buffer });
  const field = page.getByLabel("Report, archive, or manifest with signature");
  await field.setInputFiles(file(bytes));
  await expect(page.getByText("Verified. Unchanged since export.").first()).toBeVisible();
  const tampered = Buffer.from(bytes);
  const at = withinImage(bytes);
  tampered.writeUInt8(tampered.readUInt8(at) ^ 1, at);
  await field.setInputFiles(file(tampered));
  await expect(page.getByText("Do not rely on this export").first()).toBeVisible();
  await expect(page.getByText("Its content was changed").first()).toBeVisible();
});

test("a file that is gone before it is checked is named, and another one can be chosen", async ({ page }) => {
  await page.goto("/verify");
  const field = page.getByLabel("Report, archive, or manifest with signature");
  await field.evaluate((element) => {
    const gone = {
      name: "gone.zip",
      size: 9,
      slice: () => ({ text: () => Promise.reject(new Error("gone")) }),
    };
    const drop = new Event("drop", { bubbles: true, cancelable: true });
    element.dispatchEvent(Object.assign(drop, { dataTransfer: { files: [gone] } }));
  });
  await expect(page.getByRole("alert")).toContainText("gone.zip could not be read. Choose the file again.");
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  await field.setInputFiles({ name: "other.zip", mimeType: "application/zip", buffer: Buffer.from("other") });
  await expect(page.getByRole("region", { name: "Result" })).toContainText("other.zip");
  await expect(page.getByText("could not be read")).toHaveCount(0);
});

test("without scripts, the verification says that it needs them, and what works instead", async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ baseURL: baseURL ?? "", javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/verify");
  await expect(page.getByText("This needs JavaScript. Without it, use the commands below.")).toBeVisible();
  await expect(page.getByLabel("Report, archive, or manifest with signature")).toBeHidden();
  await page.getByText("Check without this page").click();
  await expect(page.getByText("openssl dgst -sha256 -verify")).toBeVisible();
  await context.close();
});

test.describe("with missing images", () => {
  test.use({ expectedErrors: [/status of 404/] });

  test("a large report is created in the background, announced when it is ready, and deleted on request", async ({
    page,
    faults,
  }) => {
    // Otherwise the simulators would render hundreds of images.
    await faults({ program: "rekor", kind: "imageMissing" }, { program: "axon", kind: "imageMissing" });
    await signIn(page, "officer");
    await search(page);
    await page.getByRole("checkbox", { name: "Select all results" }).check();
    await page.getByRole("button", { name: "Export Selected to PDF" }).click();
    await page.getByLabel(/^Justification/).fill("Stolen vehicle, pattern over three days");
    await page.getByRole("button", { name: "Create the report" }).click();
    await expect(page.getByText("Odin is creating a large report.").first()).toBeVisible();
    await page.getByRole("link", { name: "Profile" }).click();
    await expect(page.getByText("Your report is ready.").first()).toBeVisible({ timeout: 120_000 });
    await expect(
      page.getByText(/records, [\d,]+ images missing\. Your profile keeps it/).first(),
    ).toBeVisible();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    const bytes = await readFile(await (await download).path());
    const hash = createHash("sha256").update(bytes).digest("hex");
    await expect(page.getByText(hash)).toBeVisible();
    const large = page.getByRole("listitem").filter({ hasText: hash });
    await large.getByRole("button", { name: /^Delete / }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText(hash)).toBeHidden();
  });
});

test("canceling an export takes effect immediately, although a vendor has not answered yet", async ({
  page,
  faults,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Rekor"] });
  // Without images on the screen, only the export waits for the vendor.
  await page.getByRole("radio", { name: "Compact rows" }).click();
  await page.locator(rows).first().getByRole("checkbox").check();
  await faults({ program: "rekor", kind: "delay", ms: 60_000 });
  await page.getByRole("button", { name: "Export Selected to ZIP" }).click();
  const reason = `Stolen vehicle, to be cancelled ${Date.now()}`;
  await page.getByLabel(/^Justification/).fill(reason);
  const started = page.waitForResponse(/export-zip/);
  await page.getByRole("button", { name: "Create the archive" }).click();
  await started;
  await page
    .getByRole("dialog", { name: "Export in progress" })
    .getByRole("button", { name: "Cancel" })
    .click();
  await expect(page.getByText("The export was canceled.").first()).toBeVisible();
  await expect(page.getByLabel(/^Justification/)).toHaveValue(reason);
  // Before an image times out, 15 s after its request. Polls the server, because a slow browser shows the state late.
  const stateNow = async () => {
    const all = await callAs<ExportSummary[]>(page, "GET /exports");
    return all.find(({ justification }) => justification === reason)?.state;
  };
  await expect.poll(stateNow, { timeout: 10_000 }).toBe("cancelled");
  await page.goto("/profile");
  const one = page.getByRole("listitem").filter({ hasText: reason });
  await expect(one.getByText("Canceled", { exact: true })).toBeVisible();
});

test("the page that verifies an export is offered until the message is dismissed, and in the list", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Axis"] });
  await page.locator(rows).first().getByRole("checkbox").check();
  await page.getByRole("button", { name: "Export Selected to PDF" }).click();
  const reason = `Stolen vehicle, to be verified ${Date.now()}`;
  await page.getByLabel(/^Justification/).fill(reason);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the report" }).click();
  await saving;
  const messages = page.getByRole("region", { name: "Messages" });
  const verify = messages.getByRole("button", { name: "Verify" });
  await expect(verify).toBeVisible();
  // Other messages of success are gone after five seconds.
  await page.waitForTimeout(6000);
  await expect(verify).toBeVisible();
  await messages.getByRole("button", { name: "Dismiss" }).first().click();
  await expect(verify).toBeHidden();

  await page.goto("/profile");
  const one = page.getByRole("listitem").filter({ hasText: reason });
  const opening = page.waitForEvent("popup");
  await one.getByRole("link", { name: /^Verify a copy of .* \(new tab\)$/ }).click();
  await expect((await opening).getByRole("heading", { name: "Verify an Export" })).toBeVisible();
});

test("canceling an export also takes effect before the server has answered that it has started", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page, { programs: ["Rekor"] });
  await page.locator(rows).first().getByRole("checkbox").check();
  await page.getByRole("button", { name: "Export Selected to ZIP" }).click();
  const reason = `Stolen vehicle, to be canceled at once ${Date.now()}`;
  await page.getByLabel(/^Justification/).fill(reason);
  const canceled = Promise.withResolvers<void>();
  // The server makes the export, and its answer arrives once the user has canceled.
  const made = Promise.withResolvers<void>();
  await page.route("**/export-zip", async (route) => {
    const response = await route.fetch();
    made.resolve();
    await canceled.promise;
    await route.fulfill({ response }).catch(() => {});
  });
  await page.getByRole("button", { name: "Create the archive" }).click();
  await made.promise;
  const wait = page.getByRole("dialog", { name: "Export in progress" });
  await wait.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("The export was canceled.").first()).toBeVisible();
  await expect(wait).toBeHidden();
  await expect(page.getByLabel(/^Justification/)).toHaveValue(reason);
  canceled.resolve();
  const isListed = async () => {
    const all = await callAs<ExportSummary[]>(page, "GET /exports");
    return all.some(({ justification }) => justification === reason);
  };
  await expect.poll(isListed).toBe(false);
});

test("verification rejects archives with changed, removed or added files and forged manifests", async ({
  page,
}) => {
  await signIn(page, "officer");
  await search(page);
  await page.locator(rows).first().getByRole("checkbox").check();
  await page.getByRole("button", { name: "Export Selected to ZIP" }).click();
  await page.getByLabel(/^Justification/).fill("Stolen vehicle");
  const archive = page.waitForEvent("download");
  await page.getByRole("button", { name: "Create the archive" }).click();
  const files = unzipSync(new Uint8Array(await readFile(await (await archive).path())));
  const image = Object.keys(files).find((name) => name.startsWith("images/")) ?? "";
  const manifest = Buffer.from(files["manifest.json"] ?? []);
  const forged = Buffer.from(manifest.toString().replace("Stolen vehicle", "Stolen bicycle"));
  const { [image]: _, ...without } = files;

  await forgetSession(page);
  await page.goto("/verify");
  const field = page.getByLabel("Report, archive, or manifest with signature");
  const verdict = page.getByRole("region", { name: "Result" });
  const choose = (more: Record<string, Uint8Array>) =>
    field.setInputFiles({
      name: "export.zip",
      mimeType: "application/zip",
      buffer: Buffer.from(zipSync(more, { level: 0 })),
    });
  await choose(files);
  await expect(verdict).toContainText("Verified. Unchanged since export.");
  await choose({ ...files, "images/more.jpg": Uint8Array.of(1) });
  await expect(verdict).toContainText("images/more.jpg The manifest does not list it.");
  await choose(without);
  await expect(verdict).toContainText(`${image} It is missing from the archive.`);
  await choose({ ...files, "manifest.json": forged });
  await expect(verdict).toContainText("The signature does not match");
  // A valid signature over these bytes, with the key of another installation.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signedElsewhere = (bytes: Buffer) => ({
    "manifest.json": bytes,
    "manifest.sig": sign("sha256", bytes, privateKey),
  });
  await choose({ ...files, ...signedElsewhere(manifest) });
  await expect(verdict).toContainText("Do not rely on this export");
  await expect(verdict).toContainText(
    "The signature does not match: the manifest was changed, or another installation created it.",
  );
  const ofOtherKey = Buffer.from(manifest.toString().replace(/("key_version": )\d+/, "$1999"));
  await choose({ ...files, ...signedElsewhere(ofOtherKey) });
  await expect(verdict).toContainText("This installation has no key with that version.");
  const json = { name: "manifest.json", mimeType: "application/json" };
  const signature = {
    name: "manifest.sig",
    mimeType: "application/octet-stream",
    buffer: Buffer.from(files["manifest.sig"] ?? []),
  };
  await field.setInputFiles([{ ...json, buffer: manifest }, signature]);
  await expect(verdict).toContainText(
    /^The manifest is unchanged since export, but (\d+) of its \1 files were not checked\./,
  );
  await field.setInputFiles([{ ...json, buffer: forged }, signature]);
  await expect(verdict).toContainText("The signature does not match");
});

test.describe("failing exports", () => {
  test.use({ expectedErrors: [/status of 404|ERR_INTERNET_DISCONNECTED/] });

  for (const { kind, making } of [
    { kind: "PDF", making: "Create the report" },
    { kind: "ZIP", making: "Create the archive" },
  ]) {
    test(`show the specified message: ${kind} rejected by the server or broken by the network`, async ({
      page,
      context,
    }) => {
      await signIn(page, "officer");
      await search(page, { programs: ["Rekor"] });
      await page.locator(rows).first().getByRole("checkbox").check();
      await expect(page.getByRole("button", { name: `Export Selected to ${kind}` })).toBeEnabled();
      const ask = async () => {
        await page.getByRole("button", { name: `Export Selected to ${kind}` }).click();
        await page.getByLabel(/^Justification/).fill("Stolen vehicle");
        await page.getByRole("button", { name: making }).click();
      };
      // The message is in the dialog, which keeps what was typed.
      const expectFailure = async (message: string) => {
        const dialog = page.getByRole("dialog", { name: `Export to ${kind}` });
        await expect(dialog.getByRole("region", { name: "Messages" })).toContainText(message);
        await expect(dialog.getByLabel(/^Justification/)).toHaveValue("Stolen vehicle");
        await page.keyboard.press("Escape");
      };

      await context.setOffline(true);
      await ask();
      await expect(page.getByText(`Something went wrong during ${kind} export.`).first()).toBeVisible();
      await expectFailure(`Something went wrong during ${kind} export.`);
      await context.setOffline(false);

      // Another user signs in with the same browser and may not export this user's results.
      const isLoaded = () => page.evaluate(() => [...document.images].every(({ complete }) => complete));
      await expect.poll(isLoaded).toBe(true);
      await withoutBackground(page, () => logIn(page, "viewer"));
      await ask();
      await expect(page.getByText(`Failed to generate ${kind}.`).first()).toBeVisible();
      await expectFailure(`Failed to generate ${kind}.`);
    });
  }
});

test.describe("polling the exports", () => {
  test.use({ expectedErrors: [/status of 500/] });

  test("a list that failed to load is loaded again on request", async ({ page }) => {
    await page.route("**/exports", (route) => route.fulfill({ status: 500, json: {} }));
    await signIn(page, "officer", "/profile");
    await expect(page.getByText("Your exports could not be loaded.")).toBeVisible();
    await page.unroute("**/exports");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText("Your exports could not be loaded.")).toBeHidden();
  });

  test("does not count as use of the session, and continues with the previous list after a failure", async ({
    page,
  }) => {
    const one: ExportSummary = {
      id: "polled",
      kind: "pdf",
      state: "running",
      name: "odin-report.pdf",
      records: 2,
      done: 1,
      missing: 0,
      bytes: 0,
      sha256: "",
      justification: "Stolen vehicle",
      caseNumber: "",
      message: "",
      createdAt: Date.now(),
      finishedAt: null,
      expiresAt: Date.now(),
    };
    const polls: (string | undefined)[] = [];
    const after = Promise.withResolvers<void>();
    let asked = 0;
    await page.route("**/exports", async (route) => {
      asked += 1;
      if (asked > 1) polls.push(route.request().headers()["odin-background"]);
      if (asked === 2) return route.fulfill({ status: 500, json: {} });
      if (asked > 2) await after.promise;
      return route.fulfill({ json: [asked > 2 ? { ...one, state: "ready", done: 2 } : one] });
    });
    await signIn(page, "officer", "/profile");
    const item = page.getByRole("listitem").filter({ hasText: "odin-report.pdf" });
    await expect(item).toContainText("In progress");
    await expect.poll(() => asked).toBeGreaterThan(2);
    await expect(item).toContainText("In progress");
    after.resolve();
    await expect(item).toContainText("Ready");
    expect(polls.every((background) => background === "1")).toBe(true);
  });
});
