import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { AppContext } from "#app/context.ts";
import { createGroup, editGroup } from "#app/domain/hotlists/group-changes.ts";
import type { SessionActor } from "#app/entities/accounts/actor.ts";
import { GroupForm, NewPlate } from "#app/entities/hotlists/calls.ts";
import { TEST_VIRUS } from "#app/lib/files/test-virus.ts";
import {
  bindings,
  bodyOf,
  client,
  newUser,
  newWorld,
  sessionActorOf,
  testApp,
  unique,
  vendors,
  type World,
} from "../../factories.ts";
import { dyingWorker, withBatches } from "../../support/batches.ts";
import { expectLogged } from "../../support/quiet-console.ts";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const pdf = (inside: string) =>
  encode(`%PDF-1.4\n1 0 obj\n<< /Length ${inside.length} >>\nstream\n${inside}\nendstream\nendobj\n%%EOF\n`);
/** A one-pixel image. */
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0),
);

let world: World;
let actor: SessionActor;
/** With the simulated scanner, and without a scanner. */
let scanning: AppContext;
let bare: AppContext;

beforeAll(async () => {
  world = await newWorld();
  actor = sessionActorOf(world.users.hotadmin, world.ours.name, { ip: "192.0.2.7" });
  scanning = testApp(Date.now, { SCANNER_URL: `${inject("vendors").url}/scan` });
  bare = testApp();
});

beforeEach(() => vendors.setFaults());

const stored = async () => {
  const rows = (await bindings.DB.prepare("SELECT count(*) AS n FROM attachments").first<number>("n")) ?? 0;
  return { rows, objects: (await bindings.ATTACHMENTS.list()).objects.length };
};

const newGroup = (app: AppContext, image: Uint8Array<ArrayBuffer> | null = null) =>
  createGroup(app, actor, {
    form: GroupForm.parse({ group_name: unique("Stolen") }),
    image: image && { name: "image.png", bytes: image },
    plates: [],
  });

/** Saves two plates with a file each and a new image in one request. The second file is the one under test. */
async function saveWith(app: AppContext, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { group_id: id } = await newGroup(bare);
  await editGroup(app, actor, {
    id,
    form: GroupForm.parse({ group_name: "Stolen" }),
    image: { name: "image.png", bytes: PNG },
    plates: [
      { plate: NewPlate.parse({ number: "CC2", reason: "x" }), file: { name: "good.pdf", bytes: pdf("x") } },
      { plate: NewPlate.parse({ number: "CC3", reason: "x" }), file: { name: "warrant.pdf", bytes } },
    ],
  });
}

const refusals = async () => {
  const { results } = await bindings.DB.prepare(
    "SELECT outcome, detail, ip FROM audit_log WHERE action = 'attachment.refuse' AND agency_id = ? ORDER BY seq",
  )
    .bind(actor.agencyId)
    .all<{ outcome: string; detail: string; ip: string }>();
  return results.map((row) => {
    const detail: Record<string, unknown> = JSON.parse(row.detail);
    return { ...row, detail };
  });
};

describe("an uploaded file", () => {
  it.each([
    ["the test virus in a PDF, also without a scanner,", () => bare, pdf(TEST_VIRUS), "EICAR test file"],
    ["the test virus in a PDF", () => scanning, pdf(`q ${TEST_VIRUS} Q`), "EICAR test file"],
    ["a virus that only the scanner knows", () => scanning, pdf("ODIN-SIMULATED-VIRUS"), "Simulated.Virus"],
  ])(
    "with %s is refused together with the whole save, audited and never stored",
    async (_, app, bytes, found) => {
      const before = await stored();
      await expect(saveWith(app(), bytes)).rejects.toMatchObject({
        code: "bad_request",
        message: '"warrant.pdf" was refused because it contains a virus.',
      });
      expect(await stored()).toEqual(before);
      expect((await refusals()).at(-1)).toMatchObject({
        outcome: "refused",
        ip: "192.0.2.7",
        detail: { file: "warrant.pdf", found },
      });
    },
  );

  it("is stored after the scanner accepts it", async () => {
    const before = await stored();
    await vendors.clearCalls();
    await saveWith(scanning, pdf("a harmless text"));
    expect(await stored()).toEqual({ rows: before.rows + 3, objects: before.objects + 3 });
    expect((await vendors.calls()).scanner).toBe(3);
  });

  it.each([
    ["does not answer", { kind: "reset" }],
    ["answers with an error", { kind: "status", code: 500 }],
    ["answers with a web page", { kind: "html" }],
    ["answers in another format", { kind: "wrongType" }],
    ["redirects", { kind: "redirect", url: "https://example.com/" }],
  ] as const)("is not stored if the scanner %s, and can be sent again", async (_, fault) => {
    expectLogged(/File could not be scanned/);
    const before = await stored();
    await vendors.setFaults({ program: "scanner", ...fault });
    await expect(newGroup(scanning, PNG)).rejects.toMatchObject({ code: "unavailable", retryAfter: 60 });
    await expect(saveWith(scanning, pdf("x"))).rejects.toMatchObject({ code: "unavailable" });
    expect(await stored()).toEqual(before);
    await vendors.setFaults();
    await newGroup(scanning, PNG);
  });

  it.each(["disabled_at = 1", "hotlist_admin = 0"])(
    "is not stored if its user loses the right while it is scanned: %s",
    async (lost) => {
      const user = await newUser(world.ours.id, { hotlistAdmin: true });
      const who = sessionActorOf(user, world.ours.name);
      const { group_id: id } = await newGroup(bare);
      const before = await stored();
      const losing: AppContext = {
        ...bare,
        scanner: {
          scan: async () => {
            await bindings.DB.prepare(`UPDATE users SET ${lost} WHERE id = ?`).bind(user.id).run();
            return { clean: true };
          },
        },
      };
      const form = GroupForm.parse({ group_name: unique("Stolen") });
      const image = { name: "image.png", bytes: PNG };
      const refused = { code: "forbidden" };
      await expect(editGroup(losing, who, { id, form, image, plates: [] })).rejects.toMatchObject(refused);
      await expect(createGroup(losing, who, { form, image, plates: [] })).rejects.toMatchObject(refused);
      const plate = NewPlate.parse({ number: "CC9", reason: "x" });
      const plates = [{ plate, file: { name: "a.pdf", bytes: pdf("x") } }];
      const added = editGroup(losing, who, { id, form, image: null, plates });
      await expect(added).rejects.toMatchObject(refused);
      expect(await stored()).toEqual(before);
    },
  );

  it.each([
    ["with the key of the form", unique("key")],
    ["without a key", undefined],
  ])("is kept if the save took effect and only its answer was lost, %s", async (_, idempotency_key) => {
    const name = unique("Stolen");
    const save = {
      form: GroupForm.parse({ group_name: name, ...(idempotency_key && { idempotency_key }) }),
      image: { name: "image.png", bytes: PNG },
      plates: [],
    };
    const answered = await createGroup(dyingWorker(bare, { isWritten: true }), actor, save).catch(() => null);
    expect(answered !== null).toBe(idempotency_key !== undefined);
    const row = "SELECT a.key FROM attachments a JOIN alert_groups g ON g.image_id = a.id WHERE g.name = ?";
    const key = await bindings.DB.prepare(row).bind(name).first<string>("key");
    expect(await bindings.ATTACHMENTS.head(key ?? "")).not.toBeNull();
  });

  it("is removed if the database refuses the save, whose answer is the same if R2 fails as well", async () => {
    expectLogged(/files that were not saved/);
    const { group_id: id } = await newGroup(bare);
    const refusing = (app: AppContext) =>
      withBatches(app, () =>
        Promise.reject(new Error("D1_ERROR: NOT NULL constraint failed: alert_groups.version")),
      );
    const failing = new Proxy(bindings.ATTACHMENTS, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "delete") return () => Promise.reject(new Error("R2: internal error (10001)"));
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const save = {
      id,
      form: GroupForm.parse({ group_name: "Stolen" }),
      image: { name: "image.png", bytes: PNG },
      plates: [],
    };
    const before = await stored();
    await expect(editGroup(refusing(bare), actor, save)).rejects.toMatchObject({ code: "conflict" });
    expect(await stored()).toEqual(before);
    const both = refusing(testApp(Date.now, { ATTACHMENTS: failing }));
    await expect(editGroup(both, actor, save)).rejects.toMatchObject({ code: "conflict" });
  });

  it("with the test virus in any form leaves nothing of it in the bucket", async () => {
    const who = await client(world.users.hotadmin);
    const answers: number[] = [];
    for (const bytes of [
      pdf(TEST_VIRUS),
      encode(TEST_VIRUS),
      new Uint8Array([...PNG, ...encode(TEST_VIRUS)]),
    ]) {
      const form = new FormData();
      form.set("group_name", unique("Stolen"));
      form.set("group_image_file", new File([bytes], "image.png", { type: "image/png" }));
      answers.push((await who.fetch("/groups/create-mobile", { method: "POST", body: form })).status);
    }
    // Data after the end of an image is removed before the check.
    expect(answers).toEqual([415, 415, 200]);
    for (const { key } of (await bindings.ATTACHMENTS.list()).objects) {
      const object = await bindings.ATTACHMENTS.get(key);
      expect(await object?.text()).not.toContain("EICAR");
    }
  });
});

/** A one-pixel GIF with a comment. */
const GIF = Uint8Array.from([
  ...encode("GIF89a"),
  ...[1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255],
  ...[0x21, 0xfe, 6, ...encode("secret"), 0],
  ...[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b],
]);

describe("an image of a group", () => {
  const create = async (bytes: Uint8Array<ArrayBuffer>, name: string) => {
    const who = await client(world.users.hotadmin);
    const form = new FormData();
    form.set("group_name", unique("Pictured"));
    form.set("group_image_file", new File([bytes], name));
    return { who, answer: await who.fetch("/groups/create-mobile", { method: "POST", body: form }) };
  };

  it("may be a GIF, which is stored without comments and shown inline", async () => {
    const { who, answer } = await create(GIF, "photo.gif");
    expect(answer.status).toBe(200);
    const { group_id } = await bodyOf<{ group_id: string }>(answer);
    const image = await who.fetch(`/groups/${group_id}/image`);
    expect(Object.fromEntries(image.headers)).toMatchObject({
      "content-type": "image/gif",
      "content-disposition": expect.stringMatching(/^inline; filename="photo.gif"/),
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    const text = new TextDecoder("windows-1252").decode(await image.arrayBuffer());
    expect(text.startsWith("GIF89a")).toBe(true);
    expect(text).not.toContain("secret");
  });

  it("that is HEIC is refused with instructions", async () => {
    const heic = new Uint8Array([0, 0, 0, 24, ...encode("ftypheic"), 0, 0, 0, 0, ...encode("mif1heic")]);
    const { answer } = await create(heic, "IMG_1.HEIC");
    expect(answer.status).toBe(415);
    expect((await bodyOf<{ message: string }>(answer)).message).toBe(
      '"IMG_1.HEIC": Browsers cannot show HEIC images. Save the picture as JPEG and upload it again.',
    );
  });
});
