/** Ranges of IP addresses: one address, or a block in CIDR notation (RFC 4632, RFC 4291 section 2.3). Pure. */

type Version = 4 | 6;
const WIDTH = { 4: 32, 6: 128 } as const;

export type AddressRange = { version: Version; network: bigint; bits: number };

type Address = { version: Version; value: bigint; isMapped: boolean };

/** IPv4 in IPv6, `::ffff:192.0.2.1`, is the IPv4 address. */
const MAPPED = 0xffffn;

/**
 * Returns the eight 16-bit groups of an IPv6 address in any notation of RFC 4291, or undefined for other text. Zone ids
 * are refused.
 */
function ipv6Groups(address: string): number[] | undefined {
  // Checked first, because a URL may have more than an address: `x]@[::1` and `::1]/x` would be one too.
  if (!/^[\da-f:.]{2,45}$/i.test(address) || !URL.canParse(`http://[${address}]`)) return undefined;
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/**
 * Returns the part of the internet that one customer controls: an IPv4 address, or the 64-bit network of an IPv6
 * address in the form `2001:db8:0:1::/64` (RFC 6177: a site gets at least one such network). Returns other text
 * unchanged.
 */
export function addressBlock(address: string): string {
  const groups = ipv6Groups(address);
  if (!groups) return address;
  const [mapped, high = 0, low = 0] = groups.slice(5);
  if (mapped === 0xffff && groups.slice(0, 5).every((group) => group === 0))
    return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

function parseAddress(text: string): Address | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split(".");
    // Some parsers read a leading zero as octal.
    if (parts.some((part) => Number(part) > 255 || /^0\d/.test(part))) return undefined;
    const value = parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    return { version: 4, value, isMapped: false };
  }
  const groups = ipv6Groups(text);
  if (!groups) return undefined;
  const value = groups.reduce((sum, group) => sum * 65536n + BigInt(group), 0n);
  return value >> 32n === MAPPED
    ? { version: 4, value: value & 0xffffffffn, isMapped: true }
    : { version: 6, value, isMapped: false };
}

const firstOf = (value: bigint, version: Version, bits: number) => {
  const rest = BigInt(WIDTH[version] - bits);
  return (value >> rest) << rest;
};

/**
 * Parses `192.0.2.7`, `192.0.2.0/24`, `2001:db8::1` or `2001:db8::/32`. An address within a block stands for the block;
 * `isFirst` says whether it is the block's first. Returns undefined for other text.
 */
export function parseAddressRange(text: string): (AddressRange & { isFirst: boolean }) | undefined {
  const [, written = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(written);
  if (!address) return undefined;
  const { version, value, isMapped } = address;
  const width = isMapped ? WIDTH[6] : WIDTH[version];
  const given = prefix === undefined ? width : Number(prefix);
  const bits = isMapped ? given - (WIDTH[6] - WIDTH[4]) : given;
  if (given > width || bits < 0 || /^0\d/.test(prefix ?? "")) return undefined;
  const network = firstOf(value, version, bits);
  return { version, network, bits, isFirst: network === value };
}

/** Writes a range in its shortest form; a range of one address without its length. */
export function writeAddressRange({ version, network, bits }: AddressRange): string {
  const length = bits === WIDTH[version] ? "" : `/${bits}`;
  if (version === 4) return `${groupsOf(network, { count: 4, size: 8n }).join(".")}${length}`;
  const groups = groupsOf(network, { count: 8, size: 16n }).map((group) => group.toString(16));
  return `${new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1)}${length}`;
}

/** Returns the groups of a number, most significant first. */
function groupsOf(value: bigint, { count, size }: { count: number; size: bigint }): bigint[] {
  return Array.from(
    { length: count },
    (_, i) => (value >> (size * BigInt(count - 1 - i))) & ((1n << size) - 1n),
  );
}

/** Returns whether an address is in one of these ranges. Text that is not an address is in none. */
export function isAddressWithin(address: string, ranges: readonly string[]): boolean {
  const found = parseAddress(address);
  if (!found) return false;
  const { version, value } = found;
  return ranges.some((text) => {
    const range = parseAddressRange(text);
    return range?.version === version && firstOf(value, version, range.bits) === range.network;
  });
}
