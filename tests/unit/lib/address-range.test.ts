import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAddressWithin, parseAddressRange, writeAddressRange } from "#app/lib/address-range.ts";

const written = (text: string) => {
  const range = parseAddressRange(text);
  return range && writeAddressRange(range);
};

describe("a range of addresses", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["192.0.2.0/24", "192.0.2.0/24"],
    ["192.0.2.9/24", "192.0.2.0/24"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:db8::1/128", "2001:db8::1"],
    ["2001:db8:ffff::/33", "2001:db8:8000::/33"],
    ["::/0", "::/0"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ])("is read from %s as %s", (text, canonical) => {
    expect(written(text)).toBe(canonical);
  });

  it.each([
    "",
    "local",
    "192.0.2",
    "192.0.2.256",
    "192.0.02.1",
    "0x7f.0.0.1",
    "192.0.2.1/33",
    "192.0.2.1/",
    "192.0.2.1/024",
    "192.0.2.1/24/8",
    "192.0.2.1 /24",
    "192.0.2.1/-1",
    "2001:db8::1::2",
    "2001:db8::/129",
    "::ffff:192.0.2.0/95",
    "fe80::1%eth0",
    "[::1]",
    "1:2:3:4:5:6:7:8:9",
    "٣.0.0.1",
    "x]@[::1",
    "/192.0.2.1/24",
    "x/::1/64",
  ])("is not read from %j", (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  });

  it("reports whether an address is the first of its block", () => {
    expect(parseAddressRange("10.0.0.0/8")?.isFirst).toBe(true);
    expect(parseAddressRange("10.0.0.1/8")?.isFirst).toBe(false);
    expect(parseAddressRange("2001:db8::1/64")?.isFirst).toBe(false);
  });

  it("contains only its own addresses, and never text that is not an address", () => {
    expect(isAddressWithin("192.0.2.255", ["192.0.2.0/24"])).toBe(true);
    expect(isAddressWithin("192.0.3.0", ["192.0.2.0/24"])).toBe(false);
    expect(isAddressWithin("2001:db8::ffff", ["192.0.2.0/24", "2001:db8::/64"])).toBe(true);
    expect(isAddressWithin("2001:db8:0:1::", ["2001:db8::/64"])).toBe(false);
    // IPv4 in IPv6 is the IPv4 address, and no IPv4 address is in an IPv6 block.
    expect(isAddressWithin("::ffff:192.0.2.9", ["192.0.2.0/24"])).toBe(true);
    expect(isAddressWithin("192.0.2.9", ["::/0"])).toBe(false);
    expect(isAddressWithin("local", ["0.0.0.0/0", "::/0"])).toBe(false);
    expect(isAddressWithin("::1]/x", ["::/0"])).toBe(false);
    expect(isAddressWithin("192.0.2.9", ["nonsense", "192.0.2.0/24"])).toBe(true);
    expect(isAddressWithin("192.0.2.9", [])).toBe(false);
  });

  const v4 = fc.tuple(...Array.from({ length: 4 }, () => fc.nat(255)));
  const v6 = fc.tuple(...Array.from({ length: 8 }, () => fc.nat(0xffff)));
  const bitsOf = (parts: number[], size: number) =>
    parts.map((part) => part.toString(2).padStart(size, "0")).join("");

  it.each([
    ["IPv4", v4, { size: 8, join: (parts: number[]) => parts.join(".") }],
    ["IPv6", v6, { size: 16, join: (parts: number[]) => parts.map((part) => part.toString(16)).join(":") }],
  ] as const)("contains exactly the %s addresses with its leading bits", (_, address, { size, join }) => {
    fc.assert(
      fc.property(address, address, fc.nat(8 * 16), (one, other, length) => {
        const bits = length % (one.length * size + 1);
        // Half of the addresses share some bits with the range.
        const shared = one.map((part, i) => (i < bits / size - 1 ? part : (other[i] ?? 0)));
        const range = `${join([...one])}/${bits}`;
        for (const tried of [[...other], shared, [...one]]) {
          const isInside = bitsOf([...one], size).slice(0, bits) === bitsOf(tried, size).slice(0, bits);
          expect(isAddressWithin(join(tried), [range])).toBe(isInside);
        }
        const canonical = written(range) ?? "";
        expect(written(canonical)).toBe(canonical);
        expect(parseAddressRange(canonical)?.isFirst).toBe(true);
        expect(isAddressWithin(join([...one]), [canonical])).toBe(true);
      }),
    );
  });
});
