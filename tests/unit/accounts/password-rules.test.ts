import { describe, expect, it } from "vitest";
import { banReason } from "#app/domain/accounts/banned-passwords.ts";
import { bannedProblem, shapeProblem } from "#app/entities/accounts/password-rules.ts";
import {
  hashRandomPassword,
  needsRehash,
  randomPassword,
  verifyPassword,
} from "#app/lib/crypto/passwords.ts";
import { totpAddress, totpStep } from "#app/lib/crypto/totp.ts";
import { totpCode } from "../../support/accounts/totp.ts";

const NAMES = {
  username: "oofficer",
  name: "Otis Officer",
  email: "otis.o@x.example",
  agency: "Hartford Police",
};

describe("a password", () => {
  it.each([
    ["Ab1!efg", /at least 8/],
    ["abcdefg1!", /uppercase/],
    ["ABCDEFG1!", /lowercase/],
    ["Abcdefgh!", /digit/],
    ["Abcdefgh1", /special/],
    [`Aa1!${"x".repeat(509)}`, /at most 512/],
  ])("%s is rejected by shape", (password, reason) => {
    expect(shapeProblem(password)).toMatch(reason);
  });

  it("may be long and contain spaces and any script", () => {
    for (const password of ["Aa1 ütf Straße", `Aa1!${"long words ".repeat(30)}`, "Ω ω 7 κλειδί μακρύ"])
      expect(shapeProblem(password)).toBeUndefined();
  });

  it.each(["Password1!", "P@ssw0rd123", "!!Dragon77", "Qwerty123456!", "Aaaa1111!!"])(
    "%s is banned",
    (password) => {
      expect(banReason(password, NAMES)).toBeTruthy();
    },
  );

  it.each(["Hartford26!", "Otis-Officer-1", "oOfficer2026!", "Odin-2026!!", "H4rtf0rd-26!"])(
    "%s is rejected as little more than a name",
    (password) => {
      expect(banReason(password, NAMES)).toMatch(/name|list/);
    },
  );

  it("is accepted if it contains enough besides names", () => {
    for (const password of ["Willow-Kettle-38", "Correct-Horse-7-Battery", "Hartford-Kayak-82-Moss"])
      expect(banReason(password, NAMES)).toBeUndefined();
  });
});

describe("the limits of a password", () => {
  const names = { username: "kim", name: "Kim Li", email: "kim@x.example", agency: "Hartford" };
  const problem = (password: string) => bannedProblem(password, names, () => false);

  it("require eight characters, however many bytes they have", () => {
    expect(shapeProblem("Abcde1!")).toContain("at least 8 characters");
    expect(shapeProblem("Abcdef1!")).toBeUndefined();
    expect(shapeProblem("Abcd1!🚓")).toContain("at least 8 characters");
    expect(shapeProblem("Abcde1!🚓")).toBeUndefined();
  });

  it("are five distinct characters, whatever their case", () => {
    expect(problem("Aa1!Bb1!Aa1!")).toBe("The password uses too few different characters.");
    expect(problem("Aa1!Bb2!Aa1!")).toBeUndefined();
  });

  it("are names of three letters and more", () => {
    expect(problem("Kim-294175")).toContain("too close to a name");
    expect(problem("Kim-2941753")).toBeUndefined();
    expect(problem("Li-294175")).toBeUndefined();
  });
});

describe("the requirements that a password does not meet", () => {
  it("are listed as a sentence", () => {
    expect(shapeProblem("")).toBe(
      "The password needs at least 8 characters, an uppercase letter, a lowercase letter, a digit, and a special character.",
    );
    expect(shapeProblem("Abcdefg1")).toBe("The password needs a special character.");
  });

  it("allow 512 characters", () => {
    expect(shapeProblem(`Aa1!${"x".repeat(508)}`)).toBeUndefined();
    expect(shapeProblem(`Aa1!${"x".repeat(509)}`)).toBe("A password can have at most 512 characters.");
  });
});

describe("a common word in a password", () => {
  const names = { username: "xu", name: "X U", email: "xu@x.example", agency: "X" };
  const COMMON = "The password is on the list of common and stolen passwords.";

  it.each([
    // The word, with seven and with eight other characters after or around it.
    ["moon", "moon1234567", COMMON],
    ["moon", "moon12345678", undefined],
    ["moon", "!!!!moon567", COMMON],
    ["moon", "!!!!moon5678", undefined],
    // Shorter words are part of many passwords.
    ["sun", "sun12!", undefined],
    // Digits and symbols are removed only before and after the word, and read as letters within it.
    ["moon", "--m00n26--", COMMON],
    ["kettle", "--ket9tle--", undefined],
    ["m00n", "m00n-26", COMMON],
  ])("%s in %s: %s", (word, password, expected) => {
    expect(bannedProblem(password, names, (candidate) => candidate === word)).toBe(expected);
  });
});

describe("a name in a password", () => {
  const NAME = "The password is too close to a name: yours, your agency's or the product's.";
  const names = {
    username: "kim",
    name: "Kimberly Li",
    email: "sunny@x.example",
    agency: "East-Hartford PD",
  };

  it.each([
    // A short password without a name is refused by its length, not by this rule.
    ["Zq1!x", undefined],
    ["kim-294175", NAME],
    ["sunny-294175", NAME],
    ["Odin-294175", NAME],
    ["Odin-2941753", undefined],
    ["Hartford-294175", NAME],
    // The whole name is removed, not only the shorter one at its start.
    ["Kimberly-294175", NAME],
    ["Kimberly-2941753", undefined],
    // Several names in one password.
    ["East-Hartford-29417", NAME],
    ["example-294175", undefined],
  ])("%s: %s", (password, expected) => {
    expect(bannedProblem(password, names, () => false)).toBe(expected);
  });
});

describe("a temporary password", () => {
  it("is random and matches only its own keyed hash", async () => {
    const [one, two] = [randomPassword(), randomPassword()];
    expect(one).toMatch(/^(\w{4}-){3}\w{4}$/);
    expect(one).not.toBe(two);
    const hash = await hashRandomPassword(one, "pepper");
    expect(await verifyPassword(one, "pepper", hash)).toBe(true);
    expect(await verifyPassword(two, "pepper", hash)).toBe(false);
    expect(await verifyPassword(one, "other", hash)).toBe(false);
    expect(needsRehash(hash, "pepper")).toBe(false);
  });
});

describe("TOTP", () => {
  it("follows RFC 6238 and accepts the adjacent time steps", () => {
    const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    expect(totpCode(secret, 59_000)).toBe("287082");
    expect(totpStep(secret, "287082", 59_000)).toBe(1);
    expect(totpStep(secret, "287082", 89_000)).toBe(1);
    expect(totpStep(secret, "287082", 120_000)).toBeUndefined();
    for (const code of ["", "28708", "2870822", "abcdef"])
      expect(totpStep(secret, code, 59_000)).toBeUndefined();
    expect(totpAddress(secret, { issuer: "Odin", account: "x" })).toMatch(
      /^otpauth:\/\/totp\/Odin:x\?issuer=Odin/,
    );
  });
});
