import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownerUsername } from "../../../workers/local/deployment/owner.ts";
import { runCommand } from "../../support/operations/command.ts";

/** Runs an operator's command with these settings. */
function command(name: string, args: string[], settings: Record<string, string> = {}) {
  const file = join(import.meta.dirname, `../../../workers/local/${name}.ts`);
  const env = { ...process.env, ...settings };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const OWNER = ["--agency", "Some Police", "--name", "A Person", "--email", "person@agency.example"];
const firstOwner = (pepper: string) => command("first-owner", OWNER, { PASSWORD_PEPPER: pepper });
const LONG = "0123456789abcdef".repeat(4);

describe("npm run first-owner", () => {
  it.each([
    ["1:", "PASSWORD_PEPPER must be one text, or a list like 1:<text>,2:<text>"],
    [`1:${LONG},1:${LONG}`, "PASSWORD_PEPPER must be one text, or a list like 1:<text>,2:<text>"],
    ["x".repeat(31), "PASSWORD_PEPPER must have at least 32 characters."],
    [`1:${LONG},2:${"x".repeat(31)}`, "PASSWORD_PEPPER must have at least 32 characters."],
  ])("prints nothing but the problem for the pepper %j", (pepper, problem) => {
    const { status, stdout, stderr } = firstOwner(pepper);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it.each(["x".repeat(32), `1:short,2:${LONG}`])("prints SQL for the pepper %j", (pepper) => {
    const { status, stdout, stderr } = firstOwner(pepper);
    expect(status).toBe(0);
    expect(stdout).toContain("INSERT INTO users");
    expect(stderr).toContain("Temporary password of owner");
  });

  it("creates the owner whom OWNER_USERNAME of wrangler.toml names", () => {
    const named = (OWNER_USERNAME?: string) => ({ vars: { OWNER_USERNAME } });
    expect(ownerUsername(named("chief.reed"))).toBe("chief.reed");
    expect(ownerUsername(named("Chief.Reed"), "chief.reed")).toBe("chief.reed");
    expect(() => ownerUsername(named("chief.reed"), "owner")).toThrow("OWNER_USERNAME");
    for (const none of ["", undefined])
      expect(() => ownerUsername(named(none), "owner")).toThrow("OWNER_USERNAME is not set in wrangler.toml");
  });

  it("prints no SQL for a username that would not own Odin", () => {
    const args = [...OWNER, "--username", "chief.reed"];
    const { status, stdout, stderr } = command("first-owner", args, { PASSWORD_PEPPER: LONG });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain('OWNER_USERNAME in wrangler.toml is "owner"');
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});

describe("npm run break-glass", () => {
  it("prints SQL, and separately what happens if there is no such user", () => {
    const { status, stdout, stderr } = command("break-glass", ["--username", "ghost"]);
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(4);
    expect(stderr).toContain("If there is no user ghost, the SQL fails");
  });

  it("prints a new password separately from the SQL, and needs the pepper for it", () => {
    const args = ["--username", "ghost", "--new-password"];
    expect(command("break-glass", args, { PASSWORD_PEPPER: "" })).toMatchObject({ status: 1, stdout: "" });
    expect(command("break-glass", args, { PASSWORD_PEPPER: "short" })).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining("at least 32 characters"),
    });
    const { status, stdout, stderr } = command("break-glass", args, { PASSWORD_PEPPER: LONG });
    const [, password = ""] = /valid for 24 hours once the SQL has run: (\S+)/.exec(stderr) ?? [];
    expect(status).toBe(0);
    expect(password).not.toBe("");
    expect(stdout).not.toContain(password);
  });
});

describe("a command that calls a running Odin", () => {
  /** Runs a command against a server that answers every call like this. */
  async function calling(
    name: string,
    settings: Record<string, string>,
    answer: { status: number; body: object },
    ...args: string[]
  ) {
    const server = createServer((_, response) => {
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    try {
      const file = join(import.meta.dirname, `../../../workers/local/${name}.ts`);
      return await runCommand(file, [`http://127.0.0.1:${address.port}`, ...args], {
        ...process.env,
        ...settings,
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it("prints the reference with which the log has what went wrong", async () => {
    const body = { message: "Something went wrong.", request_id: "EF4T-JYQL-8HFL" };
    expect(await calling("rotate-keys", { ODIN_TOKEN: "token" }, { status: 500, body })).toEqual({
      code: 2,
      output: "500: Something went wrong. Reference in the log: EF4T-JYQL-8HFL\n",
    });
    expect(await calling("rotate-keys", { ODIN_TOKEN: "token" }, { status: 403, body })).toEqual({
      code: 2,
      output: "403: Something went wrong.\n",
    });
  });

  it("does not restore with a token that Odin does not accept", async () => {
    const { code, output } = await calling(
      "restore",
      { RESTORE_TOKEN: "x".repeat(42) },
      { status: 500, body: {} },
    );
    expect(code).toBe(2);
    expect(output).toContain("RESTORE_TOKEN must have at least 43 characters");
  });

  it("says how to restore another backup after one that is damaged", async () => {
    const body = {
      state: "failed",
      rows: 0,
      objects: 0,
      missing: 0,
      skipped: {},
      message: "The part is gone.",
    };
    const settings = { RESTORE_TOKEN: "x".repeat(43) };
    const { code, output } = await calling("restore", settings, { status: 200, body }, "some-backup");
    expect(code).toBe(1);
    expect(output).toMatch(
      /The part is gone\.\nTo restore another backup, run this command with --clear first\.\n$/,
    );
  });
});
