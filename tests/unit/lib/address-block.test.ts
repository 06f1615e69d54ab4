import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressBlock } from "#app/lib/address-range.ts";

describe("the block of an address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["local", "local"],
    ["", ""],
    ["not:an:address", "not:an:address"],
    ["2001:db8:7:1::1", "2001:db8:7:1::/64"],
    ["2001:DB8:7:1:ffff:ffff:ffff:ffff", "2001:db8:7:1::/64"],
    ["2001:db8:7:2::1", "2001:db8:7:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::", "fe80:0:0:0::/64"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["0:0:0:0:0:ffff:c000:0207", "192.0.2.7"],
    // Only with five groups of zeros before it.
    ["1:0:0:0:0:ffff:c000:207", "1:0:0:0::/64"],
    ["0:0:0:0:1:ffff:c000:207", "0:0:0:0::/64"],
    // A URL with brackets around these has the host ::1.
    ["x]@[::1", "x]@[::1"],
    ["::1]/x", "::1]/x"],
  ])("of %s is %s", (address, block) => {
    expect(addressBlock(address)).toBe(block);
  });

  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  it("is the same for all addresses of a network in any notation, and differs for the next network", () => {
    fc.assert(
      fc.property(fc.tuple(group, group, group), group, group, fc.boolean(), (network, one, two, padded) => {
        const write = (host: string) => {
          const groups = ["2001", ...network, "0", "0", "1", host];
          return groups.map((text) => (padded ? text.padStart(4, "0").toUpperCase() : text)).join(":");
        };
        expect(addressBlock(write(one))).toBe(addressBlock(write(two)));
        const next = `2002:${network.join(":")}:0:0:1:${one}`;
        expect(addressBlock(next)).not.toBe(addressBlock(write(one)));
      }),
    );
  });
});
