import type { Page } from "@playwright/test";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import { DEMO_PASSWORD } from "../../workers/local/demo-plan.ts";
import { callAs, logIn } from "./fixtures.ts";

const TEMPORARY = "Meridian-Lantern-48!";

/** Creates an agency, and signs its administrator in. `mark` makes its names unique. Returns the user name. */
export async function newAgency(page: Page, mark: string): Promise<string> {
  await logIn(page, "owner");
  const { id } = await callAs<{ id: string }>(page, "POST /owner/agencies", { name: `Statewide ${mark}` });
  const username = `chief${mark}`;
  const chief = { username, name: "Carla Chief", email: `chief@${mark}.example`, role: "admin" };
  await callAs(page, "POST /owner/add-user", { ...chief, password: TEMPORARY, agency_id: id });
  const notice = USE_NOTIFICATION.version;
  await callAs(page, "POST /login", { username, password: TEMPORARY, notice });
  await callAs(page, "POST /reset-password", { new_password: DEMO_PASSWORD });
  await logIn(page, username);
  return username;
}
