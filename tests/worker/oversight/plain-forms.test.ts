/** Forms of administrators that are sent without scripts: the answer shows what is wrong, and where. */

import { beforeAll, describe, expect, it } from "vitest";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import type { TransparencyOverview } from "#app/entities/oversight/transparency-page.ts";
import { type Client, client, newWorld, type World } from "../../factories.ts";

let world: World;
let admin: Client;

beforeAll(async () => {
  world = await newWorld();
  admin = await client(world.users.admin);
});

/** Sends a form of a screen; returns the status and the page of the answer. */
async function post(path: string, intent: string, fields: Record<string, string>) {
  const body = new URLSearchParams({ ...fields, [FORM_FIELDS.intent]: intent });
  const response = await admin.fetch(path, { method: "POST", body });
  return { status: response.status, html: await response.text() };
}

/** Returns the tag of a field. */
const field = (html: string, name: string) =>
  new RegExp(`<(?:input|textarea|select)[^>]* name="${name}"[^>]*>`).exec(html)?.[0] ?? "";

describe("the request of a legal hold", () => {
  /** Returns the tag of the group that contains the form. */
  const group = (html: string) =>
    /<details[^>]*>(?=(?:(?!<details).)*name="case_number")/s.exec(html)?.[0] ?? "";
  const times = { time_zone: "America/New_York", start: "2026-10-01T00:00", end: "2026-10-02T00:00" };
  const hold = { ...times, case_number: "26-1", plates: "AB12345", reason: "Evidence for the trial" };

  it("is unfolded with its problems, although there are holds", async () => {
    expect((await post("/legal-holds", "request", hold)).status).toBe(303);
    const page = await (await admin.fetch("/legal-holds")).text();
    expect(group(page)).not.toMatch(/ open\b/);
    const { status, html } = await post("/legal-holds", "request", { ...hold, reason: "" });
    expect(status).toBe(400);
    expect(html).toContain("Explain in a sentence");
    expect(group(html)).toMatch(/ open\b/);
  });
});

describe("the filter of the audit log", () => {
  it("keeps both times if they are wrong, and marks the end", async () => {
    const times = { start: "2026-10-02T08:15", end: "2026-10-01T09:30" };
    const { status, html } = await post("/audit-log", "filter", {
      time_zone: "America/New_York",
      ...times,
      acts: "searches",
    });
    expect(status).toBe(400);
    for (const [name, value] of Object.entries(times))
      expect(field(html, name)).toContain(`value="${value}"`);
    expect(field(html, "end")).toContain('aria-invalid="true"');
    expect(html).toContain("The start is after the end.");
  });
});

describe("the form of the transparency page", () => {
  it("marks the contact that a public page must have", async () => {
    const { page }: TransparencyOverview = await (await admin.fetch("/public-figures-data")).json();
    const good = { slug: page.slug, introduction: "Why we use readers.", contact: "records@police.example" };
    expect((await post("/public-figures", "page", good)).status).toBe(303);
    expect((await admin.fetch("/public-figures/publish", { method: "POST" })).status).toBe(200);
    const { status, html } = await post("/public-figures", "page", { ...good, contact: "" });
    expect(status).toBe(400);
    expect(field(html, "contact")).toContain('aria-invalid="true"');
    expect(html).toContain("Enter a contact for questions from the public.");
  });
});
