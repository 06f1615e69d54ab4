import { readSettings } from "../../workers/local/settings.ts";
import { openStorage } from "../../workers/local/storage.ts";
import { expect } from "./fixtures.ts";

/** Changes the record of a result set, given the assignments in SQL. Retries while Odin has the database locked. */
export async function changeResult(id: string, assignments: string): Promise<void> {
  const { env, dispose } = await openStorage(readSettings());
  try {
    await expect(async () => {
      await env.DB.prepare(`UPDATE result_sets SET ${assignments} WHERE id = ?`).bind(id).run();
    }).toPass();
  } finally {
    await dispose();
  }
}
