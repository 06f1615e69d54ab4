import type { AppContext } from "#app/context.ts";
import { createGroup } from "#app/domain/hotlists/group-changes.ts";
import { continueImport } from "#app/domain/hotlists/import-work.ts";
import { applyImport, latestImport, startImport } from "#app/domain/hotlists/imports.ts";
import { pagePlates } from "#app/domain/hotlists/plates.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { GroupForm, ImportOptions } from "#app/entities/hotlists/calls.ts";
import { openControl } from "#app/store/database.ts";
import { agencies } from "#app/store/schema/accounts.ts";
import { median } from "../figure.ts";

type Env = { DB: D1Database; IMPORTS: R2Bucket };

const actor = {
  userId: "bench",
  username: "bench",
  name: "Bench",
  agencyId: "bench",
  agencyName: "Bench",
  role: "admin",
  hotlistAdmin: true,
  hotlistViewer: true,
  sessionId: "",
  ip: "",
  userAgent: "",
  provedAt: Number.POSITIVE_INFINITY,
} as SessionActor;

function contextOf(env: Env): AppContext {
  const jobs = { send: async () => {} };
  return { db: openControl(env.DB), imports: env.IMPORTS, jobs, clock: Date.now } as unknown as AppContext;
}

function csv(rows: number, first = 0): Uint8Array<ArrayBuffer> {
  const lines = ["plate,state,reason,notes,expiry,case number"];
  // Each plate once, in a scattered order.
  for (let i = first; i < first + rows; i++) {
    const n = (i * 7_368_787) % 52_900_000;
    const letters = String.fromCharCode(65 + (Math.floor(n / 100_000) % 23), 65 + Math.floor(n / 2_300_000));
    lines.push(
      `${letters}${String(n % 100_000).padStart(5, "0")},CT,Stolen vehicle,,,26-${String(i).padStart(7, "0")}`,
    );
  }
  return new TextEncoder().encode(lines.join("\r\n"));
}

async function groupWith(app: AppContext, name: string, rows: number) {
  const { group_id: groupId } = await createGroup(app, actor, {
    form: GroupForm.parse({ group_name: name }),
    image: null,
    plates: [],
  });
  return { groupId, id: await begin(app, groupId, csv(rows)) };
}

async function begin(app: AppContext, groupId: string, body: Uint8Array<ArrayBuffer>, mode = "add") {
  const options = ImportOptions.parse({ mode });
  return (await startImport(app, actor, { groupId, options, body, size: body.length })).id;
}

let large = { groupId: "", id: "" };

export default {
  async fetch(request, env) {
    const app = contextOf(env);
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case "/start":
        await app.db.insert(agencies).values({ id: "bench", name: "Bench", createdAt: 0 });
        large = await groupWith(app, "Large", Number(searchParams.get("rows")));
        return Response.json({});
      // The new list and the old one share half of their plates.
      case "/start-replace": {
        const rows = Number(searchParams.get("rows"));
        large.id = await begin(app, large.groupId, csv(rows, Math.floor(rows / 2)), "replace");
        return Response.json({});
      }
      case "/continue":
        await continueImport(app, large.id);
        return Response.json({ state: (await latestImport(app, actor, large.groupId))?.state });
      case "/apply":
        await applyImport(app, actor, large);
        await continueImport(app, large.id);
        return Response.json({});
      case "/pages": {
        const small = await groupWith(app, "Small", 101);
        await continueImport(app, small.id);
        await applyImport(app, actor, small);
        await continueImport(app, small.id);
        const measure = async (groupId: string) => {
          const times: number[] = [];
          for (let i = 0; i < 30; i++) {
            const start = performance.now();
            await pagePlates(app, actor, { groupId });
            times.push(performance.now() - start);
          }
          return median(times);
        };
        await measure(small.groupId);
        return Response.json({ small: await measure(small.groupId), large: await measure(large.groupId) });
      }
      default:
        return new Response("not found", { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;
