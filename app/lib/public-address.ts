import { isAddressWithin } from "./address-range.ts";

export type AddressRule = {
  /** Allow http and https to this machine, for development and tests. */
  allowLoopback: boolean;
  /** Odin's own host: a call to it would be a loop. */
  ownHost?: string;
  /** Allowed hosts, `*.example.com` for every name below one; `*` or absent for every public host. */
  hosts?: readonly string[];
  /** The setting that lists the allowed hosts, for the message; by default VENDOR_HOSTS. */
  setting?: string;
  /** A query is allowed. */
  query?: boolean;
};

/**
 * Names with a meaning only inside a network (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and common use).
 */
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

/** IPv4 blocks outside public unicast: IANA's special-purpose registry, multicast and class E. */
const INSIDE_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Azure's platform address: a public number, but a metadata service.
  "168.63.129.16",
];

/**
 * Global unicast addresses of IPv6. IPv4-mapped, NAT64, unique-local, link-local and loopback addresses are outside of
 * it.
 */
const UNICAST_V6 = ["2000::/3"];
/** Blocks in it that are not public: Teredo, ORCHID and other protocols, documentation, and 6to4. */
const INSIDE_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
const LOOPBACK = ["127.0.0.0/8"];

/**
 * Returns why a server must not call an address, as a message for the administrator who entered it, or undefined if
 * it may: https on port 443 to a public host, in plain notation. All spellings of an IP address are covered,
 * because the URL parser normalizes hexadecimal, octal, short and full-width forms. A public name that resolves to
 * a private address is not covered; the runtime refuses to route to private networks.
 */
export function publicAddressProblem(text: string, rule: AddressRule): string | undefined {
  // Characters that the parser would drop or fold silently are rejected.
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || /[\\]/.test(text))
    return "The address must be plain text without spaces.";
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return "The address must start with https://.";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return "The address must not contain a user name or password.";
  }
  if ((rule.query ? /#/ : /[?#]/).test(text))
    return `The address must not contain a ${rule.query ? "" : "query or "}fragment.`;
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
    return `The address is not one of the hosts that this installation may call (${rule.setting ?? "VENDOR_HOSTS"}).`;
  return undefined;
}

function isBelow(host: string, allowed: string): boolean {
  if (allowed === "*") return true;
  return allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || isAddressWithin(host, LOOPBACK);
}

function isPublicHost(host: string): boolean {
  const v6 = host.startsWith("[") ? host.slice(1, -1) : undefined;
  if (v6 !== undefined) return isAddressWithin(v6, UNICAST_V6) && !isAddressWithin(v6, INSIDE_V6);
  // As the URL parser writes it.
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return !isAddressWithin(host, INSIDE_V4);
  const labels = host.split(".");
  const last = labels.at(-1) ?? "";
  if (labels.length < 2 || !labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label)))
    return false;
  // Internationalized names are rejected: here they could only imitate a vendor's name.
  if (labels.some((label) => label.startsWith("xn--")) || /^\d/.test(last)) return false;
  return !INSIDE_NAMES.includes(last);
}

/**
 * Returns why Odin must not post to a push endpoint that a browser named, or undefined if it may: https to one of the
 * hosts of push services (PUSH_HOSTS). Some services put the subscription into the query, so a query is allowed.
 */
export function pushEndpointProblem(
  endpoint: string,
  rule: { allowLoopback: boolean; hosts: readonly string[] },
): string | undefined {
  return publicAddressProblem(endpoint, { ...rule, query: true });
}
