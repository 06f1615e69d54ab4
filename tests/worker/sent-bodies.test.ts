import { beforeAll, describe, expect, it } from "vitest";
import { storeImport } from "#app/http/forms.ts";
import { fromBase64 } from "#app/lib/crypto/encoding.ts";
import {
  bindings,
  bodyOf,
  type Client,
  client,
  formInit,
  jsonInit,
  newWorld,
  send,
  unique,
  type World,
} from "../factories.ts";
import { newGroup } from "../live.ts";

let world: World;
let hotadmin: Client;
let admin: Client;

beforeAll(async () => {
  world = await newWorld();
  hotadmin = await client(world.users.hotadmin);
  admin = await client(world.users.admin);
});

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns the same request with its body in gzip. */
async function gzipped(init: RequestInit): Promise<RequestInit> {
  const plain = new Request("https://odin.test/", init);
  const headers = { "content-type": plain.headers.get("content-type") ?? "", "content-encoding": "gzip" };
  return { ...init, headers, body: await gzip(new Uint8Array(await plain.arrayBuffer())) };
}

const check = { plate_number: "ABC123" };

describe("an encoded body", () => {
  it("in gzip is read, wherever clients send JSON or a form", async () => {
    const groupId = await newGroup(world.ours.id, []).then(({ id }) => id);
    const csv = new File(["plate,reason\nGZ1234,Stolen\n"], "plates.csv");
    const keys = `agency,api_key,source_program\n${unique("Agency")},gzip5432100123456789,Rekor\n`;
    const calls: [Client, string, RequestInit][] = [
      [hotadmin, "/hotlist/check-plate", jsonInit(check)],
      [hotadmin, `/groups/${groupId}/bulk-upload-plates`, formInit({ csv_file: csv, mode: "add" })],
      [admin, "/bulk-upload-api-keys", formInit({ file: new File([keys], "keys.csv") })],
      [hotadmin, "/groups/create-mobile", formInit({ group_name: unique("Group") })],
      [hotadmin, "/toggle-push-alerts", jsonInit({ push_alerts: true })],
    ];
    for (const [who, path, init] of calls) {
      const answer = await who.fetch(path, await gzipped(init));
      expect([path, answer.status], await answer.text()).toEqual([path, 200]);
    }
    const { username, password } = world.users.officer;
    const signIn = await send("/login", await gzipped(jsonInit({ username, password })));
    expect(signIn.status).toBe(200);
  });

  it("is limited in size as it is after inflating", async () => {
    const bomb = await gzipped(jsonInit({ plate_number: "A".repeat(2_000_000) }));
    const answer = await hotadmin.fetch("/hotlist/check-plate", bomb);
    expect([answer.status, (await bodyOf(answer)).msg]).toEqual([
      413,
      "The body inflates to more than 262.1 kB.",
    ]);
    const form = await gzipped(formInit({ group_name: "x", notes: "x".repeat(17_000_000) }));
    const large = await hotadmin.fetch("/groups/create-mobile", form);
    expect([large.status, (await bodyOf(large)).msg]).toEqual([
      413,
      "The body inflates to more than 16.8 MB.",
    ]);
  });

  it("that is not in gzip although its header says so is refused with the reason", async () => {
    const headers = { "content-encoding": "gzip" };
    const answer = await hotadmin.post("/hotlist/check-plate", check, { headers });
    expect([answer.status, (await bodyOf(answer)).msg]).toEqual([
      400,
      "The body is not valid gzip, although its header says so.",
    ]);
  });

  it("in another encoding is refused, and the answer names those that are accepted", async () => {
    for (const encoding of ["deflate", "br", "zstd", "aes128gcm", "gzip, gzip", "x"]) {
      const headers = { "content-encoding": encoding };
      const answer = await hotadmin.post("/hotlist/check-plate", check, { headers });
      const { msg } = await bodyOf(answer);
      expect([answer.status, msg, answer.headers.get("accept-encoding")]).toEqual([
        415,
        "Send the body uncompressed or with gzip.",
        "gzip, identity",
      ]);
    }
    const identity = await hotadmin.post("/hotlist/check-plate", check, {
      headers: { "content-encoding": "identity" },
    });
    expect(identity.status).toBe(200);
  });

  it("is refused where a body is read while it arrives", async () => {
    const { id } = await newGroup(world.ours.id, []);
    const file: RequestInit = { method: "POST", body: encode("plate,reason\nABC123,Stolen\n") };
    const exported = jsonInit({ records: [], justification: "x" });
    const calls = [
      await hotadmin.fetch(`/groups/${id}/import?name=a.csv&preset=odin&mode=add`, await gzipped(file)),
      await hotadmin.fetch("/export-pdf", await gzipped(exported)),
    ];
    for (const answer of calls) {
      expect([answer.status, answer.headers.get("accept-encoding")]).toEqual([415, "identity"]);
      expect((await bodyOf(answer)).msg).toBe("Send the body uncompressed.");
    }
  });
});

describe("a hotlist file that breaks off", () => {
  /** Returns a body that sends some bytes and then fails, as when the connection is lost. */
  function brokenOff() {
    const parts = [encode("plate,reason\n"), encode("ABC123,Stolen\n")];
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else controller.error(new Error("Network connection lost."));
      },
    });
  }

  const sent = (body: BodyInit, size: number) => {
    const init = { method: "POST", body, headers: { "content-length": String(size) } };
    return new Request("https://odin.test/groups/x/import", init);
  };

  const options = new URLSearchParams({ name: "a.csv", preset: "odin", mode: "add" });

  it("is no bug of Odin: its sender is asked to send it again, and nothing is stored", async () => {
    const key = unique("import");
    const storing = storeImport(sent(brokenOff(), 5000), options, ({ body }) =>
      bindings.IMPORTS.put(key, body),
    );
    await expect(storing).rejects.toMatchObject({
      name: "AppError",
      code: "unavailable",
      message: "The connection was lost before the whole body had arrived. Send it again.",
      retryAfter: 5,
    });
    expect(await bindings.IMPORTS.head(key)).toBeNull();
  });

  it("does not hide a failure of the storage", async () => {
    const failing = storeImport(sent(encode("plate\n"), 6), options, async () => {
      throw new Error("The bucket does not answer.");
    });
    await expect(failing).rejects.toThrow("The bucket does not answer.");
  });

  it("is stored as it was sent otherwise", async () => {
    const key = unique("import");
    const bytes = encode("plate,reason\nABC123,Stolen\n".repeat(10_000));
    const size = await storeImport(sent(bytes, bytes.length), options, async ({ body, size }) => {
      await bindings.IMPORTS.put(key, body);
      return size;
    });
    expect(size).toBe(bytes.length);
    const stored = await bindings.IMPORTS.get(key);
    expect(new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(bytes);
  });
});

describe("a part of a form without a file name", () => {
  type Part = { name: string; value: Uint8Array<ArrayBuffer> | string };

  /** A form as curl's `-F name=<file` and .NET's ByteArrayContent write it: no part has a file name. */
  function unnamed(...parts: Part[]): RequestInit {
    const pieces = parts.flatMap(({ name, value }) => [
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`,
      value,
      "\r\n",
    ]);
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    return { method: "POST", headers, body: new Blob([...pieces, "--b--\r\n"]) };
  }

  const keysOf = (agency: string) => `agency,api_key,source_program\n${agency},${unique("key")},Rekor\n`;

  it("is a CSV file if it has lines", async () => {
    const { id } = await newGroup(world.ours.id, []);
    const csv = { name: "csv_file", value: "plate,reason\nUN1234,Stolen\n" };
    const plates = await hotadmin.fetch(
      `/groups/${id}/bulk-upload-plates`,
      unnamed(csv, { name: "mode", value: "add" }),
    );
    expect([plates.status, await plates.text()]).toEqual([200, expect.stringContaining("1 ")]);
    const keys = await admin.fetch(
      "/bulk-upload-api-keys",
      unnamed({ name: "file", value: keysOf(unique("A")) }),
    );
    expect(await bodyOf(keys)).toMatchObject({ added: 1 });
  });

  it("is no file if it is a word, as clients write it that have no file", async () => {
    const { id } = await newGroup(world.ours.id, []);
    for (const value of ["null", "undefined", "[object Object]", ""]) {
      const init = unnamed({ name: "csv_file", value }, { name: "mode", value: "replace" });
      const answer = await hotadmin.fetch(`/groups/${id}/bulk-upload-plates`, init);
      expect([value, answer.status, await answer.text()]).toEqual([value, 400, "Choose a CSV file."]);
    }
    const name = { name: "group_name", value: unique("Group") };
    const created = unnamed(name, { name: "group_image_file", value: "null" });
    expect((await hotadmin.fetch("/groups/create-mobile", created)).status).toBe(200);
  });

  it("is a picture or a PDF if it begins as one", async () => {
    const png = fromBase64(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    );
    const pdf = "%PDF-1.4\n1 0 obj\n<< /Length 1 >>\nstream\nx\nendstream\nendobj\n%%EOF\n";
    const { id } = await newGroup(world.ours.id, []);
    const saved = await hotadmin.fetch(
      `/groups/${id}/edit-mobile`,
      unnamed(
        { name: "group_name", value: unique("Group") },
        { name: "group_image_file", value: png },
        { name: "plates[0][number]", value: "PDF123" },
        { name: "plates[0][reason]", value: "Stolen" },
        { name: "plates[0][file]", value: pdf },
      ),
    );
    expect(saved.status, await saved.text()).toBe(200);
    const { group, plates } = await bodyOf<{
      group: { image_url: string };
      plates: { attachment_path: string }[];
    }>(hotadmin.fetch(`/groups/${id}/edit-data`));
    expect(group.image_url).toMatch(/\S/);
    expect(plates.map((one) => one.attachment_path)).toEqual([expect.stringMatching(/\S/)]);
  });

  it("that is no file must be UTF-8", async () => {
    const latin1 = Uint8Array.of(0x43, 0x61, 0x66, 0xe9);
    const answer = await hotadmin.fetch(
      "/groups/create-mobile",
      unnamed({ name: "group_name", value: latin1 }),
    );
    expect([answer.status, (await bodyOf(answer)).msg]).toEqual([400, "The body is not UTF-8."]);
  });
});

// A browser sends an empty file without a name if no file was chosen.
it("a named file of 0 bytes is refused with its name, an unnamed one counts as none", async () => {
  const { id } = await newGroup(world.ours.id, []);
  const form = (name: string) => ({
    group_name: unique("Group"),
    "plates[0][number]": "EMPTY12",
    "plates[0][reason]": "Stolen",
    "plates[0][file]": new File([], name),
  });
  const refused = await hotadmin.fetch(`/groups/${id}/edit-mobile`, formInit(form("warrant.pdf")));
  expect([refused.status, await bodyOf(refused)]).toEqual([
    400,
    expect.objectContaining({ msg: 'The file "warrant.pdf" is empty.' }),
  ]);
  const saved = await hotadmin.fetch(`/groups/${id}/edit-mobile`, formInit(form("")));
  expect(saved.status, await saved.text()).toBe(200);
  const { plates } = await bodyOf<{ plates: { plate_number: string }[] }>(
    hotadmin.fetch(`/groups/${id}/edit-data`),
  );
  expect(plates).toHaveLength(1);
});

// Python's requests names every part that is given as a file, and so do others.
it("a text that is sent with a file name is a text, and a picture in such a field is ignored", async () => {
  const { id } = await newGroup(world.ours.id, []);
  const form = {
    group_name: unique("Group"),
    "plates[0][number]": "TEXT123",
    "plates[0][reason]": "Stolen",
    "plates[0][notes]": new File(["Armed"], "notes"),
    photo: new File([Uint8Array.of(0xff, 0xd8, 0xff)], "photo.jpg"),
  };
  const saved = await hotadmin.fetch(`/groups/${id}/edit-mobile`, formInit(form));
  expect(saved.status).toBe(200);
  const { plates } = await bodyOf<{ plates: object[] }>(hotadmin.fetch(`/groups/${id}/edit-data`));
  expect(plates).toMatchObject([{ plate_number: "TEXT123", notes: "Armed" }]);
});

describe("a Content-Type that is sent twice", () => {
  it("counts once if both are the same, and is refused if they differ", async () => {
    const post = (type: string) =>
      hotadmin.post("/hotlist/check-plate", check, { headers: { "content-type": type } });
    expect((await post("application/json, application/json")).status).toBe(200);
    expect((await post("application/json, text/plain")).status).toBe(415);
    expect((await post("text/plain, application/json")).status).toBe(415);
  });
});

describe("POST /bulk-upload-api-keys", () => {
  it("adds nothing when it is repeated with its idempotency key", async () => {
    const agency = unique("Agency");
    const upload = (idempotency_key: string) =>
      admin.fetch(
        "/bulk-upload-api-keys",
        formInit({
          file: new File([`agency,api_key,source_program\n${agency},once-${agency},Rekor\n`], "keys.csv"),
          idempotency_key,
        }),
      );
    const key = unique("key");
    expect(await bodyOf(upload(key))).toMatchObject({ added: 1 });
    expect(await bodyOf(upload(key))).toMatchObject({ added: 1 });
    const added = await bindings.DB.prepare("SELECT count(*) AS n FROM rekor_keys WHERE agency = ?")
      .bind(agency)
      .first<number>("n");
    expect(added).toBe(1);
    const tooLong = await upload("x".repeat(65));
    expect([tooLong.status, (await bodyOf(tooLong)).msg]).toEqual([
      400,
      'The field "idempotency_key" is missing or invalid.',
    ]);
  });
});
