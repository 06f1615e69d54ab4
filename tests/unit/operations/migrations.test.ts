import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compareMigrations } from "#app/entities/operations/build.ts";
import { ADDITIVE_FROM } from "../../support/additive.ts";

/** Statements that break an older build. Those in triggers run inside the database and are not checked. */
const DESTRUCTIVE: [what: string, pattern: RegExp][] = [
  ["drops something", /\bdrop\s+(table|column|index|trigger|view)\b/i],
  ["renames something", /\brename\s+(to|column)\b|\balter\s+table\s+\S+\s+rename\b/i],
  [
    "adds a column without a default that must have a value",
    /\badd\s+(?:column\s+)?[`"\w]+\s+\w+(?![^;]*\bdefault\b)[^;]*\bnot\s+null/i,
  ],
  ["rewrites rows", /^\s*(update|delete\s+from|replace\s+into)\b/im],
];

/** Returns what is destructive in a migration. `isOld` says whether a table existed before. */
function destructive(text: string, isOld: (table: string) => boolean): string[] {
  const problems: string[] = [];
  for (const chunk of text.split("--> statement-breakpoint")) {
    const statement = chunk.replace(/^\s*--.*$/gm, "").trim();
    if (/^create\s+trigger/i.test(statement)) continue;
    // SQLite cannot change a trigger, so it is dropped and created again; an older build works with the new one.
    const dropped = /^drop\s+trigger\s+(\w+);?$/i.exec(statement)?.[1];
    if (dropped && new RegExp(`^create\\s+trigger\\s+${dropped}\\s`, "im").test(text)) continue;
    for (const [what, pattern] of DESTRUCTIVE) if (pattern.test(statement)) problems.push(what);
    const unique = /^create\s+unique\s+index\s+\S+\s+on\s+[`"]?(\w+)/i.exec(statement)?.[1];
    if (unique && isOld(unique)) problems.push("makes columns of an existing table unique");
  }
  return problems;
}

const tablesOf = (text: string) =>
  [...text.matchAll(/create\s+table\s+[`"]?(\w+)/gi)].map(([, name = ""]) => name);

function filesOf(kind: "control" | "reads") {
  const folder = `migrations/${kind}`;
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({
    name,
    number: Number(name.slice(0, 4)),
    text: readFileSync(`${folder}/${name}`, "utf8"),
  }));
}

describe.each(["control", "reads"] as const)("the migrations of %s", (kind) => {
  const files = filesOf(kind);

  it("have numbers without gaps", () => {
    expect(files.map(({ number }) => number)).toEqual(files.map((_, index) => index));
  });

  it("are additive from the documented number on, so that a build can be rolled back", () => {
    const tables = new Set<string>();
    const problems: string[] = [];
    for (const { name, number, text } of files) {
      if (number >= ADDITIVE_FROM[kind])
        problems.push(...destructive(text, (table) => tables.has(table)).map((what) => `${name} ${what}`));
      for (const table of tablesOf(text)) tables.add(table);
    }
    expect(problems).toEqual([]);
  });

  it("are documented with that number", () => {
    const first = files.find(({ number }) => number === ADDITIVE_FROM[kind])?.name.slice(0, 4);
    expect(readFileSync("docs/operations.md", "utf8")).toContain(`\`${first}\` (${kind})`);
  });
});

describe("the check of migrations", () => {
  it.each([
    ["DROP TABLE `users`;"],
    ["ALTER TABLE `agencies` DROP COLUMN `name`;"],
    ["CREATE TABLE `x` (`id` text);--> statement-breakpoint\nALTER TABLE `__new_users` RENAME TO `users`;"],
    ["ALTER TABLE `users` RENAME COLUMN `name` TO `full_name`;"],
    ["ALTER TABLE `users` ADD `rank` text NOT NULL;"],
    ["ALTER TABLE users ADD COLUMN rank integer NOT NULL;"],
    ["-- Old states\nUPDATE hotlist_entries SET state = 'CA-ON' WHERE state = 'ON';"],
    ["CREATE UNIQUE INDEX `users_badge` ON `users` (`badge`);"],
    ["DROP TRIGGER audit_log_no_delete;"],
  ])("finds %s", (text) => {
    expect(destructive(text, (table) => table === "users")).toHaveLength(1);
  });

  it.each([
    [
      "CREATE TABLE `badges` (`id` text PRIMARY KEY NOT NULL);--> statement-breakpoint\nCREATE UNIQUE INDEX `b` ON `badges` (`id`);",
    ],
    ["ALTER TABLE `users` ADD `rank` text DEFAULT '' NOT NULL;"],
    ["ALTER TABLE `users` ADD `rank` text NOT NULL DEFAULT '';"],
    ["ALTER TABLE `users` ADD `rank` text;"],
    ["CREATE TRIGGER t AFTER UPDATE ON users BEGIN DELETE FROM badges; END;"],
    ["CREATE INDEX `users_rank` ON `users` (`rank`);"],
  ])("accepts %s", (text) => {
    expect(destructive(text, (table) => table === "users")).toEqual([]);
  });
});

describe("the state of a database's migrations", () => {
  const known = [
    { name: "0000_first", when: 1000 },
    { name: "0001_second", when: 2000 },
  ];

  it.each([
    [{ names: ["0000_first.sql", "0001_second.sql"] }, { applied: 2, pending: [], newer: [] }],
    [{ names: ["0000_first.sql"] }, { applied: 1, pending: ["0001_second"], newer: [] }],
    [{ names: [] }, { applied: 0, pending: ["0000_first", "0001_second"], newer: [] }],
    [
      { names: ["0000_first.sql", "0001_second.sql", "0002_third.sql"] },
      { applied: 3, pending: [], newer: ["0002_third"] },
    ],
    [{ upTo: 1000 }, { applied: 1, pending: ["0001_second"], newer: [] }],
    [{ upTo: 2000 }, { applied: 2, pending: [], newer: [] }],
  ])("of %o is %o", (applied, state) => {
    expect(compareMigrations(known, applied)).toEqual(state);
  });
});
