import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

/** The floors that each floor of app/ and workers/ may import in addition to itself. */
const FLOORS: Record<string, string[]> = {
  lib: [],
  entities: ["lib"],
  components: ["entities", "lib"],
  store: ["entities", "lib"],
  providers: ["entities", "lib"],
  context: ["store", "providers", "entities", "lib"],
  domain: ["context", "store", "providers/provider.ts", "entities", "lib"],
  http: [
    "domain/accounts/sign-in.ts",
    "domain/accounts/second-factor.ts",
    "domain/accounts/scim-token.ts",
    "domain/accounts/service-token.ts",
    "domain/accounts/single-sign-on.ts",
    "domain/accounts/sign-on-logout.ts",
    "context",
    "entities",
    "lib",
  ],
  routes: ["http", "domain", "components", "entities", "lib"],
  // Remix requires the document shell and its two entry files in app/ itself.
  shell: ["http", "components", "entities", "lib"],
  // workers/app.ts is the HTTP entry point: it creates the load context and completes every response.
  workers: [
    "http/incoming.ts",
    "http/load-context.ts",
    "http/responses.ts",
    "context",
    "domain",
    "entities",
    "lib",
  ],
  // A separate Worker that shares only vocabulary and general tools with the product.
  vendors: ["entities", "lib"],
  // Scripts for the operator's machine; the demo plan derives credentials as the simulated vendors do.
  local: ["context", "domain", "entities", "lib", "vendors"],
};

/** The rooms, with the same names on every floor. */
const ROOMS = [
  "search",
  "ingest",
  "archive",
  "alerts",
  "hotlists",
  "exports",
  "accounts",
  "users",
  "integrations",
  "oversight",
  "operations",
];

/** The floors that are divided into rooms, and the other folders that each may have. */
const ROOMED: Record<string, string[]> = {
  "app/domain": [],
  "app/store": ["schema"],
  "app/entities": [],
  "app/components": ["ui", "map", "forms", "shell"],
  "app/routes/screens": [],
  "tests/unit": ["lib", "providers"],
  "tests/worker": [],
  "tests/e2e": ["pictures"],
};

const FILES_PER_FOLDER = 25;

type File = { path: string; floor: string; text: string; imports: { to: string; typeOnly: boolean }[] };

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/** Returns a folder of the project and all folders below it. */
function foldersOf(folder: string): string[] {
  return [
    folder,
    ...readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => foldersOf(join(folder, entry.name))),
  ];
}

function floorOf(path: string): string {
  if (path === "app/context.ts") return "context";
  if (path.startsWith("workers/vendors/")) return "vendors";
  if (path.startsWith("workers/local/")) return "local";
  if (path.startsWith("workers/")) return "workers";
  if (path === "app/routes.ts") return "routes";
  const [, folder, rest] = path.split("/");
  return rest === undefined ? "shell" : (folder as string);
}

/** Returns the project files that a text imports, without packages, styles, assets and build output. */
function importsOf(path: string, text: string): File["imports"] {
  const statements = [
    ...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm),
    ...text.matchAll(/()\bimport\(\s*"([^"]+)"\s*\)/g),
  ];
  return statements.flatMap(([, typeOnly, from]) => {
    const to = from as string;
    if (to.includes("?") || to.includes("/build/")) return [];
    if (to.startsWith("#app/")) return [{ to: `app/${to.slice(5)}`, typeOnly: Boolean(typeOnly) }];
    if (to.startsWith("."))
      return [{ to: relative(ROOT, resolve(ROOT, dirname(path), to)), typeOnly: Boolean(typeOnly) }];
    return [];
  });
}

const files: File[] = ["app", "workers"]
  .flatMap((folder) => walk(join(ROOT, folder)))
  .map((absolute) => {
    const path = relative(ROOT, absolute);
    const text = readFileSync(absolute, "utf8");
    return { path, floor: floorOf(path), text, imports: importsOf(path, text) };
  });

/** Counts lines without blank lines, comments and imports. */
function linesOfCode(text: string): number {
  const code = text.replace(/^import\s[^;]*;$/gm, "");
  return code.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length;
}

const LINES_INLINE = 10;
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE)\b/;

/** Returns the templates with SQL of more than LINES_INLINE lines that have no name and comment of their own. */
function longInlineSql({ path, text }: File): string[] {
  if (!SQL.test(text)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      const isLong = node.getText().split("\n").length > LINES_INLINE;
      const isSql = SQL.test(node.getText());
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (isLong && isSql && !hasPlan(namedBy(node))) found.push(`${path}:${line}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the constant or function whose value a template is; undefined if the template is an argument or a part. */
function namedBy(node: ts.Node): ts.Node | undefined {
  const { parent } = node;
  if (ts.isVariableStatement(parent) || ts.isFunctionDeclaration(parent)) return parent;
  const isRaw = ts.isCallExpression(parent) && parent.expression.getText() === "sql.raw";
  const passesOn =
    ts.isTaggedTemplateExpression(parent) ||
    ts.isArrowFunction(parent) ||
    ts.isVariableDeclaration(parent) ||
    ts.isVariableDeclarationList(parent) ||
    ts.isReturnStatement(parent) ||
    ts.isBlock(parent);
  return isRaw || passesOn ? namedBy(parent) : undefined;
}

function hasPlan(named: ts.Node | undefined): boolean {
  if (!named) return false;
  const { text } = named.getSourceFile();
  const comments = ts.getLeadingCommentRanges(text, named.pos) ?? [];
  const words = comments.map(({ pos, end }) => text.slice(pos, end).replace(/[\s*/]+/g, " "));
  return words.join("").includes("Query plan:");
}

const byPath = new Map(files.map((file) => [file.path, file]));

function allowed(from: string, path: string): boolean {
  const floor = floorOf(path);
  if (floor === from) return true;
  return (FLOORS[from] ?? []).some((name) => name === floor || `app/${name}` === path);
}

describe("the floors", () => {
  it("cover every file, and every import resolves to a file", () => {
    expect(files.length).toBeGreaterThan(100);
    for (const { path, floor, imports } of files) {
      expect(FLOORS, path).toHaveProperty(floor);
      for (const { to } of imports)
        expect(byPath.has(to) || !/\.tsx?$/.test(to), `${path} imports ${to}`).toBe(true);
    }
  });

  it("never import upwards", () => {
    const wrong = files.flatMap(({ path, floor, imports }) =>
      imports.filter(({ to }) => byPath.has(to) && !allowed(floor, to)).map(({ to }) => `${path} -> ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("import each other through the alias, and only their own folder by a relative path", () => {
    const wrong = files.flatMap(({ path, text }) =>
      [...text.matchAll(/from\s+"(\.\.\/[^"]+)"/g)]
        .map(([, to]) => to as string)
        .filter((to) => path.startsWith("app/") && !to.includes("?"))
        .map((to) => `${path} -> ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("have no cycle", () => {
    const state = new Map<string, "open" | "done">();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]) => {
      if (state.get(path) === "done") return;
      if (state.get(path) === "open") {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
        return;
      }
      state.set(path, "open");
      // Type imports do not exist at run time.
      for (const { to, typeOnly } of byPath.get(path)?.imports ?? [])
        if (!typeOnly && byPath.has(to)) visit(to, [...trail, path]);
      state.set(path, "done");
    };
    for (const { path } of files) visit(path, []);
    expect(cycles).toEqual([]);
  });

  it("import no Node.js modules, except for password hashing and the log's request id", () => {
    const wrong = files
      .filter(({ path }) => path.startsWith("app/"))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/from "(node:[^"]+)"/g)].map(([, name]) => `${path} ${name}`),
      );
    expect(wrong).toEqual(["app/lib/crypto/passwords.ts node:crypto", "app/lib/log.ts node:async_hooks"]);
  });
});

describe("the rooms", () => {
  const folders = ["app", "workers", "tests"].flatMap((folder) => foldersOf(folder));

  it("have the same names on every floor", () => {
    const strange = Object.entries(ROOMED).flatMap(([floor, extra]) =>
      readdirSync(join(ROOT, floor), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && ![...ROOMS, ...extra].includes(entry.name))
        .map((entry) => `${floor}/${entry.name}`),
    );
    expect(strange).toEqual([]);
  });

  it(`have at most ${FILES_PER_FOLDER} files per folder`, () => {
    const full = folders
      .map((folder) => ({
        folder,
        count: readdirSync(join(ROOT, folder), { withFileTypes: true }).filter((entry) => entry.isFile())
          .length,
      }))
      .filter(({ count }) => count > FILES_PER_FOLDER)
      .map(({ folder, count }) => `${folder}: ${count}`);
    expect(full).toEqual([]);
  });

  it("are not repeated in the names of their files", () => {
    const repeated = folders
      .filter((folder) => ROOMS.includes(basename(folder)))
      .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)))
      .filter((path) => {
        const room = basename(dirname(path));
        const words = basename(path).replace(/\..*/, "").split("-");
        return words.includes(room) || words.includes(room.replace(/s$/, ""));
      });
    expect(repeated).toEqual([]);
  });
});

describe("the domain", () => {
  it("does not use HTTP: no requests, responses, headers or forms", () => {
    const found = files
      .filter(({ floor }) => floor === "domain")
      .flatMap(({ path, text }) =>
        [
          ...text
            .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
            .matchAll(/\b(?:Request|Response|Headers|FormData)\b/g),
        ].map(([word]) => `${path}: ${word}`),
      );
    expect(found).toEqual([]);
  });
});

describe("every file", () => {
  it("has at most 300 lines of code", () => {
    // The route table has one line per URL.
    const coded = files.filter(({ path }) => path !== "app/routes.ts");
    const long = coded
      .map(({ path, text }) => ({ path, lines: linesOfCode(text) }))
      .filter(({ lines }) => lines > 300)
      .map(({ path, lines }) => `${path}: ${lines}`);
    expect(long).toEqual([]);
  });

  it("is named in kebab-case", () => {
    const odd = files
      .map(({ path }) => path)
      .filter((path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.client|\.server|\.d)?\.tsx?$/.test(basename(path)));
    const remix = ["app/entry.client.tsx", "app/entry.server.tsx"];
    expect(odd.filter((path) => !remix.includes(path))).toEqual([]);
  });

  it("has no browser dialogs, unfinished work, raw HTML, machine paths or unchecked types", () => {
    const banned: [RegExp, string][] = [
      [/\bwindow\.(?:alert|confirm|prompt)\(|(?<![\w.>])alert\(/, "a browser dialog"],
      [/\b(?:TODO|FIXME|XXX)\b/, "unfinished work"],
      [/dangerouslySetInnerHTML|\.innerHTML\s*=/, "raw HTML"],
      [/["'`](?:\/tmp|\/root|\/home|\/work)\b/, "a machine path"],
      [/\bas any\b|: any\b|@ts-ignore/, "an unchecked type"],
    ];
    const found = files.flatMap(({ path, text }) =>
      banned.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${path}: ${what}`),
    );
    expect(found).toEqual([]);
  });

  it("has no cast through unknown, except for types that the platform lacks in app/lib", () => {
    const cast = files
      .filter(({ path, text }) => !path.startsWith("app/lib/") && /\bas unknown as\b/.test(text))
      .map(({ path }) => path);
    expect(cast).toEqual([]);
  });

  it("of domain, store, providers and http starts with a comment", () => {
    const bare = files
      .filter(({ path }) => /^app\/(domain|store|providers|http)\//.test(path))
      .filter(({ text }) => !/^(\/\/|\/\*\*)/.test(text))
      .map(({ path }) => path);
    expect(bare).toEqual([]);
  });
});

describe("the store", () => {
  it(`names statements of more than ${LINES_INLINE} lines, with a comment on the query plan`, () => {
    const inline = files.filter(({ path }) => path.startsWith("app/store/")).flatMap(longInlineSql);
    expect(inline).toEqual([]);
  });

  it("is the only floor that runs SQL or sends jobs", () => {
    const elsewhere = files
      .filter(({ path }) => path.startsWith("app/") && !path.startsWith("app/store/"))
      .filter(({ text }) => /from "drizzle-orm|\.prepare\(|\.jobs\.send\(|\.exec\("/.test(text))
      .map(({ path }) => path);
    expect(elsewhere).toEqual([]);
  });
});
