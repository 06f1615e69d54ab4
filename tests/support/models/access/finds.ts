// Searches, exports and look-ups: what they find is the caller's alone, and each is in the audit log with its plate, its
// case and its reason.

import { at } from "#app/lib/at.ts";
import { DAY, HOUR, isoTime } from "#app/lib/time/dates.ts";
import { jsonInit, type Row } from "../../../factories.ts";
import { seesGroup } from "../hits.ts";
import { type Asked, ask, attempt, named } from "./asks.ts";
import type { Commands } from "./commands.ts";
import { groupAt, noteGroup } from "./groups.ts";
import { hasRow } from "./looks.ts";
import * as model from "./rules.ts";
import { clientOf, type World } from "./world.ts";

/** How long an agency keeps results, unless it chooses otherwise. */
const KEPT_MS = HOUR;

const peopleOf = ({ is }: World) => is.people.filter(({ disabled, isService }) => !disabled && !isService);
const personAt = (world: World, n: number) => at(peopleOf(world), n % peopleOf(world).length);

const problem = (why: string, who: model.Person, { status, rows, text }: Asked) =>
  new Error(`${why} as ${named(who)}: ${status} ${text.slice(0, 300)} ${JSON.stringify(rows)}`);

/** Searches the cameras of agencies, perhaps through the service account for a person. */
export async function search(world: World, input: Commands["search"]): Promise<void> {
  const { is } = world;
  const who = personAt(world, input.by);
  const service = world.services.find(
    ({ person }) => person.agency === who.agency && !person.disabled,
  )?.person;
  const isServed = input.forPerson !== undefined && input.forPerson % 3 === 0 && service !== undefined;
  const plates = [...world.plates.keys()];
  const plate = input.plate === undefined ? "" : (plates[input.plate % plates.length] ?? "");
  const allowed = input.agencies.every((owner) => model.maySearch(is, "Axis", owner, who.agency));
  const own = (viewer: model.Person) => viewer === who && !viewer.disabled;
  const [reason, number] = [
    world.secret("the reason of a search", own),
    world.secret("the case of a search", own),
  ];
  const body = {
    ...{ plate, justification: `Stolen vehicle ${reason}`, case_number: `26-${number}` },
    ...{ start_time: isoTime(is.now - DAY), end_time: isoTime(is.now) },
    agencies: input.agencies.map((owner) => at(world.agencies, owner).id),
    ...(isServed && { on_behalf_of: world.accounts.get(who)?.username }),
  };
  // Reads of the agencies that were asked, and no others.
  const allow = (mark: string) => {
    const reads = world.plates.get(mark)?.reads ?? [];
    const camera = world.axis.findIndex(({ name }) => name.includes(mark));
    const isAsked = (owner: number) => allowed && input.agencies.includes(owner);
    return camera >= 0
      ? isAsked(camera)
      : reads.some(({ owner, program }) => program === "Axis" && isAsked(owner));
  };
  const by = isServed && service ? await clientOf(world, service) : await clientOf(world, who);
  const request = { path: "/search-data", init: jsonInit(body), allowed, action: "search" };
  const asked = await attempt(world, who, request, { by, allow });
  if (!allowed) return;
  const row = asked.rows.find(({ action }) => action === "search");
  const detail = JSON.parse(row?.detail ?? "{}");
  const isRight =
    row?.plate === plate &&
    row.case_number === body.case_number &&
    detail.query?.justification === body.justification &&
    detail.service_account?.id === (isServed ? service?.id : undefined);
  if (!isRight) throw problem("the row of a search says something else", who, asked);
  const rows = JSON.parse(asked.text) as Row[];
  const owners = new Set(rows.map(({ agency }) => world.agencies.findIndex(({ name }) => name === agency)));
  const id = asked.headers.get("odin-result-id") ?? "";
  const result: model.Result = {
    ...{
      id,
      by: who,
      plate,
      service: isServed ? (service?.mark ?? "") : "",
      until: is.now + KEPT_MS,
      owners,
      marks: new Set(asked.marks),
    },
    ...{ reads: rows.map((one) => one.id), agency: who.agency },
  };
  is.results.push(result);
  world.things.push({
    kind: "result",
    by: who,
    id,
    marks: [],
    mayOpen: (viewer) => own(viewer) && model.isLive(is, result),
  });
  for (const one of rows) {
    if (!one.image_path) continue;
    const owner = world.agencies.findIndex(({ name }) => name === one.agency);
    const mayOpen = (viewer: model.Person) =>
      own(viewer) && result.until > is.now && model.maySearch(is, "Axis", owner, viewer.agency);
    world.things.push({ kind: "image", by: who, id: one.image_path, mayOpen, marks: [one.plate] });
  }
}

/** Names a search, which only its searcher can. */
export async function save(world: World, { by, result: n }: Commands["save"]): Promise<void> {
  const result = world.is.results[n % world.is.results.length];
  if (!result) return;
  const who = n % 2 ? result.by : personAt(world, by);
  if (who.disabled) return;
  const name = world.secret("the name of a search", (viewer) => viewer === who && !viewer.disabled);
  const init = jsonInit({ name: `My ${name}`, pinned: true }, { method: "PATCH" });
  const request = {
    path: `/searches/${result.id}`,
    init,
    allowed: who === result.by,
    action: "saved-search.save",
  };
  await attempt(world, who, request);
}

/** Exports reads of one's own results, or tries to export those of others. */
export async function exportReads(world: World, { by, result: n, other }: Commands["export"]): Promise<void> {
  const { is } = world;
  const live = is.results.filter((one) => one.reads.length > 0);
  const result = live[n % live.length];
  if (!result) return;
  const who = other === undefined ? result.by : personAt(world, by);
  if (who.disabled) return;
  const wanted = result.reads.slice(0, 3);
  const allowed = wanted.every((id) =>
    is.results.some((one) => one.by === who && model.isLive(is, one) && one.reads.includes(id)),
  );
  const reason = world.secret("the reason of an export", (viewer) => viewer === who && !viewer.disabled);
  const body = { records: wanted.map((id) => ({ id })), justification: `Report ${reason}` };
  const request = { path: "/export-zip", init: jsonInit(body), allowed, action: "export" };
  const marks = is.results
    .filter((one) => one.by === who && model.isLive(is, one))
    .flatMap((one) => [...one.marks]);
  const asked = await attempt(world, who, request, { allow: (mark) => allowed && marks.includes(mark) });
  if (!allowed) return;
  const made: model.Export = {
    id: asked.headers.get("odin-export-id") ?? "",
    by: who,
    marks: new Set(asked.marks),
  };
  const row = asked.rows.find(({ action }) => action === "export");
  if (row?.object !== made.id || !row.detail.includes(body.justification))
    throw problem("the row of an export says something else", who, asked);
  if (!asked.marks.some((mark) => world.plates.has(mark)))
    throw problem("an export without its reads", who, asked);
  if (wanted.some((id) => !row.detail.includes(id)))
    throw problem("the row of an export lacks a read", who, asked);
  is.exports.push(made);
  world.things.push({
    kind: "export",
    by: who,
    id: made.id,
    marks: [],
    mayOpen: (viewer) => viewer === who && is.exports.includes(made),
  });
}

export async function removeExport(world: World, { by, export: n }: Commands["removeExport"]): Promise<void> {
  const made = world.is.exports[n % world.is.exports.length];
  if (!made) return;
  const who = n % 3 ? personAt(world, by) : made.by;
  if (who.disabled) return;
  const request = {
    path: `/exports/${made.id}`,
    init: { method: "DELETE" },
    allowed: who === made.by,
    action: "export.removed",
  };
  await attempt(world, who, request);
  if (who === made.by) world.is.exports.splice(world.is.exports.indexOf(made), 1);
}

export async function lookUp(world: World, input: Commands["lookUp"]): Promise<void> {
  for (const one of input) await lookUpOnce(world, one);
}

/** A look-up of a plate, or a page of a log, by a POST that changes nothing. */
async function lookUpOnce(
  world: World,
  { by, how, group: g, plate: p, agency, stale }: Commands["lookUp"][number],
) {
  const { is } = world;
  const who = personAt(world, by);
  const group = groupAt(world, g);
  const plates = [...world.plates.keys()];
  const plate = at(plates, p % plates.length);
  const other = at(world.agencies, agency);
  const ownLog = who.agency === agency || who.isOwner;
  const filter = { acts: "all", agency: other.id };
  const sees = group !== undefined && seesGroup(who, group);
  const client = stale === 0 ? world.stale.get(who) : undefined;
  type Call = { path: string; body: object; allowed: boolean; action: string; plate?: string };
  const calls: Call[] = [
    { path: `/groups/${group?.id}/plates`, body: { q: plate }, allowed: sees, action: "plates.view", plate },
    {
      path: `/alerts/group/${group?.id}/find`,
      body: { filter: `plate=${plate}` },
      allowed: sees,
      action: "hits.view",
      plate,
    },
    {
      path: `/alerts/group/${group?.id}/new`,
      body: { filter: `latest=0&plate=${plate}` },
      allowed: sees,
      action: "hits.view",
      plate,
    },
    {
      path: "/hotlist/check-plate",
      body: { plate_number: plate },
      allowed: model.manages(who),
      action: "plate.check",
      plate,
    },
    {
      path: "/hotlist/past-reads",
      body: { plate_number: plate },
      allowed: model.manages(who),
      action: "plate.past-reads",
      plate,
    },
    {
      path: "/audit-log/rows",
      body: { filter },
      allowed: model.isAdmin(who) && ownLog,
      action: "audit.view",
    },
    {
      path: "/audit-log/export",
      body: { filter, redacted: p % 2 === 0 },
      allowed: model.isAdmin(who) && ownLog,
      action: "audit.export",
    },
    {
      path: "/audit-log/verify",
      body: { agency: other.id, after: 0 },
      allowed: model.isAdmin(who) && ownLog,
      action: "audit.verify",
    },
    { path: "/review/rows", body: {}, allowed: model.isAdmin(who), action: "review.view" },
    { path: "/searches-data", body: { find: p % 2 ? "stolen" : "" }, allowed: true, action: "" },
  ];
  const call = at(calls, how);
  if (!group && how < 3) return;
  const init = jsonInit(call.body);
  if (client) return void (await ask(world, who, { path: call.path, init }, { by: client }));
  if (!call.allowed)
    return void (await attempt(world, who, { path: call.path, init, allowed: false, action: "" }));
  if (how < 3 && group) noteGroup(world, who, group);
  const asked = await ask(world, who, { path: call.path, init });
  if (asked.status !== 200) throw problem(`${call.path} was refused`, who, asked);
  const row = asked.rows.find(({ action }) => action === call.action);
  // The pages of one look-up are one row in ten minutes.
  const isRepeated =
    !row && (how === 0 || how === 2) && group !== undefined && (await hasRow(world, who, group.id));
  if (
    call.action !== "" &&
    !isRepeated &&
    (row?.outcome !== "ok" || (call.plate && row.plate !== call.plate))
  )
    throw problem(`${call.path} has no row ${call.action}`, who, asked);
  const isRedacted = how === 6 && p % 2 === 0;
  const shown = asked.marks.find((mark) => isRedacted && is.secrets.get(mark)?.kind === "plate");
  if (shown) throw problem(`a redacted log has the plate ${shown}`, who, asked);
}
