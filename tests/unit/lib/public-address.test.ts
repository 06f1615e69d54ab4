import { describe, expect, it } from "vitest";
import { type AddressRule, publicAddressProblem, pushEndpointProblem } from "#app/lib/public-address.ts";

const problemOf = (url: string, rule: Partial<AddressRule> = {}) =>
  publicAddressProblem(url, { allowLoopback: false, ...rule });
const isPublic = (host: string) => problemOf(`https://${host}`) === undefined;

const PLAIN = "The address must be plain text without spaces.";
const HTTPS = "The address must start with https://.";
const USER = "The address must not contain a user name or password.";
const QUERY = "The address must not contain a query or fragment.";

describe("the problem of an address is named", () => {
  it.each([
    ["", PLAIN],
    ["https://vendor.example/a b", PLAIN],
    ["https://vendor.example/ü", PLAIN],
    ["https://vendor.example\\a", PLAIN],
    [`https://vendor.example/${"a".repeat(1978)}`, PLAIN],
    ["http://vendor.example", HTTPS],
    ["ftp://vendor.example", HTTPS],
    ["xhttps://vendor.example", HTTPS],
    ["https:///vendor.example", HTTPS],
    ["https://[::1", HTTPS],
    ["https://amy@vendor.example", USER],
    ["https://:secret@vendor.example", USER],
    ["https://@vendor.example", USER],
    ["https://vendor.example?a=1", QUERY],
    ["https://vendor.example/?", QUERY],
    ["https://vendor.example/#a", QUERY],
    ["https://vendor.example#", QUERY],
    ["https://vendor.example.", "The host must not end with a dot."],
    ["https://vendor.example:8443", "The address must use the standard https port."],
    ["https://printer.local", "The address must be a public host."],
  ])("of %s", (url, problem) => {
    expect(problemOf(url)).toBe(problem);
  });

  it("but not for a long path, an at sign in the path, or the port of https", () => {
    for (const path of [`/${"a".repeat(1977)}`, "/a@b", ":443/x"])
      expect(problemOf(`https://vendor.example${path}`)).toBeUndefined();
    expect(problemOf("HTTPS://VENDOR.EXAMPLE")).toBeUndefined();
  });

  it("by the setting that lists the allowed hosts", () => {
    const text = (setting: string) =>
      `The address is not one of the hosts that this installation may call (${setting}).`;
    expect(problemOf("https://vendor.example", { hosts: [] })).toBe(text("VENDOR_HOSTS"));
    expect(problemOf("https://vendor.example", { hosts: ["x"], setting: "PUSH_HOSTS" })).toBe(
      text("PUSH_HOSTS"),
    );
    for (const hosts of [["Vendor.Example"], ["*.EXAMPLE"], ["x", "*"]])
      expect(problemOf("https://vendor.example", { hosts })).toBeUndefined();
    expect(problemOf("https://vendor.example", { hosts: ["*.vendor.example"] })).toBe(text("VENDOR_HOSTS"));
  });

  it("if it is Odin's own, in any case and with any port", () => {
    const own = "The address must not be Odin's own.";
    for (const ownHost of ["odin.example", "ODIN.example:8788"])
      expect(problemOf("https://Odin.Example/x", { ownHost })).toBe(own);
    expect(problemOf("https://odin.example", { ownHost: "odin.example2" })).toBeUndefined();
  });
});

it("a query is allowed if the rule says so, and the rest is checked as without one", () => {
  const withQuery = (end: string) => problemOf(`https://vendor.example${end}`, { query: true });
  for (const end of ["?a=1", "/?", "/x?a=https://b@c?d"]) expect(withQuery(end)).toBeUndefined();
  for (const end of ["#", "/?a#b"]) expect(withQuery(end)).toBe("The address must not contain a fragment.");
  expect(withQuery(".local?a=.vendor.example")).toBe("The address must be a public host.");
  expect(withQuery("@10.0.0.1/?a")).toBe(USER);
});

describe("an IPv4 block that is not public", () => {
  /** By IANA's special-purpose registry: the first and the last address, and the public neighbors if there are any. */
  it.each([
    ["0.0.0.0", "0.255.255.255", "1.0.0.0"],
    ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
    ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
    ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
    ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
    ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
    ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
    ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
    ["192.31.196.0", "192.31.196.255", "192.31.195.255", "192.31.197.0"],
    ["192.52.193.0", "192.52.193.255", "192.52.192.255", "192.52.194.0"],
    ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
    ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
    ["192.175.48.0", "192.175.48.255", "192.175.47.255", "192.175.49.0"],
    ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
    ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
    ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
    ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
    ["224.0.0.0", "239.255.255.255", "223.255.255.255"],
    ["240.0.0.0", "255.255.255.255", "223.255.255.255"],
  ])("is from %s to %s", (first, last, ...neighbors) => {
    expect([isPublic(first), isPublic(last)]).toEqual([false, false]);
    expect(neighbors.map(isPublic)).toEqual(neighbors.map(() => true));
  });
});

describe("a name", () => {
  const ends =
    "localhost localdomain local internal intranet private corp home lan arpa test invalid onion alt";
  it.each(ends.split(" "))("that ends with .%s has a meaning only inside a network", (end) => {
    expect([isPublic(`vendor.${end}`), isPublic(`${end}.example`), isPublic(`vendor.x${end}`)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it.each([
    ["vendor", false],
    ["a.b", true],
    ["a_b.c-d.example", true],
    ["_a.example", true],
    ["a-.example", false],
    [`${"a".repeat(63)}.example`, true],
    [`${"a".repeat(64)}.example`, false],
    ["a.xn--p1ai", false],
    ["xn--a.example", false],
    ["axn--a.example", true],
  ])("such as %s is public: %s", (host, expected) => {
    expect(isPublic(host)).toBe(expected);
  });
});

it("loopback is allowed over http and on any port if the rule says so, except with a user or a query", () => {
  const loopback = (url: string) => problemOf(url, { allowLoopback: true, hosts: [], ownHost: "localhost" });
  for (const url of ["http://localhost:1", "http://127.0.0.1", "http://127.255.0.1:9", "http://[::1]:8"])
    expect(loopback(url)).toBeUndefined();
  expect(loopback("http://a@localhost")).toBe(USER);
  expect(loopback("http://localhost?x")).toBe(QUERY);
  for (const url of ["http://128.0.0.1", "http://126.0.0.1", "http://[::2]", "http://localhost.example"])
    expect(loopback(url)).toBe(HTTPS);
});

describe("the endpoint of a push service", () => {
  const push = (endpoint: string) =>
    pushEndpointProblem(endpoint, { allowLoopback: false, hosts: ["*.push.example"] });
  it("may have a query, but neither a fragment nor other characters", () => {
    expect(push("https://fcm.push.example/send/abc?token=1&b=?c")).toBeUndefined();
    expect(push("https://fcm.push.example/send?a#b")).toBe("The address must not contain a fragment.");
    expect(push("https://fcm.push.example/send?a b")).toBe(PLAIN);
    expect(push("https://fcm.push.example/send?ü")).toBe(PLAIN);
    expect(push("https://other.example/?https://fcm.push.example")).toContain("not one of the hosts");
    expect(push("")).toBe(PLAIN);
  });
});
