import { describe, expect, it } from "vitest";
import { hasSecondFactor } from "#app/entities/accounts/second-factor.ts";

const PASSKEY = { id: "p", name: "Phone", created_at: 0, last_used_at: null };

describe("hasSecondFactor", () => {
  it.each([
    [false, 0, false],
    [true, 0, true],
    [false, 1, true],
    [true, 2, true],
  ])("with an authenticator app %s and %i passkeys: %s", (totp, count, expected) => {
    const passkeys = Array.from({ length: count }, () => PASSKEY);
    // Recovery codes alone are no second factor, and neither is a policy that requires one.
    const status = { required: true, totp, passkeys, recovery_codes_left: 10 };
    expect(hasSecondFactor(status)).toBe(expected);
  });
});
