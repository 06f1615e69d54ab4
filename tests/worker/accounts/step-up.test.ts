import { afterEach, describe, expect, it, vi } from "vitest";
import { MINUTE } from "#app/lib/time/dates.ts";
import { auditOf, bodyOf, client, newAgency, newUser } from "../../factories.ts";

// Calls every endpoint that is declared privileged with a sign-in that is too old. The list below names the
// endpoints that must be privileged.

const sources = import.meta.glob<string>("/app/routes/endpoints/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Method and URL of every endpoint whose declaration requires a recent sign-in, directly or through a constant. */
const PRIVILEGED = Object.values(sources).flatMap((text) => {
  const constants = [...text.matchAll(/const (\w+) = \{[^}]*stepUp: true/g)].map(([, name = ""]) => name);
  const marks = new RegExp(`stepUp: true${constants.map((name) => `|\\b${name},?\\s*\\)`).join("")}`);
  return text
    .split(/\bendpoint\(/)
    .slice(1)
    .filter((declaration) => marks.test(declaration))
    .map((declaration) => /"([A-Z]+ [^"]+)"/.exec(declaration)?.[1] ?? "");
});

afterEach(() => {
  vi.useRealTimers();
});

describe("privileged functions", () => {
  it("include at least these endpoints", () => {
    expect(PRIVILEGED).toEqual(
      expect.arrayContaining([
        "POST /admin/add-user",
        "POST /bulk-upload-users",
        "POST /admin/reset-user-password",
        "PUT /admin/toggle-role/:id",
        "DELETE /admin/delete-user/:id",
        "PUT /admin/disable-user/:id",
        "POST /admin/unlock-user/:id",
        "POST /admin/reset-second-factor/:id",
        "POST /admin/end-sessions/:id",
        "POST /owner/add-user",
        "POST /owner/reset-user-password",
        "POST /owner/agencies",
        "PUT /owner/agencies/:id",
        "POST /user/reset-password",
        "POST /second-factor/totp",
        "POST /second-factor/totp/confirm",
        "DELETE /second-factor/totp",
        "POST /second-factor/passkey-options",
        "POST /second-factor/passkeys",
        "DELETE /second-factor/passkeys/:id",
        "POST /second-factor/recovery-codes",
        "POST /update-alert-permissions-api",
        "PATCH /axis-cameras/:id",
      ]),
    );
  });

  it("are refused ten minutes after the sign-in, before anything is read, with an audit row", async () => {
    const agency = await newAgency();
    const user = await newUser(agency.id, { username: "owner", role: "admin", hotlistAdmin: true });
    const owner = await client(user);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 10 * MINUTE + 1);
    for (const route of PRIVILEGED) {
      const [method = "", path = ""] = route.split(" ");
      const answer = await owner.fetch(path.replace(/:\w+/g, "any"), { method });
      const { code } = await bodyOf<{ code: string }>(answer);
      expect([route, answer.status, code]).toEqual([route, 403, "step_up_required"]);
    }
    const rows = await auditOf(user, PRIVILEGED.length);
    expect(new Set(rows.map(({ action, outcome }) => `${action} ${outcome}`))).toEqual(
      new Set(["access refused"]),
    );
    expect((await owner.fetch("/owner-data")).status).toBe(200);
  });

  it("include the export of the audit log with plates, but not the redacted one", async () => {
    const agency = await newAgency();
    const user = await newUser(agency.id, { role: "admin" });
    const admin = await client(user);
    const save = (redacted: boolean) => admin.post("/audit-log/export", { filter: {}, redacted });
    for (const redacted of [true, false]) expect((await save(redacted)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 10 * MINUTE + 1);
    expect((await save(true)).status).toBe(200);
    const refused = await save(false);
    expect([refused.status, (await bodyOf<{ code: string }>(refused)).code]).toEqual([
      403,
      "step_up_required",
    ]);
    expect(await auditOf(user)).toMatchObject([{ outcome: "refused", object: "/audit-log/export" }]);
  });
});
