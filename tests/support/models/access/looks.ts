// Looks at every address: as anyone, with ids of one's own and of others, with sessions from before a change, and with the
// data that Remix serves for a screen.

import { randomToken } from "#app/lib/crypto/primitives.ts";
import { anonymous, bindings, type Client } from "../../../factories.ts";
import { seesGroup } from "../hits.ts";
import { type Asked, ask, named } from "./asks.ts";
import type { Commands } from "./commands.ts";
import { ROUTES, type Route } from "./routes.ts";
import * as model from "./rules.ts";
import { clientOf, type Thing, type World } from "./world.ts";

/** Lists of a group, of its hits, of legal holds and of a user's own searches: a list of all is no look-up of a plate. */
const LISTS =
  /^\/(alerts|alerts-data|alerts\/group\/:id.*|groups\/:id.*|live-alerts|search|searches|investigate|exports.*|legal-holds.*)$/;

/** What a view of something writes, by its address. */
const VIEWS: [RegExp, string][] = [
  [/^\/(api\/alerts\/:id|alert-history-detail\/:id)$/, "alert.view"],
  [/^\/api\/alerts\/:id\/image/, "image.view"],
  [/^\/(results|results\/:id\/(table|columns|sightings\/:row))$/, "result-set.view"],
  [/^\/exports\/:id\/file$/, "export.view"],
  [/^\/get-hotlist-attachment-url/, "attachment.view"],
  [/^\/admin-audit-logs-api$/, "audit.view"],
  [/^\/review(-data|\/:id)$/, "review.view"],
];

/** Returns the address of a route for a thing, or with another id in its place. */
function addressOf({ pattern }: Route, thing: Thing | undefined, n: number): string {
  const id = encodeURIComponent(thing?.id ?? "none");
  const path = pattern
    .replace(":file", id)
    .replace(":kind", n % 2 ? "vehicle" : "plate")
    .replace(":row", "0")
    .replace(/:\w+\*?/g, id);
  const all = thing ? ["", "?limit=3", "?page=1"] : ["", "?limit=3", "?find=QX", "?page=1", "?page=2"];
  if (path === "/results") return `/results?id=${id}`;
  if (path === "/search" || path === "/investigate") return `${path}?${n % 2 ? "again" : "refine"}=${id}`;
  if (pattern.startsWith("/get-hotlist")) return `${path}?plate_id=${thing?.in ?? ""}`;
  if (path === "/rekor/cropped-plate" || path === "/proxy-rekor-image") return `${path}?image_uuid=${id}`;
  if (path.startsWith("/proxy-axon")) return `${path}?url=${id}`;
  if (path === "/proxy-axis-image") return `${path}?path=${id}`;
  if (pattern.endsWith("/new")) return `${path}?latest=0`;
  if (path === "/admin-audit-logs-api") return `${path}?acts=all${n % 3 ? `&agency=${id}` : ""}`;
  if (path === "/audit-log") return `${path}?acts=all&agency=${id}`;
  return `${path}${all[n % all.length]}`;
}

/** Returns whether the rules let a person open a thing at an address: "yes", or as if it did not exist, or either. */
function ruleFor(world: World, viewer: model.Person | null, route: Route, thing: Thing) {
  const { pattern, isScreen } = route;
  if (!viewer || viewer.disabled || !thing.mayOpen(viewer)) return "hidden";
  if (thing.kind === "group") {
    const group = world.is.groups.find(({ id }) => id === thing.id);
    if (!group || (viewer.isService && isScreen)) return "either";
    const edits = /\/(edit|edit-data|columns|import)$/.test(pattern);
    if (edits && !seesGroup(viewer, group, false)) return "hidden";
    if (/\/(image|columns|import)$/.test(pattern) || viewer.isService) return "either";
    if (pattern.endsWith("/removed")) return model.mayManage(viewer, group) ? "yes" : "no";
    return !edits || model.mayEdit(viewer, group) ? "yes" : "no";
  }
  const isWhole =
    /^\/(api\/alerts\/:id|alert-history-detail\/:id|results|results\/:id\/(summary|columns|table))$/;
  return !viewer.isService && isWhole.test(pattern) ? "yes" : "either";
}

/** An answer without what is different in each. */
const bare = ({ status, text, headers }: Asked, id: string) => {
  const body = [headers.get("x-request-id") ?? "-", id, encodeURIComponent(id)].reduce(
    (left, part) => (part ? left.replaceAll(part, "ID") : left),
    text,
  );
  return `${status} ${headers.get("location") ?? ""} ${body.replace(/nonce="[^"]*"/g, "").replace(/nonce-[\w-]+/g, "")}`;
};

export type Viewer = { person: model.Person | null; by: Client | undefined; isStale: boolean };

async function viewerAt(world: World, n: number, stale: boolean): Promise<Viewer> {
  const person = world.is.people[n % (world.is.people.length + 1)] ?? null;
  const former = stale && person ? world.stale.get(person) : undefined;
  const by = former ?? (person ? await clientOf(world, person) : anonymous);
  return { person, by, isStale: former !== undefined };
}

export async function look(world: World, input: Commands["look"]): Promise<void> {
  for (const one of input) await lookOnce(world, one);
}

async function lookOnce(
  world: World,
  { viewer: v, stale, route: r, thing: t, data, n }: Commands["look"][number],
) {
  const route = ROUTES[r % ROUTES.length] as Route;
  const viewer = await viewerAt(world, v, stale);
  const fitting = world.things.filter(({ kind }) => !route.kinds || route.kinds.includes(kind));
  const needsThing = route.kinds !== undefined || route.pattern.includes(":");
  await lookAt(world, viewer, {
    route,
    thing: needsThing ? fitting[t % fitting.length] : undefined,
    data,
    n,
  });
}

type Look = { route: Route; thing: Thing | undefined; data: boolean; n: number };

/** Opens an address as someone, and compares what is answered with the rules. */
export async function lookAt(
  world: World,
  { person, by, isStale }: Viewer,
  { route, thing, data, n }: Look,
): Promise<void> {
  const address = addressOf(route, thing, n);
  const path =
    route.isScreen && data
      ? address.replace(/^([^?]+)/, "$1.data").replace("/.data", "/_root.data")
      : address;
  const asked = await ask(world, person, { path }, { by });
  checkRows(world, { asked, person, route, thing, path });
  if (!thing || !route.kinds || isStale) return;
  const rule = ruleFor(world, person, route, thing);
  const isData = path !== address;
  const fail = (why: string) =>
    new Error(`${why}: ${path} as ${named(person)}: ${asked.status} ${asked.text.slice(0, 400)}`);
  const isOpen = asked.status === 200;
  if (rule === "yes") {
    world.counts.opened++;
    if (!isOpen) throw fail("not opened");
  }
  if (rule === "no" && isOpen) throw fail("opened by someone who may only see it");
  const idOnly =
    /:(id|file)/.test(route.pattern) || route.pattern === "/results" || route.kinds.includes("image");
  if (rule !== "hidden" || !idOnly) return;
  if (isOpen && !isData) throw fail("opened");
  // A searcher is told that their own results, and the images of their reads, were purged.
  const [resultId] = thing.id.split(".");
  if (world.is.results.some(({ id, by: who }) => id === resultId && who === person)) return;
  const unknown = thing.kind === "image" ? thing.id.replace(/^[^.]+/, randomToken()) : randomToken();
  const other = await ask(
    world,
    person,
    { path: path.replaceAll(encodeURIComponent(thing.id), encodeURIComponent(unknown)) },
    { by },
  );
  if (bare(other, unknown) !== bare(asked, thing.id))
    throw fail(`an id of others is not answered as an unknown one (${bare(other, unknown).slice(0, 400)})`);
}

type Seen = {
  asked: Asked;
  person: model.Person | null;
  route: Route;
  thing: Thing | undefined;
  path: string;
};

/** Checks that what was seen, and who was refused, is in the audit log. */
function checkRows(world: World, { asked, person, route, thing, path }: Seen): void {
  const { status, rows, marks } = asked;
  const fail = (why: string) =>
    new Error(`${why}: ${path} as ${named(person)}: ${status} ${JSON.stringify(rows)}`);
  if (status === 403 && person && !person.isService && !rows.some(({ outcome }) => outcome === "refused"))
    throw fail("a refusal without a row");
  if (status !== 200) return;
  const isRefusedData = path.includes(".data") && /SingleFetchFallback|ErrorResponse/.test(asked.text);
  if (isRefusedData) return;
  const action = VIEWS.find(([of]) => of.test(route.pattern))?.[1];
  const result = thing && world.is.results.find(({ id }) => id === thing.id);
  const isEmpty = route.pattern === "/results" && result?.reads.length === 0;
  if (action && !isEmpty) {
    const row = rows.find((one) => one.action === action && one.outcome === "ok");
    const names = ["alert.view", "image.view", "result-set.view", "export.view"].includes(action);
    if (!row || (names && row.object !== thing?.id)) throw fail(`a view without a row ${action}`);
  }
  // The searcher's own words are no read.
  const plates = marks.filter(
    (mark) => world.is.secrets.get(mark)?.kind === "plate" && mark !== result?.plate,
  );
  if (plates.length > 0 && rows.length === 0 && !LISTS.test(route.pattern))
    throw fail(`plates without a row (${plates.join(", ")})`);
}

/** Returns whether the person has a row about an object, of the last ten minutes. */
export async function hasRow(world: World, person: model.Person, object: string): Promise<boolean> {
  const found = await bindings.DB.prepare(
    "SELECT 1 FROM audit_log WHERE user_id = ? AND object = ? AND outcome = 'ok' AND at >= ?",
  )
    .bind(person.id, object, world.is.now - 10 * 60_000)
    .first();
  return found !== null;
}
