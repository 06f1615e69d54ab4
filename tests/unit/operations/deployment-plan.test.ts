import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { REQUIRED_SECRETS } from "#app/entities/operations/deployment.ts";
import { CRONS as JOB_CRONS } from "#app/entities/operations/health.ts";
import { WranglerError } from "../../../workers/local/deployment/ask.ts";
import { configProblems, type DeploymentConfig } from "../../../workers/local/deployment/check.ts";
import { deploy } from "../../../workers/local/deployment/deploy.ts";
import { commandsOf, describePlan } from "../../../workers/local/deployment/plan.ts";
import { SECRETS } from "../../../workers/local/deployment/secrets.ts";

const TOML = readFileSync("wrangler.toml", "utf8");
const config: DeploymentConfig = readConfig({ config: "wrangler.toml" });
const CRONS = config.triggers.crons ?? [];

/** Returns the values of a key in wrangler.toml, as the file has them. */
const valuesOf = (key: string) =>
  [...TOML.matchAll(new RegExp(`^${key} = "([^"]+)"`, "gm"))].map(([, value = ""]) => value);

describe("npm run deploy -- --dry-run", () => {
  const printed = execFileSync(process.execPath, ["workers/local/deploy.ts", "--dry-run"], {
    encoding: "utf8",
  });
  const lines = printed.split("\n").map((line) => line.trim());

  it("lists everything in wrangler.toml and the use of each secret", () => {
    for (const name of [...valuesOf("database_name"), ...valuesOf("bucket_name")])
      expect(lines.filter((line) => line.includes(` ${name}`) && line.includes(": ")).length, name).toBe(1);
    const queues = new Set([...valuesOf("queue"), ...valuesOf("dead_letter_queue")]);
    expect(queues.size).toBeGreaterThan(4);
    for (const queue of queues)
      expect(
        lines.some((line) => line.split(/[ ,]/)[0] === queue),
        queue,
      ).toBe(true);
    for (const cron of CRONS) expect(lines).toContain(cron);
    expect(CRONS).toEqual(Object.values(JOB_CRONS).flat());
    expect(printed).toContain("BROWSER: draws");
    for (const { name, isRequired, purpose } of SECRETS)
      expect(printed).toContain(`${name} (${isRequired ? "required" : "optional"}): ${purpose}`);
  });

  it("gives each message of a long job an invocation of its own, because D1 counts its queries", () => {
    const consumers: { queue: string; max_batch_size?: number }[] =
      readConfig({ config: "wrangler.toml" }).queues.consumers ?? [];
    const sizeOf = (name: string) => consumers.find(({ queue }) => queue === name)?.max_batch_size;
    expect(["odin-jobs", "odin-exports"].map(sizeOf)).toEqual([1, 1]);
  });

  it("prints the commands in the order of a deployment: create, secrets, build, migrate, deploy", () => {
    const typed = lines
      .filter((line) => line.startsWith("npx ") || line.startsWith("npm "))
      .map((line) => line.split("    #")[0]);
    expect(typed).toEqual([
      ...valuesOf("database_name").map((name) => `npx wrangler d1 create ${name} --jurisdiction us`),
      ...valuesOf("bucket_name").flatMap((name) => [
        `npx wrangler r2 bucket create ${name} --jurisdiction us`,
        ...(name === "odin-audits"
          ? [
              "npx wrangler r2 bucket lock add odin-audits heads audit-heads/ --retention-days 730 --force --jurisdiction us",
              "npx wrangler r2 bucket lock add odin-audits checkpoints audit-checkpoints/ --retention-days 365 --force --jurisdiction us",
              "npx wrangler r2 bucket lock add odin-audits archived-358-days audit-segments/ --retention-days 358 --force --jurisdiction us",
            ]
          : []),
      ]),
      ...[...new Set([...valuesOf("queue"), ...valuesOf("dead_letter_queue")])]
        .toSorted()
        .map((name) => `npx wrangler queues create ${name}`),
      ...REQUIRED_SECRETS.map((name) => `npx wrangler secret put ${name}`),
      "npm run build",
      ...["DB", "READS_0", "READS_1", "READS_2", "READS_3"].map(
        (binding) => `npx wrangler d1 migrations apply ${binding} --remote`,
      ),
      "npx wrangler deploy",
    ]);
  });

  it("lists what is missing, or states that nothing is missing", () => {
    expect(printed).toContain("DB: database_id is a placeholder.");
    expect(printed).toContain("PUBLIC_ORIGIN is not set");
    expect(printed).toContain("No address leads to the Worker");
    expect(describePlan(config, [])).toContain("Nothing is missing in wrangler.toml");
  });
});

describe("the secrets", () => {
  it("are those that the Worker reads and the documentation lists", () => {
    const context = readFileSync("app/context.ts", "utf8");
    const documented = readFileSync("docs/operations.md", "utf8");
    for (const { name } of SECRETS) {
      expect(context).toContain(`env.${name}`);
      expect(documented).toContain(`\`${name}\``);
      expect(TOML).not.toMatch(new RegExp(`^${name} =`, "m"));
    }
    expect(SECRETS.flatMap(({ name, isRequired }) => (isRequired ? [name] : []))).toEqual(REQUIRED_SECRETS);
  });
});

const ID = "11111111-2222-4333-8444-";

/** Returns a simulated account with the resources in `has`, which records the commands it receives. */
function newAccount({
  has = [],
  answers = true,
  fails = "",
  printed = {},
  hasTerminal = true,
}: {
  has?: string[];
  answers?: boolean;
  fails?: string;
  /** What wrangler prints instead, by the beginning of a question; undefined if it fails. */
  printed?: Record<string, string | undefined>;
  hasTerminal?: boolean;
}) {
  const there = new Set(has);
  const ids = new Map<string, string>();
  const ran: string[] = [];
  const asked: string[] = [];
  const said: string[] = [];
  let toml = TOML.replace('PUBLIC_ORIGIN = ""', 'PUBLIC_ORIGIN = "https://odin.example.gov"');
  const idOf = (name: string) => {
    if (!ids.has(name)) ids.set(name, `${ID}${String(ids.size).padStart(12, "0")}`);
    return ids.get(name);
  };
  /** The configuration with the ids and jurisdictions that the text has. */
  function readText(): DeploymentConfig {
    const value = (name: string, key: string) =>
      new RegExp(`_name = "${name}"\\n${key} = "([^"]+)"`).exec(toml)?.[1];
    return {
      ...config,
      d1_databases: config.d1_databases.map((one) => ({
        ...one,
        database_id: value(one.database_name ?? "", "database_id"),
      })),
      r2_buckets: config.r2_buckets.map((one) => ({
        ...one,
        jurisdiction: value(String(one.bucket_name), "jurisdiction"),
      })),
      vars: { ...config.vars, PUBLIC_ORIGIN: "https://odin.example.gov" },
    };
  }
  const deployment = {
    readConfig: readText,
    editConfig: (edit: (text: string) => string) => {
      toml = edit(toml);
    },
    crons: CRONS,
    hasTerminal,
    ask: async (...words: string[]) => {
      const [area, verb, third = "", fourth = ""] = words;
      for (const [start, text] of Object.entries(printed)) {
        if (!words.join(" ").startsWith(start)) continue;
        if (text === undefined) throw new WranglerError(words, "failed", "fetch failed");
        return text;
      }
      if (area === "whoami") return there.has("account") ? "you" : null;
      if (area === "secret")
        return JSON.stringify(REQUIRED_SECRETS.filter((name) => there.has(name)).map((name) => ({ name })));
      const databases = config.d1_databases.map(({ database_name = "" }) => database_name);
      const existing = databases
        .filter((name) => there.has(name))
        .map((name) => ({ name, uuid: idOf(name) }));
      if (area === "d1" && verb === "list") return JSON.stringify(existing);
      if (area === "d1") {
        // wrangler looks for the id that wrangler.toml has for this name, also if it is a placeholder.
        const { database_id } = readText().d1_databases.find((one) => one.database_name === third) ?? {};
        const found = existing.find(({ uuid }) => uuid === database_id);
        return found ? JSON.stringify({ ...found, jurisdiction: "us" }) : null;
      }
      if (area === "queues") return there.has(third) ? third : null;
      if (third === "lock")
        return [...there]
          .filter((name) => ["heads", "checkpoints", "segments", "archived-358-days"].includes(name))
          .join("\n");
      return verb === "bucket" && there.has(fourth) ? JSON.stringify({ name: fourth }) : null;
    },
    run: async ({ words }: { words: string[] }) => {
      const line = words.join(" ");
      ran.push(line);
      if (fails !== "" && line.includes(fails)) return null;
      // npx wrangler r2 bucket create NAME, … r2 bucket lock add BUCKET NAME, … d1 create NAME, … secret put NAME
      const isDatabase = words[2] === "d1";
      const name = (words[2] === "r2" ? words[words[4] === "create" ? 5 : 7] : words[4]) ?? "";
      there.add(name);
      return isDatabase ? `database_id = "${idOf(name)}"` : "";
    },
    confirm: async (question: string) => {
      asked.push(question);
      return answers;
    },
    say: (text: string) => {
      said.push(text);
    },
  };
  return { deployment, ran, asked, said, there, toml: () => toml };
}

describe("npm run deploy", () => {
  it("adds the longer lock of archived rows to an installation that has the former one", async () => {
    const { deployment, ran, there } = newAccount({ has: ["account"] });
    expect(await deploy(deployment)).toBe(true);
    ran.length = 0;
    there.delete("archived-358-days");
    there.add("segments");
    expect(await deploy(deployment)).toBe(true);
    expect(ran.filter((line) => / lock add /.test(line))).toEqual([
      "npx wrangler r2 bucket lock add odin-audits archived-358-days audit-segments/ --retention-days 358 --force --jurisdiction us",
    ]);
  });

  it("creates the missing resources in an empty account, writes their ids, and deploys", async () => {
    const { deployment, ran, asked, said, toml } = newAccount({ has: ["account"] });
    expect(await deploy(deployment)).toBe(true);
    const order = [/ create /, /secret put/, /npm run build/, /migrations apply/, /wrangler deploy$/];
    const places = order.map((what) => ran.findIndex((line) => what.test(line)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(ran).toHaveLength(commandsOf(config).length);
    expect(asked).toHaveLength(3);
    expect(toml()).not.toContain("00000000-0000");
    expect(toml().match(/^jurisdiction = "us"$/gm)).toHaveLength(config.r2_buckets.length);
    expect(configProblems(deployment.readConfig(), CRONS)).toEqual([]);
    // A second time, nothing is created again.
    ran.length = 0;
    expect(await deploy(deployment)).toBe(true);
    expect(ran.filter((line) => / create | add |secret/.test(line))).toEqual([]);
    expect(ran.at(-1)).toBe("npx wrangler deploy");
    expect(said.at(-1)).toMatch(/^No address leads to the Worker/);
  });

  it.each<[string, Parameters<typeof newAccount>[0], RegExp | undefined]>([
    ["no one is signed in", {}, undefined],
    ["the operator declines", { has: ["account"], answers: false }, undefined],
    ["a database cannot be created", { has: ["account"], fails: "odin-reads-1" }, /odin-reads-1/],
    ["a migration fails", { has: ["account"], fails: "apply READS_2" }, /apply READS_2/],
  ])("stops if %s", async (_, account, last) => {
    const { deployment, ran } = newAccount(account);
    expect(await deploy(deployment)).toBe(false);
    expect(ran).not.toContain("npx wrangler deploy");
    if (last) expect(ran.at(-1)).toMatch(last);
    else expect(ran).toEqual([]);
  });

  it.each(["whoami", "d1 ", "r2 bucket info", "r2 bucket lock", "queues", "secret list"])(
    "stops with wrangler's text if %s fails, and creates and overwrites nothing",
    async (question) => {
      const { deployment, there } = newAccount({ has: ["account"] });
      expect(await deploy(deployment)).toBe(true);
      const again = newAccount({ has: [...there], printed: { [question]: undefined } });
      expect(await deploy(again.deployment)).toBe(false);
      expect(again.ran).toEqual([]);
      expect(again.said.join("\n")).toContain("failed:\nfetch failed");
    },
  );

  it("overwrites no secret if the list of secrets cannot be read", async () => {
    const { deployment, ran, said } = newAccount({ has: ["account"], printed: { "secret list": "Oops" } });
    expect(await deploy(deployment)).toBe(false);
    expect(ran.filter((line) => line.includes("secret"))).toEqual([]);
    expect(said.join("\n")).toContain("Oops");
  });

  it("asks for no secret without a terminal, where wrangler would set an empty one, and names the commands", async () => {
    const has = ["account", "PASSWORD_PEPPER"];
    const { deployment, ran, said } = newAccount({ has, hasTerminal: false });
    expect(await deploy(deployment)).toBe(false);
    expect(ran.filter((line) => line.includes("secret"))).toEqual([]);
    const text = said.join("\n");
    expect(text).toContain("npx wrangler secret put SEALING_KEYS");
    expect(text).toContain("npx wrangler secret put EXPORT_SIGNING_KEYS");
    expect(text).not.toContain("PASSWORD_PEPPER");
    // With every secret set, no terminal is needed.
    const ready = newAccount({ has: ["account", ...REQUIRED_SECRETS], hasTerminal: false });
    expect(await deploy(ready.deployment)).toBe(true);
  });

  it("continues in a new checkout: writes the ids and jurisdictions of what exists, and creates nothing twice", async () => {
    const first = newAccount({ has: ["account"] });
    expect(await deploy(first.deployment)).toBe(true);
    const { deployment, ran, toml } = newAccount({ has: [...first.there] });
    expect(toml()).toContain("00000000-0000");
    expect(await deploy(deployment)).toBe(true);
    expect(ran.filter((line) => / create | add |secret/.test(line))).toEqual([]);
    expect(toml()).toBe(first.toml());
  });

  it("continues if it stopped after it had created a store, before wrangler.toml was written", async () => {
    const { deployment, ran, toml } = newAccount({ has: ["account"] });
    const { editConfig } = deployment;
    let stopAt: string | undefined;
    deployment.editConfig = (edit) => {
      if (stopAt === undefined || !ran.at(-1)?.includes(stopAt)) return editConfig(edit);
      stopAt = undefined;
      throw new Error("stopped");
    };
    for (const store of ["create odin-reads-1", "create odin-keys"]) {
      stopAt = store;
      await expect(deploy(deployment)).rejects.toThrow("stopped");
      expect(ran.at(-1)).toContain(store);
    }
    expect(await deploy(deployment)).toBe(true);
    expect(new Set(ran).size).toBe(ran.length);
    expect(configProblems(deployment.readConfig(), CRONS)).toEqual([]);
    expect(toml().match(/^jurisdiction = "us"$/gm)).toHaveLength(config.r2_buckets.length);
  });

  it("leaves an id that the operator wrote, and stops if it is not that of the database", async () => {
    const first = newAccount({ has: ["account"] });
    expect(await deploy(first.deployment)).toBe(true);
    const { deployment, ran, said, toml } = newAccount({ has: [...first.there] });
    const other = "99999999-2222-4333-8444-000000000000";
    deployment.editConfig((text) => text.replace("00000000-0000-0000-0000-000000000011", other));
    expect(await deploy(deployment)).toBe(false);
    expect(toml()).toContain(other);
    expect(ran).toEqual([]);
    expect(said.join("\n")).toContain(`READS_1: there is no database odin-reads-1 with the id ${other}`);
  });
});
