import { beforeAll, describe, expect, it } from "vitest";
import {
  auditOf,
  bindings,
  type Client,
  client,
  newService,
  newUser,
  newWorld,
  type TestUser,
  unique,
  type World,
} from "../../factories.ts";

// What a user sends after losing access is refused, also if the request itself began before.

let world: World;
let admin: Client;

beforeAll(async () => {
  world = await newWorld();
  admin = await client(world.users.admin);
});

/** Longer than a body may take before its sender is checked again. */
const SLOW_MS = 1_200;
const URL_ENCODED = "application/x-www-form-urlencoded";

/** Returns a body of which one half arrives at once and the other after `meanwhile` and a while. */
function slowBody(text: string, meanwhile: () => Promise<unknown>): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const half = Math.floor(bytes.length / 2);
  let isFirst = true;
  return new ReadableStream(
    {
      async pull(controller) {
        if (isFirst) {
          isFirst = false;
          controller.enqueue(bytes.subarray(0, half));
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS / 2));
        await meanwhile();
        await new Promise((resolve) => setTimeout(resolve, SLOW_MS / 2));
        controller.enqueue(bytes.subarray(half));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

type Sending = { path: string; type: string; text: string; meanwhile: () => Promise<unknown> };

function sendSlowly(who: Pick<Client, "fetch" | "headers">, { path, type, text, meanwhile }: Sending) {
  // As a network body, it has a length, without which R2 stores no stream.
  const body = slowBody(text, meanwhile).pipeThrough(new FixedLengthStream(text.length));
  const init = { method: "POST", body, duplex: "half" };
  return who.fetch(path, { ...init, headers: { ...who.headers, "content-type": type } } as RequestInit);
}

const multipart = (fields: Record<string, string>) =>
  `${Object.entries(fields)
    .map(([name, value]) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("")}--B--\r\n`;
const csvPart = (name: string, text: string) =>
  `--B\r\nContent-Disposition: form-data; name="${name}"; filename="list.csv"\r\n\r\n${text}\r\n--B--\r\n`;
const MULTIPART = "multipart/form-data; boundary=B";

const groupsNamed = (name: string) =>
  bindings.DB.prepare("SELECT count(*) AS n FROM alert_groups WHERE name = ?").bind(name).first<number>("n");
const usersNamed = (name: string) =>
  bindings.DB.prepare("SELECT count(*) AS n FROM users WHERE username = ?").bind(name).first<number>("n");

/** Requests that change something: what is sent, and how much of it was written. */
const CASES: [string, () => Omit<Sending, "meanwhile"> & { written: () => Promise<number | null> }][] = [
  [
    "a form of a screen",
    () => {
      const name = unique("Group");
      const text = new URLSearchParams({ intent: "create", group_name: name }).toString();
      return { path: "/create-group", type: URL_ENCODED, text, written: () => groupsNamed(name) };
    },
  ],
  [
    "a form of an endpoint",
    () => {
      const name = unique("Group");
      const text = multipart({ group_name: name });
      return { path: "/groups/create-mobile", type: MULTIPART, text, written: () => groupsNamed(name) };
    },
  ],
  [
    "a JSON body",
    () => {
      const username = unique("user").toLowerCase();
      const person = { username, name: "Pat", email: "p@x.example", role: "admin" };
      const text = JSON.stringify({ ...person, password: "Willow-Kettle-38" });
      return { path: "/admin/add-user", type: "application/json", text, written: () => usersNamed(username) };
    },
  ],
  [
    "a file",
    () => {
      const username = unique("user").toLowerCase();
      const text = csvPart("file", `username,name,email,role\r\n${username},Pat,p@x.example,admin`);
      return { path: "/bulk-upload-users", type: MULTIPART, text, written: () => usersNamed(username) };
    },
  ],
];

/** Returns a group, and how many imports it has. */
async function groupForImports() {
  const body = new FormData();
  body.set("group_name", unique("Group"));
  const made = await admin.fetch("/groups/create-mobile", { method: "POST", body });
  const { group_id: id }: { group_id: string } = await made.json();
  const imports = () =>
    bindings.DB.prepare("SELECT count(*) AS n FROM hotlist_imports WHERE group_id = ?").bind(id).first("n");
  return { id, imports };
}

const newAdmin = () => newUser(world.ours.id, { role: "admin" });

const losses: [string, (user: TestUser) => Promise<unknown>][] = [
  [
    "is disabled",
    async ({ id }) => {
      const init = { method: "PUT", body: JSON.stringify({ disabled: true }) };
      const headers = { "content-type": "application/json" };
      expect((await admin.fetch(`/admin/disable-user/${id}`, { ...init, headers })).status).toBe(200);
    },
  ],
  [
    "loses the role without a new session",
    ({ id }) => bindings.DB.prepare("UPDATE users SET role = 'user' WHERE id = ?").bind(id).run(),
  ],
];

describe.each(losses)("a request whose sender %s while it arrives", (_, lose) => {
  it.each(CASES)("is refused and changes nothing: %s", async (__, make) => {
    const user = await newAdmin();
    const { written, ...sending } = make();
    const answer = await sendSlowly(await client(user), { ...sending, meanwhile: () => lose(user) });
    // A plain form leads to the sign-in.
    expect([302, 401, 403]).toContain(answer.status);
    expect(await written()).toBe(0);
    const [last] = await auditOf(user, 1);
    expect(last).toMatchObject({ action: "access", outcome: "refused", object: sending.path });
  });
});

describe("a hotlist file, which streams to storage", () => {
  it.each(losses)("is deleted if its sender %s while it arrives", async (_, lose) => {
    const [user, group] = [await newAdmin(), await groupForImports()];
    const own = await client(user);
    const text = "plate,state,reason\nAB12345,CT,Stolen\n";
    const sending = { path: `/groups/${group.id}/import`, type: "application/octet-stream", text };
    const length = { ...own, headers: { ...own.headers, "content-length": String(text.length) } };
    const answer = await sendSlowly(length, { ...sending, meanwhile: () => lose(user) });
    expect([401, 403]).toContain(answer.status);
    expect(await group.imports()).toBe(0);
    expect(await auditOf(user, 1)).toMatchObject([{ outcome: "refused", object: sending.path }]);
  });
});

describe("a slow request", () => {
  it.each(CASES)("succeeds if its sender may still make it: %s", async (_, make) => {
    const { written, ...sending } = make();
    const answer = await sendSlowly(await client(await newAdmin()), {
      ...sending,
      meanwhile: async () => undefined,
    });
    expect([200, 303]).toContain(answer.status);
    expect(await written()).toBe(1);
  });

  it("of a service account that is switched off meanwhile is refused", async () => {
    const service = await newService(admin, { scopes: ["hotlist-changes"] });
    const answer = await sendSlowly(service, {
      path: "/hotlist/check-plate",
      type: "application/json",
      text: JSON.stringify({ plate_number: "AB12345", on_behalf_of: world.users.hotadmin.username }),
      meanwhile: () => admin.post(`/service-accounts/${service.id}/on`, { on: false }),
    });
    expect(answer.status).toBe(401);
  });

  describe("of a service account", () => {
    const exportFor = async (lose: (person: TestUser) => Promise<unknown>) => {
      const service = await newService(admin, { scopes: ["search"] });
      const person = await newUser(world.ours.id);
      const answer = await sendSlowly(service, {
        path: `/export-zip?on_behalf_of=${person.username}`,
        type: "application/json",
        text: JSON.stringify({ records: [{ id: "0".repeat(32) }], justification: "Stolen vehicle" }),
        meanwhile: () => lose(person),
      });
      const { message }: { message: string } = await answer.json();
      return [answer.status, message.replace(person.username, "the person")];
    };

    it("is refused if the person that it acts for is disabled meanwhile", async () => {
      const disable = ({ id }: TestUser) =>
        bindings.DB.prepare("UPDATE users SET disabled_at = 1 WHERE id = ?").bind(id).run();
      expect(await exportFor(disable)).toEqual([
        403,
        "on_behalf_of names no active user of the service account's agency: the person",
      ]);
    });

    it("is made for that person if not", async () => {
      expect(await exportFor(async () => undefined)).toEqual([404, expect.stringContaining("1")]);
    });

    it("is made for the person whom its JSON body names", async () => {
      const service = await newService(admin, { scopes: ["hotlist-changes"] });
      const answer = await sendSlowly(service, {
        path: "/hotlist/check-plate",
        type: "application/json",
        text: JSON.stringify({ plate_number: "AB12345", on_behalf_of: world.users.hotadmin.username }),
        meanwhile: async () => undefined,
      });
      expect(answer.status).toBe(200);
    });
  });
});

describe("a form of a screen in a session that reaches another screen only", () => {
  it.each([
    ["must-change-password", "/change-password"],
    ["awaiting-second-factor", "/second-factor"],
  ])("is refused with an audit row: %s", async (state, screen) => {
    const user = await newAdmin();
    const own = await client(user);
    await bindings.DB.prepare("UPDATE sessions SET state = ? WHERE user_id = ?").bind(state, user.id).run();
    const body = new URLSearchParams({ intent: "add-webhook", name: "Scout" });
    const answer = await own.fetch("/integrations/rekor", { method: "POST", body });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, screen]);
    const [last] = await auditOf(user, 1);
    expect(last).toMatchObject({ action: "access", outcome: "refused", object: "/integrations/rekor" });
    expect(last?.detail).toContain(state);
  });

  it("is refused with an audit row: the use notification is not acknowledged", async () => {
    const user = await newAdmin();
    const own = await client(user);
    await bindings.DB.prepare("UPDATE sessions SET notice_version = '' WHERE user_id = ?")
      .bind(user.id)
      .run();
    const body = new URLSearchParams({ intent: "add-webhook", name: "Scout" });
    const answer = await own.fetch("/integrations/rekor", { method: "POST", body });
    expect(answer.headers.get("location")).toContain("/use-notice");
    const [last] = await auditOf(user, 1);
    expect(last).toMatchObject({ action: "access", outcome: "refused", object: "/integrations/rekor" });
    expect(last?.detail).toContain("use notification");
  });
});

describe("a write from another site with a user's session", () => {
  it.each(["/integrations/rekor", "/integrations/rekor.data", "/add-api-key", "/no-such-page"])(
    "is refused with an audit row, and does not count as use of the session: %s",
    async (path) => {
      const user = await newAdmin();
      const own = await client(user);
      const seen = () =>
        bindings.DB.prepare("SELECT last_seen_at AS at FROM sessions WHERE user_id = ?")
          .bind(user.id)
          .first<number>("at");
      const long = Date.now() - 10 * 60_000;
      await bindings.DB.prepare("UPDATE sessions SET last_seen_at = ? WHERE user_id = ?")
        .bind(long, user.id)
        .run();
      for (const site of ["cross-site", "same-site"]) {
        const headers = { "sec-fetch-site": site };
        const body = new URLSearchParams({ intent: "add-webhook", name: "Scout" });
        expect((await own.fetch(path, { method: "POST", headers, body })).status).toBe(403);
        const [last] = await auditOf(user, 1);
        expect(last).toMatchObject({ action: "access", outcome: "refused", object: path });
        expect(last?.detail).toContain("another site");
      }
      expect(await seen()).toBe(long);
    },
  );
});
