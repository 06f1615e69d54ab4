// Requests of the model of access. Each answer is searched for marks that the caller may not see, and each row that the
// request wrote to the audit log is compared with the caller.

import { unzipSync } from "fflate";
import { type AuditRow, anonymous, bindings, type Client } from "../../../factories.ts";
import * as model from "./rules.ts";
import { clientOf, type World } from "./world.ts";

export type Asked = {
  status: number;
  /** The body, one character for each byte. */
  text: string;
  marks: string[];
  /** What the request wrote to the audit log. */
  rows: AuditRow[];
  headers: Headers;
};

type Options = {
  /** Another client than the person's current one. */
  by?: Client | undefined;
  /** Marks that may be in the answer besides those that the person may see now. */
  allow?: (mark: string) => boolean;
};

const MARK = /QX[0-9A-Z]{6}/gi;
const LATIN = new TextDecoder("latin1");

const marksIn = (text: string) => [...new Set([...text.matchAll(MARK)].map(([mark]) => mark.toUpperCase()))];

/** Returns a body as text, with what is zipped or written in base64 within it. */
function textsIn(bytes: Uint8Array): string[] {
  const text = LATIN.decode(bytes);
  const encoded = [...text.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].flatMap(([part]) => {
    const whole = part.slice(0, part.length - (part.length % 4));
    try {
      return [atob(whole)];
    } catch {
      return [];
    }
  });
  const files = text.startsWith("PK\u0003\u0004") ? Object.values(unzipSync(bytes)) : [];
  return [text, ...encoded, ...files.map((file) => LATIN.decode(file))];
}

/** Returns the texts of a request's body, with the names of its files. */
function sentText(body: RequestInit["body"]): string {
  if (!(body instanceof FormData)) return body ? String(body) : "";
  return [...body.values()].map((value) => (typeof value === "string" ? value : value.name)).join(" ");
}

const lastRow = async () =>
  (await bindings.DB.prepare("SELECT coalesce(max(seq), 0) AS n FROM audit_log").first<number>("n")) ?? 0;

async function rowsSince(seq: number): Promise<AuditRow[]> {
  const rows = bindings.DB.prepare("SELECT * FROM audit_log WHERE seq > ? ORDER BY seq").bind(seq);
  return (await rows.all<AuditRow>()).results;
}

export const named = (person: model.Person | null) =>
  person
    ? `${person.isService ? "service account" : person.isOwner ? "owner" : person.right}${person.disabled ? ", disabled," : ""} of ${person.agency}`
    : "a visitor";

/** The pages that show an agency's audit log, or what was found in it. */
const isLog = (path: string) => /^\/(audit-log|admin-audit-logs-api|review)/.test(path);

const agencyIdOf = (world: World, person: model.Person) =>
  world.agencies[person.agency]?.id ?? world.accounts.get(person)?.agencyId ?? "";

/** Sends a request and checks its answer and its audit rows. */
export async function ask(
  world: World,
  person: model.Person | null,
  { path, init = {} }: { path: string; init?: RequestInit },
  { by, allow = () => false }: Options = {},
): Promise<Asked> {
  const { is, counts } = world;
  const who = by ?? (person ? await clientOf(world, person) : anonymous);
  const before = await lastRow();
  const answer = await who.fetch(path, init);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const texts = textsIn(bytes);
  const what = `${init.method ?? "GET"} ${path} as ${named(person)}: ${answer.status}`;
  const sent = new Set(marksIn(`${path} ${sentText(init.body)}`));
  const known = person && !person.disabled ? is.known[person.agency] : undefined;
  const marks = marksIn(texts.join("\n")).filter((mark) => is.secrets.has(mark));
  for (const mark of marks) {
    const secret = is.secrets.get(mark);
    const may =
      person &&
      (sent.has(mark) ||
        allow(mark) ||
        secret?.mayKnow(person) ||
        (isLog(path) && model.mayKnowFromLog(is, person, mark)));
    if (!may) throw new Error(`a leak of ${secret?.what} (${mark}): ${what}\n${around(texts, mark)}`);
  }
  for (const mark of [...sent, ...marks]) known?.add(mark);
  const rows = await rowsSince(before);
  for (const row of rows) {
    const isOwn = row.user_id === (person?.id ?? "");
    const isOfAgency = row.agency_id === (person ? agencyIdOf(world, person) : "");
    if (!isOwn || !isOfAgency) throw new Error(`a row of someone else: ${what}\n${JSON.stringify(row)}`);
  }
  counts.asked++;
  counts.rows += rows.length;
  counts.marks += marks.length;
  return { status: answer.status, text: texts[0] ?? "", marks, rows, headers: answer.headers };
}

function around(texts: string[], mark: string): string {
  const text = texts.find((one) => one.toUpperCase().includes(mark)) ?? "";
  const at = text.toUpperCase().indexOf(mark);
  return text.slice(Math.max(0, at - 300), at + 100);
}

/** Tables that change without an act of the caller: caches, counters, and what queues work on. */
const PASSING_TABLES = new Set([
  ...["audit_log", "audit_chain", "audit_checkpoints", "sign_in_attempts", "figure_counts", "axon_tokens"],
  ...["integration_health", "deliveries", "outgoing_deliveries", "addresses", "geocoder_turns"],
]);
const PASSING_COLUMNS = new Set(["last_seen_at", "last_used_at", "last_used_ip", "fanned_out_at"]);

/** Returns the rows of all tables that only acts of users change. */
async function stateNow(): Promise<string> {
  const { results } = await bindings.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name NOT LIKE '~_cf%' ESCAPE '~' AND name NOT LIKE 'd1~_%' ESCAPE '~'",
  ).all<{ name: string }>();
  const tables = results.map(({ name }) => name).filter((name) => !PASSING_TABLES.has(name));
  const dumps = await bindings.DB.batch(tables.map((name) => bindings.DB.prepare(`SELECT * FROM "${name}"`)));
  return JSON.stringify(
    dumps.map((dump, i) => [tables[i], dump.results]),
    (key, value) => (PASSING_COLUMNS.has(key) ? 0 : value),
  );
}

type Attempt = {
  path: string;
  init: RequestInit;
  /** Whether the rules allow it. */
  allowed: boolean;
  /** The action of its audit row. */
  action: string;
};

/**
 * Tries a change. If the rules allow it, it must succeed and have a row of its action; otherwise it must be refused with a
 * row that says so, and nothing may change.
 */
export async function attempt(
  world: World,
  person: model.Person,
  { path, init, allowed, action }: Attempt,
  options: Options = {},
): Promise<Asked> {
  // Signing in is a change of its own.
  const by = options.by ?? (await clientOf(world, person));
  const before = allowed ? "" : await stateNow();
  const asked = await ask(world, person, { path, init }, { ...options, by });
  const { status, text, rows } = asked;
  const fail = (why: string) =>
    new Error(
      `${why}: ${init.method} ${path} as ${named(person)}: ${status} ${text.slice(0, 300)}\n${JSON.stringify(rows)}`,
    );
  if (allowed) {
    world.counts.changes++;
    if (status !== 200) throw fail("refused");
    if (!rows.some((row) => row.action === action && row.outcome === "ok")) throw fail(`no row ${action}`);
    return asked;
  }
  world.counts.refused++;
  if (status < 400 || status >= 500) throw fail("not refused");
  if (rows.some(({ outcome }) => outcome === "ok"))
    throw fail("a row of a refused call says that it succeeded");
  const isAudited = rows.some(({ outcome }) => outcome === "refused");
  // Without a session there is no user. A service account's refusals are logged once in ten minutes.
  if (!isAudited && status !== 401 && !person.isService) throw fail("a refusal without a row");
  if ((await stateNow()) !== before) throw fail("a refused call changed something");
  return asked;
}
