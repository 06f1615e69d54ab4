import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { bindings, bodyOf, type Client, client, newAgency, newUser, unique } from "../../factories.ts";
import { expectLogged, loggedText } from "../../support/quiet-console.ts";

let owner: Client;

beforeAll(async () => {
  owner = await client(await newUser((await newAgency()).id, { username: "owner", role: "admin" }));
});

describe("a screen whose data cannot be loaded", () => {
  it.each([
    ["/profile", "Error loading profile data."],
    ["/admin", "Failed to fetch admin data."],
    ["/owner", "Failed to fetch admin data."],
  ])("%s shows the specified message without the cause", async (path, words) => {
    expect(await (await owner.fetch(path)).text()).not.toContain(words);
    expectLogged(/totp_factors/);
    await bindings.DB.exec("ALTER TABLE totp_factors RENAME TO away");
    try {
      const html = await (await owner.fetch(path)).text();
      expect(html).toContain(words);
      expect(html).not.toMatch(/totp_factors|SQLITE|D1_ERROR/);
    } finally {
      await bindings.DB.exec("ALTER TABLE away RENAME TO totp_factors");
    }
    expect(await (await owner.fetch(path)).text()).not.toContain(words);
  });
});

it("the profile shows a role as the lists of users do", async () => {
  const agency = await newAgency();
  const admin = await client(await newUser(agency.id, { role: "admin" }));
  const user = await client(await newUser(agency.id));
  const profileOf = async (who: Client) => {
    const html = await (await who.fetch("/profile")).text();
    return /<dt[^>]*>Role<\/dt><dd[^>]*>([^<]*)/.exec(html)?.[1];
  };
  const roles = [await profileOf(user), await profileOf(admin)];
  expect(roles).toEqual(["User", "Admin"]);
  const list = await (await admin.fetch("/admin")).text();
  for (const role of roles) expect(list).toContain(`>${role}</td>`);
});

it.each(["/groups/%/details", "/groups/%/edit", "/alerts/group/%"])(
  "%s shows the specified message if the group cannot be loaded",
  async (path) => {
    const form = new FormData();
    form.set("group_name", unique("Group"));
    const { group_id } = await bodyOf<{ group_id: string }>(
      owner.fetch("/groups/create-mobile", { method: "POST", body: form }),
    );
    const address = path.replace("%", group_id);
    expect((await owner.fetch(address)).status).toBe(200);
    const missing = await owner.fetch(path.replace("%", "none"));
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining("Page not found")]);
    expectLogged(/alert_groups/);
    await bindings.DB.exec("ALTER TABLE alert_groups RENAME TO away");
    try {
      const failed = await owner.fetch(address);
      const html = await failed.text();
      expect(failed.status).toBe(500);
      expect(html).toContain("Group not found or failed to load.");
      expect(html).not.toMatch(/SQLITE|D1_ERROR/);
    } finally {
      await bindings.DB.exec("ALTER TABLE away RENAME TO alert_groups");
    }
  },
);

it("the privacy page names every cookie and how long it lasts", async () => {
  const html = await (await owner.fetch("/privacy")).text();
  for (const words of [
    "the session: expires when the browser closes",
    "the color theme: one year",
    "the known device: 180 days",
    "single sign-on: ten minutes",
    "60 seconds",
    "Browser storage",
  ])
    expect(html).toContain(words);
});

describe("the time limit of a page", () => {
  afterEach(() => void vi.useRealTimers());

  it("ends with the page, so that nothing is logged when it passes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    expect(await (await owner.fetch("/profile")).text()).toContain("</html>");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(loggedText()).toBe("");
  });
});
