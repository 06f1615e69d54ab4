/**
 * Returns the eight 16-bit groups of an IPv6 address in any notation of RFC 4291, or undefined for other text. Zone ids
 * are refused.
 */
export function ipv6Groups(address: string): number[] | undefined {
  if (!address.includes(":") || !URL.canParse(`http://[${address}]`)) return undefined;
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
