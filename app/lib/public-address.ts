export type AddressRule = {
  /** Take http and https to this machine, as development and tests need. */
  allowLoopback: boolean;
  /** Our own host: a call to it would be a loop. */
  ownHost?: string;
  /** Hosts that may be called, `*.example.com` for every name below one; `*` for every public host, as none set is. */
  hosts?: readonly string[];
};

/** Names that mean something only inside a network (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and habit). */
const INSIDE_NAMES = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "arpa",
  "test",
  "invalid",
  "onion",
  "alt",
];

/** IPv4 blocks that are no public unicast: IANA's special-purpose registry, multicast and class E. */
const INSIDE_V4: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // Azure's platform address, public by its number and metadata by its use.
  ["168.63.129.16", 32],
];

/**
 * Why a server must not call an address, in words for the administrator who entered it, or undefined where it may:
 * https on port 443 to a public host, written plainly. Every spelling of an IP address is judged by what it means,
 * since the URL parser folds hexadecimal, octal, short and full-width forms. A public name that resolves inward is
 * beyond a rule on text: there the runtime's refusal to route to private networks is the guard.
 */
export function publicAddressProblem(text: string, rule: AddressRule): string | undefined {
  // What the parser would drop or fold silently is a disguise in an address that people type.
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || /[\\]/.test(text))
    return "The address must be plain text without spaces.";
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return "The address must start with https://.";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return "The address must not hold a user name or password.";
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text))
    return "The address must not hold a query or fragment.";
  const host = url.hostname.toLowerCase();
  if (host.endsWith(".")) return "The host must not end with a dot.";
  if (rule.allowLoopback && isLoopback(host)) return undefined;
  if (url.protocol !== "https:") return "The address must start with https://.";
  if (url.port !== "") return "The address must use the standard https port.";
  if (rule.ownHost !== undefined && host === rule.ownHost.toLowerCase().replace(/:\d+$/, "")) {
    return "The address must not be Odin's own.";
  }
  if (!isPublicHost(host)) return "The address must be a public host.";
  if (rule.hosts && !rule.hosts.some((allowed) => isBelow(host, allowed.toLowerCase())))
    return "The address is not one of the hosts that this installation may call (VENDOR_HOSTS).";
  return undefined;
}

function isBelow(host: string, allowed: string): boolean {
  if (allowed === "*") return true;
  return allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (v4(host) ?? 0) >>> 24 === 127;
}

function isPublicHost(host: string): boolean {
  if (host.startsWith("[")) return isPublicV6(host.slice(1, -1));
  const address = v4(host);
  if (address !== undefined)
    return !INSIDE_V4.some(([network, bits]) => inBlock(address, v4(network) ?? 0, bits));
  const labels = host.split(".");
  const last = labels.at(-1) ?? "";
  if (labels.length < 2 || !labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)))
    return false;
  // Internationalised names are refused: a look-alike of a vendor's name is the only reason to meet one here.
  if (labels.some((label) => label.startsWith("xn--")) || /^\d/.test(last)) return false;
  return !INSIDE_NAMES.includes(last);
}

/** A dotted IPv4 address as the URL parser writes it, as an unsigned number. */
function v4(host: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  if (!match) return undefined;
  return match.slice(1).reduce((sum, part) => sum * 256 + Number(part), 0);
}

function inBlock(address: number, network: number, bits: number): boolean {
  const size = 2 ** (32 - bits);
  return Math.floor(address / size) === Math.floor(network / size);
}

/**
 * Global unicast is 2000::/3. In it 2001::/23 (Teredo, ORCHID and other protocols), 2001:db8::/32, 2002::/16 (6to4)
 * and 3fff::/20 are not hosts; IPv4-mapped, NAT64, unique-local, link-local and loopback addresses lie outside.
 */
function isPublicV6(address: string): boolean {
  const [first = 0, second = 0] = groups(address);
  if (first < 0x2000 || first > 0x3fff) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

/** The leading groups of an IPv6 address as the URL parser writes it. */
function groups(address: string): number[] {
  const head = address.split("::")[0] ?? "";
  return head === "" ? [] : head.split(":").map((group) => Number.parseInt(group, 16));
}
