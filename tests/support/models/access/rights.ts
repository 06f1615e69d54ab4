// Changes of users, of sharing and of settings of agencies, which anyone may try.

import { vi } from "vitest";
import { at } from "#app/lib/at.ts";
import { HOUR, isoTime } from "#app/lib/time/dates.ts";
import { jsonInit } from "../../../factories.ts";
import { attempt } from "./asks.ts";
import type { Commands } from "./commands.ts";
import { actorOf, ordinary, put } from "./groups.ts";
import * as model from "./rules.ts";
import { endSession, type World } from "./world.ts";

export async function right(world: World, { by, user: n, right }: Commands["right"]): Promise<void> {
  const one = at(ordinary(world), n % ordinary(world).length);
  const who = actorOf(world, by, one.agency);
  if (one.disabled || one.right === right || who === one) return;
  const { id } = one;
  const isOwn = who.agency === one.agency;
  const flags = {
    [`hotlist_admin_${id}`]: right === "hotadmin",
    [`hotlist_viewer_${id}`]: right === "viewer",
  };
  const [hadFlag, hasFlag] = [one.right, right].map((value) => value === "hotadmin" || value === "viewer");
  const mayFlag = model.manages(who) && isOwn;
  const isAdmin = right === "admin";
  const changesRole = isAdmin !== (one.right === "admin");
  if (mayFlag && changesRole && !model.isAdmin(who)) return;
  // Flags that are off are ignored for users of other agencies: clients send the list as they read it.
  if (hasFlag || (hadFlag && mayFlag) || !model.manages(who))
    await attempt(world, who, {
      ...{ path: "/update-alert-permissions-api", init: jsonInit(flags), allowed: mayFlag },
      action: "alert-permissions.edit",
    });
  const mayRole = model.isAdmin(who) && isOwn;
  if (changesRole || !mayRole)
    await attempt(world, who, {
      ...{
        path: `/admin/toggle-role/${id}`,
        init: put({ new_role: isAdmin ? "admin" : "user" }),
        allowed: mayRole,
      },
      action: "user.role",
    });
  if (!mayFlag) return;
  one.right = right;
  endSession(world, one);
}

export async function disable(world: World, { by, user: n, disabled }: Commands["disable"]): Promise<void> {
  const one = at(ordinary(world), n % ordinary(world).length);
  const who = actorOf(world, by, one.agency);
  if (one.disabled === disabled || who === one) return;
  const allowed = model.isAdmin(who) && who.agency === one.agency;
  const action = disabled ? "user.disable" : "user.enable";
  await attempt(world, who, {
    path: `/admin/disable-user/${one.id}`,
    init: put({ disabled }),
    allowed,
    action,
  });
  if (!allowed) return;
  one.disabled = disabled;
  endSession(world, one);
}

export async function share(
  world: World,
  { by, program, owner, viewer, until }: Commands["share"],
): Promise<void> {
  const who = actorOf(world, by, owner);
  if (who.agency === viewer) return;
  const allowed = model.isAdmin(who);
  const end = until === null ? null : world.is.now + until;
  const declaration = world.secret(
    "the terms of a sharing",
    (one) => model.isAdmin(one) && one.agency === who.agency,
  );
  const body = {
    agency_id: at(world.agencies, viewer).id,
    declaration: `Terms ${declaration}`,
    valid_until: end === null ? null : isoTime(end),
  };
  await attempt(world, who, {
    path: `/add-${program.toLowerCase()}-share`,
    init: jsonInit(body),
    allowed,
    action: "sharing.allow",
  });
  if (allowed) world.is.shares.set(`${program} ${who.agency} ${viewer}`, end);
}

export async function unshare(
  world: World,
  { by, program, owner, viewer }: Commands["unshare"],
): Promise<void> {
  const who = actorOf(world, by, owner);
  const key = `${program} ${who.agency} ${viewer}`;
  if (who.agency === viewer || (model.isAdmin(who) && !world.is.shares.has(key))) return;
  const allowed = model.isAdmin(who);
  const init = jsonInit({ agency_id: at(world.agencies, viewer).id });
  await attempt(world, who, {
    path: `/remove-${program.toLowerCase()}-share`,
    init,
    allowed,
    action: "sharing.refuse",
  });
  if (allowed) world.is.shares.delete(key);
}

export async function keepOut(world: World, { by, viewer, out }: Commands["keepOut"]): Promise<void> {
  const who = actorOf(world, by, model.AXON_OWNER);
  if (world.is.keptOut.has(viewer) === out) return;
  const allowed = model.isAdmin(who) && who.agency === model.AXON_OWNER;
  const init = jsonInit({ agency_id: at(world.agencies, viewer).id });
  const path = out ? "/add-to-blacklist" : "/remove-from-blacklist";
  await attempt(world, who, { path, init, allowed, action: out ? "sharing.refuse" : "sharing.allow" });
  if (!allowed) return;
  if (out) world.is.keptOut.add(viewer);
  else world.is.keptOut.delete(viewer);
}

export async function hold(world: World, { by, agency, plate: n }: Commands["hold"]): Promise<void> {
  const who = actorOf(world, by, agency);
  const allowed = model.isAdmin(who);
  const own = world.ofAgency(who.agency);
  const [number, reason] = [
    world.secret("the case of a hold", own),
    world.secret("the reason of a hold", own),
  ];
  const plates = [...world.plates.keys()];
  const body = {
    ...{
      case_number: `26-${number}`,
      reason: `Trial ${reason}`,
      plates: plates[n % plates.length] ?? "AB12345",
    },
    ...{ start: isoTime(world.is.now - HOUR), end: isoTime(world.is.now) },
  };
  const { text } = await attempt(world, who, {
    path: "/legal-holds/request",
    init: jsonInit(body),
    allowed,
    action: "legal-hold.request",
  });
  if (!allowed) return;
  const { id } = JSON.parse(text);
  const held = world.is.secrets.get(body.plates);
  // The hold names the plate to the administrators of the agency.
  if (held) {
    const { mayKnow } = held;
    held.mayKnow = (viewer) => own(viewer) || mayKnow(viewer);
  }
  world.holds.push({ id, agency: who.agency, by: who, state: "requested" });
  world.things.push({ kind: "hold", id, mayOpen: own, marks: [number, reason] });
}

export async function decideHold(world: World, { by, hold: n, how }: Commands["decideHold"]): Promise<void> {
  const hold = world.holds[n % world.holds.length];
  if (!hold) return;
  const who = actorOf(world, by, hold.agency);
  // Another administrator decides on a request; the one who made it can only withdraw it, which releases it.
  const isOpen =
    hold.state === "requested"
      ? how === "release" || who !== hold.by
      : hold.state === "active" && how === "release";
  const allowed = model.isAdmin(who) && who.agency === hold.agency && isOpen;
  await attempt(world, who, {
    path: `/legal-holds/${hold.id}/${how}`,
    init: { method: "POST" },
    allowed,
    action: `legal-hold.${how}`,
  });
  if (allowed) hold.state = { approve: "active", refuse: "refused", release: "released" }[how];
}

export async function service(world: World, { by, agency, on }: Commands["service"]): Promise<void> {
  const { person, id } = at(world.services, agency);
  const who = actorOf(world, by, agency);
  if (person.disabled !== on) return;
  const allowed = model.isAdmin(who) && who.agency === agency;
  const action = on ? "service-account.on" : "service-account.off";
  await attempt(world, who, { path: `/service-accounts/${id}/on`, init: jsonInit({ on }), allowed, action });
  if (allowed) person.disabled = !on;
}

/** Privileged calls about things of an agency, by those who may not make them. */
export async function settings(world: World, { by, thing: n, n: m }: Commands["settings"]): Promise<void> {
  const calls: Partial<
    Record<World["things"][number]["kind"], [method: string, path: string, body?: object][]>
  > = {
    camera: [
      ["DELETE", "/axis-cameras/ID"],
      ["POST", "/axis-cameras/ID/secret"],
      ["PATCH", "/axis-cameras/ID", { name: "Mine", latitude: 41.1, longitude: -72.1 }],
    ],
    key: [
      ["DELETE", "/delete-api-key/ID"],
      ["POST", "/test-api-key/ID"],
    ],
    webhook: [["DELETE", "/rekor-webhooks/ID"]],
    outgoing: [
      ["DELETE", "/outgoing-webhooks/ID"],
      ["POST", "/outgoing-webhooks/ID/secret"],
      ["POST", "/outgoing-webhooks/ID/test"],
      ["POST", "/outgoing-webhooks/ID/on", { on: false }],
      ["POST", "/outgoing-webhooks/ID/retry", {}],
    ],
    service: [
      ["DELETE", "/service-accounts/ID"],
      ["POST", "/service-accounts/ID/rotate", {}],
    ],
    user: [
      ["DELETE", "/admin/delete-user/ID"],
      ["POST", "/admin/end-sessions/ID"],
      ["POST", "/admin/reset-second-factor/ID"],
    ],
    agency: [["PUT", "/owner/agencies/ID", { name: "Mine", policy: {} }]],
  };
  const things = world.things.filter(({ kind }) => calls[kind]);
  const thing = at(things, n % things.length);
  const some = calls[thing.kind] ?? [];
  const [method, path, body] = at(some, m % some.length);
  const who = actorOf(world, by ?? m, 0);
  if (thing.mayOpen(who) || who.isOwner) return;
  const init = body ? jsonInit(body, { method }) : { method };
  await attempt(world, who, { path: path.replace("ID", thing.id), init, allowed: false, action: "" });
}

export async function wait(world: World, milliseconds: number): Promise<void> {
  world.is.now += milliseconds;
  vi.setSystemTime(world.is.now);
}
