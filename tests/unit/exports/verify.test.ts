import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { zipSync } from "fflate";
import { afterAll, describe, expect, it } from "vitest";
import { checkExport } from "#app/components/exports/check.ts";
import { createSeal, readSeal } from "#app/entities/exports/pdf-signature.ts";
import { at } from "#app/lib/at.ts";
import { parseSigningKeys, publicKeyPem, sign } from "#app/lib/crypto/signing.ts";
import { readZip } from "#app/lib/files/zip-read.ts";
import { TEST_SECRETS } from "../../support/secrets.ts";
import { makeReport, NOON, sampleImage, sampleRecord } from "./samples.ts";

const keys = parseSigningKeys(TEST_SECRETS.EXPORT_SIGNING_KEYS);
const pem = await publicKeyPem(keys, 1);
const image = await sampleImage(160, 90, 1);
const folder = mkdtempSync(join(tmpdir(), "odin-verify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { bytes: report, startxref } = makeReport([sampleRecord(0)], () => ({
  vehicle: image,
  plate: image,
  address: "430 Main St, Hartford, Connecticut",
}));
const sealed = new Uint8Array(
  Buffer.concat([
    report,
    await createSeal({
      exportId: "00112233445566778899aabbccddeeff",
      createdAt: NOON,
      bytes: report.length,
      startxref,
      sha256: Buffer.from(await crypto.subtle.digest("SHA-256", report)).toString("hex"),
      keyVersion: keys.current,
      sign: (data) => sign(keys, data),
    }),
  ]),
);

const check = (bytes: Uint8Array<ArrayBuffer>, name = "report.pdf") =>
  checkExport([new File([bytes], name)], [{ version: 1, pem }], () => {});
const wrongOf = async (bytes: Uint8Array<ArrayBuffer>) =>
  (await check(bytes)).findings.filter(({ matches }) => !matches).map(({ what, why }) => `${what}: ${why}`);

function run(program: string, ...options: string[]) {
  const file = join(folder, "report.pdf");
  writeFileSync(file, sealed);
  const done = spawnSync(program, [...options, file, ...(program === "pdftotext" ? ["-"] : [])]);
  if (done.error) throw new Error(`${program} is needed here`);
  return {
    output: done.stdout.toString(),
    complaints: done.stderr.toString().replace("warning: ICC support is not available\n", ""),
  };
}

describe("a signed report", () => {
  it("is recognized unchanged, with its number and time", async () => {
    const checked = await check(sealed);
    expect(checked.verdict).toBe("unchanged");
    expect(checked.report).toMatchObject({ export_id: "00112233445566778899aabbccddeeff" });
  });

  it("is not called changed because another export was chosen with it", async () => {
    const archive = zipSync({ "manifest.json": new Uint8Array(1) }, { level: 0 });
    for (const other of [sealed, new Uint8Array(archive)]) {
      const files = [new File([sealed], "report.pdf"), new File([other], "other")];
      const checked = await checkExport(files, [{ version: 1, pem }], () => {});
      expect(checked).toEqual({ verdict: "several", findings: [] });
    }
  });

  it("is reported as changed wherever a byte is changed, removed or inserted", async () => {
    await fc.assert(
      fc.asyncProperty(
        // Half of the positions are in the seal itself.
        fc.oneof(fc.nat(sealed.length - 1), fc.integer({ min: report.length - 40, max: sealed.length - 1 })),
        fc.constantFrom("change", "remove", "insert"),
        fc.integer({ min: 1, max: 255 }),
        async (place, how, by) => {
          const rest = how === "insert" ? place : place + 1;
          const middle = how === "remove" ? [] : [(at(sealed, place) ^ by) & 255];
          const other = Buffer.concat([
            sealed.subarray(0, place),
            Buffer.from(middle),
            sealed.subarray(rest),
          ]);
          const { verdict } = await check(new Uint8Array(other));
          expect(verdict).not.toBe("unchanged");
          // Without its first bytes it is not a PDF.
          if (place >= 5) expect(verdict).toBe("changed");
        },
      ),
      { numRuns: 150 },
    );
  });

  it("is reported as changed if data follows it or its signature is cut off", async () => {
    const longer = new Uint8Array(Buffer.concat([sealed, Buffer.from("\n1 0 obj\n<<>>\nendobj\n%%EOF\n")]));
    const missing = "Signature: Odin created this report, but its signature is missing or damaged.";
    expect(await wrongOf(longer)).toEqual([missing]);
    expect(await wrongOf(report.slice())).toEqual([missing]);
  });

  it("is reported as changed if it is signed by a key of another installation", async () => {
    const other = await checkExport([new File([sealed], "report.pdf")], [{ version: 2, pem }], () => {});
    expect(other.verdict).toBe("changed");
    expect(other.findings[0]?.why).toBe("This installation has no key with that version.");
  });

  it("ends with startxref, its offset and %%EOF, where pypdf expects them (ISO 32000-2, 7.5.5)", () => {
    const end = Buffer.from(sealed.slice(-200)).toString("latin1");
    const offset = Number(/\nstartxref\n(\d+)\n%%EOF\n$/.exec(end)?.[1]);
    const there = Buffer.from(sealed.slice(offset, offset + 60)).toString("latin1");
    expect(there).toMatch(/^\d+ 0 obj\s*<<\/Type\/XRef/);
  });

  it("is reported as changed if its last lines point elsewhere", async () => {
    const end = Buffer.from(sealed).toString("latin1");
    const at = end.lastIndexOf("startxref\n");
    const other = Buffer.from(`${end.slice(0, at)}startxref\n9\n%%EOF\n`, "latin1");
    expect((await check(new Uint8Array(other))).verdict).toBe("changed");
  });

  it("opens in other programs without a warning", () => {
    expect(run("pdftotext").output).toContain("License plate read report");
    for (const [program, ...options] of [
      ["pdftotext"],
      ["pdfinfo"],
      ["mutool", "info"],
      ["mutool", "draw", "-F", "text"],
    ] as const)
      expect([program, run(program, ...options).complaints.replace(/^page .*\n/gm, "")]).toEqual([
        program,
        "",
      ]);
  });

  it("can be verified with openssl alone, by the commands in docs/api.md", () => {
    run("pdfinfo");
    writeFileSync(join(folder, "key.pem"), pem);
    const script = `
      tail -n 5 report.pdf > seal.txt
      sed -n 's/^%odin-report //p' seal.txt | tr -d '\\n' > statement.json
      sed -n 's/^%odin-signature //p' seal.txt | openssl base64 -d -A > statement.sig
      openssl dgst -sha256 -verify key.pem -signature statement.sig statement.json
      head -c $(($(wc -c < report.pdf) - $(wc -c < seal.txt))) report.pdf | openssl dgst -sha256 -r
      cat statement.json`;
    const done = spawnSync("sh", ["-c", script], { cwd: folder });
    const [verified, hash = "", statement = "{}"] = done.stdout.toString().split("\n");
    expect(verified).toBe("Verified OK");
    expect(JSON.parse(statement)).toMatchObject({ bytes: report.length, sha256: hash.split(" ")[0] });
  });
});

describe("a seal", () => {
  it("is short enough for readers to find the end of the file before it", () => {
    // Poppler, MuPDF and pdf.js look for it in the last 1,024 bytes.
    expect(sealed.length - report.length).toBeLessThan(800);
  });

  it("is not read from random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(readSeal(bytes)).toBeUndefined();
      }),
    );
  });
});

describe("unrelated files", () => {
  it("are identified neutrally: a PDF, a ZIP archive, a picture", async () => {
    const pdf = new TextEncoder().encode("%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n0\n%%EOF\n");
    const zip = new Uint8Array(zipSync({ "a.txt": Uint8Array.of(1), "b.txt": Uint8Array.of(2) }));
    const cut = zip.slice(0, zip.length - 5);
    const picture = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
    for (const [name, bytes] of Object.entries({
      "a.pdf": pdf,
      "a.zip": zip,
      "cut.zip": cut,
      "a.jpg": picture,
    })) {
      const checked = await check(bytes, name);
      expect([name, checked.verdict]).toEqual([name, "foreign"]);
      expect(checked.findings).toEqual([]);
    }
  });
});

describe("an archive whose entries inflate", () => {
  /** Returns an archive whose directory claims 20 bytes for a larger entry. */
  function bomb(name: string, size: number): Uint8Array<ArrayBuffer> {
    const zip = Buffer.from(zipSync({ [name]: new Uint8Array(size) }, { level: 9 }));
    const directory = zip.lastIndexOf(Buffer.from("PK\x01\x02", "latin1"));
    zip.writeUInt32LE(20, directory + 24);
    return new Uint8Array(zip);
  }

  it("is read only up to the size that its directory claims", async () => {
    const [entry] = await readZip(new Blob([bomb("manifest.json", 50_000_000)]));
    const before = process.memoryUsage().arrayBuffers;
    await expect(entry?.read()).rejects.toThrow("manifest.json is larger than the archive says.");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });

  it("is not inflated before its signature is verified", async () => {
    const huge = new Uint8Array(
      zipSync(
        { "manifest.json": new Uint8Array(40_000_000), "manifest.sig": new Uint8Array(70) },
        { level: 9 },
      ),
    );
    expect(await wrongOf(huge)).toEqual(["manifest.json: It is too large for the manifest of an export."]);
  });

  it("is rejected if the two sizes of a stored entry differ", async () => {
    const zip = Buffer.from(zipSync({ a: new Uint8Array(100) }, { level: 0 }));
    zip.writeUInt32LE(20, zip.lastIndexOf(Buffer.from("PK\x01\x02", "latin1")) + 24);
    const [entry] = await readZip(new Blob([new Uint8Array(zip)]));
    await expect(entry?.read()).rejects.toThrow("a is larger than the archive says.");
  });
});
