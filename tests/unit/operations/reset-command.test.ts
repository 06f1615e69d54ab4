import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { requireUnused } from "../../../workers/local/processes.ts";
import {
  deletionProblem,
  lastPort,
  notePort,
  ROOT,
  readSecrets,
  readSettings,
} from "../../../workers/local/settings.ts";
import { runCommand } from "../../support/operations/command.ts";
import { freePort } from "../../support/vendors.ts";

const commandOf = (file: string) => join(import.meta.dirname, "../../../workers/local", file);

async function listen(): Promise<{ port: number; end: () => Promise<unknown> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, end: () => new Promise((resolve) => server.close(resolve)) };
}

/** Runs a command with ports on which nothing listens. */
async function run(file: string, state: string, ...args: string[]) {
  const [PORT, VENDORS_PORT, IDENTITY_PORT] = [await freePort(), await freePort(), await freePort()].map(
    String,
  );
  const env = { ...process.env, ODIN_STATE: state, PORT, VENDORS_PORT, IDENTITY_PORT };
  return runCommand(commandOf(file), args, env);
}
const reset = (state: string, ...args: string[]) => run("reset.ts", state, ...args);

describe("npm run reset", () => {
  it("deletes nothing if it does not know an option", async () => {
    const state = mkdtempSync(join(tmpdir(), "odin-reset-"));
    try {
      const refused = await reset(state, "--help");
      expect(refused).toMatchObject({ code: 2, output: expect.stringContaining("Takes no options") });
      expect(existsSync(state)).toBe(true);
    } finally {
      rmSync(state, { recursive: true, force: true });
    }
  });

  it("deletes nothing but an installation", async () => {
    const parent = mkdtempSync(join(tmpdir(), "odin-reset-"));
    const state = join(parent, "documents");
    try {
      mkdirSync(state);
      writeFileSync(join(state, "thesis.txt"), "years of work");
      expect(await reset(state)).toMatchObject({
        code: 1,
        output: expect.stringContaining("has no installation of Odin"),
      });
      expect(existsSync(join(state, "thesis.txt"))).toBe(true);
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });

  it("deletes neither this checkout nor a folder around it", () => {
    expect(readSettings({ ODIN_STATE: "" }).state).toBe(readSettings({}).state);
    for (const state of [ROOT, join(ROOT, ".."), "/"])
      expect(deletionProblem({ ...readSettings({}), state })).toContain("contains Odin itself");
  });

  it("deletes nothing while Odin runs, even on a port other than the default", async () => {
    const state = mkdtempSync(join(tmpdir(), "odin-reset-"));
    const running = await listen();
    try {
      notePort(readSettings({ ODIN_STATE: state, PORT: String(running.port) }));
      const refused = await reset(state);
      expect(refused).toMatchObject({
        code: 1,
        output: expect.stringContaining(`answers on port ${running.port}`),
      });
      expect(existsSync(state)).toBe(true);
      await running.end();
      expect(await reset(state)).toMatchObject({ code: 0 });
      expect(existsSync(state)).toBe(false);
    } finally {
      await running.end();
      rmSync(state, { recursive: true, force: true });
    }
  });
});

describe("npm start and npm run dev", () => {
  it.each(["start.ts", "dev.ts"])("%s does not use the folder of an Odin that runs", async (file) => {
    const state = mkdtempSync(join(tmpdir(), "odin-busy-"));
    const running = await listen();
    try {
      notePort(readSettings({ ODIN_STATE: state, PORT: String(running.port) }));
      const { code, output } = await run(file, state);
      expect(output).toBe(
        `\nAnother Odin uses ${state}, on port ${running.port}. End it first (Ctrl-C), or choose another folder with ODIN_STATE.\n`,
      );
      expect(code).toBe(1);
      expect(lastPort(readSettings({ ODIN_STATE: state }))).toBe(running.port);
    } finally {
      await running.end();
      rmSync(state, { recursive: true, force: true });
    }
  });

  it("may use another port if the former one now belongs to another program", async () => {
    const state = mkdtempSync(join(tmpdir(), "odin-busy-"));
    const other = await listen();
    try {
      notePort(readSettings({ ODIN_STATE: state, PORT: String(other.port) }));
      const ended = spawnSync(process.execPath, ["--version"]).pid;
      writeFileSync(join(state, "process"), String(ended));
      await requireUnused(readSettings({ ODIN_STATE: state, PORT: "8999" }));
    } finally {
      await other.end();
      rmSync(state, { recursive: true, force: true });
    }
  });

  it("names the setting if the folder cannot be written", async () => {
    const parent = mkdtempSync(join(tmpdir(), "odin-busy-"));
    try {
      writeFileSync(join(parent, "file"), "");
      const { code, output } = await run("start.ts", join(parent, "file"));
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringContaining(`${join(parent, "file")} cannot be written. Check ODIN_STATE: `),
      });
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  });

  // Node's recursive mkdir never returns there.
  it("names the setting if the system refuses the folder", async () => {
    const { code, output } = await run("start.ts", "/proc/odin/state");
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^\n\/proc\/odin\/state cannot be written\. Check ODIN_STATE: \w+: /),
    });
  });

  it("needs three different ports", () => {
    expect(() => readSettings({ PORT: "9000", IDENTITY_PORT: "9000" })).toThrow(
      "PORT, VENDORS_PORT and IDENTITY_PORT must be different, not 9000, 9001 and 9000.",
    );
  });
});

describe("a command that opens the storage of a local installation", () => {
  it.each([
    ["drill.ts", []],
    ["streets/command.ts", ["connecticut", "--from", "planet.pmtiles"]],
  ])("%s does not start while Odin runs, even on a port other than the default", async (file, args) => {
    const state = mkdtempSync(join(tmpdir(), "odin-busy-"));
    const running = await listen();
    try {
      const settings = readSettings({ ODIN_STATE: state, PORT: String(running.port) });
      readSecrets(settings);
      notePort(settings);
      expect(await run(file, state, ...args)).toEqual({
        code: 1,
        output: `Something answers on port ${running.port}. End Odin first (Ctrl-C).\n`,
      });
    } finally {
      await running.end();
      rmSync(state, { recursive: true, force: true });
    }
  });
});
