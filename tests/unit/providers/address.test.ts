import fc from "fast-check";
import { expect, test } from "vitest";
import { publicAddressProblem } from "#app/lib/public-address.ts";

const allowed = (url: string, allowLoopback = false) =>
  publicAddressProblem(url, { allowLoopback }) === undefined;

test.each([
  "https://cloud.openalpr.com",
  "https://police.openalpr.com/",
  "https://agency.ca.evidence.com",
  "https://vendor.example/base/path",
  "https://vendor.example:443",
  "https://8.8.8.8",
  "https://[2606:4700:4700::1111]",
])("%s may be called", (url) => {
  expect(publicAddressProblem(url, { allowLoopback: false })).toBeUndefined();
});

test.each([
  "",
  "vendor.example",
  "ftp://vendor.example",
  "http://vendor.example",
  "https:///vendor.example",
  "https:vendor.example",
  "javascript:alert(1)",
  "https://vendor.example:8443",
  "https://vendor.example?x=1",
  "https://vendor.example/?",
  "https://vendor.example#",
  "https://a@vendor.example",
  "https://@vendor.example",
  "https://:@vendor.example",
  "https://vendor.example@10.0.0.1",
  "https://vendor.example\\@10.0.0.1",
  " https://vendor.example",
  "https://vendor.example\n",
  "https://ven dor.example",
  "https://vendor.example.",
  "https://localhost.",
  "https://127.0.0.1.",
  "https://vendor",
  "https://localhost",
  "https://a.localhost",
  "https://printer.local",
  "https://db.internal",
  "https://router.home.arpa",
  "https://metadata.google.internal",
  "https://127.0.0.1",
  "https://127.1",
  "https://0x7f000001",
  "https://0x7f.1",
  "https://0177.0.0.1",
  "https://2130706433",
  "https://0",
  "https://0.0.0.0",
  "https://10.1.2.3",
  "https://172.16.0.1",
  "https://172.31.255.255",
  "https://192.168.1.1",
  "https://169.254.169.254",
  "https://100.64.0.1",
  "https://100.127.255.255",
  "https://100.100.100.200",
  "https://168.63.129.16",
  "https://192.0.0.192",
  "https://192.0.2.1",
  "https://192.88.99.1",
  "https://198.18.0.1",
  "https://198.51.100.1",
  "https://203.0.113.1",
  "https://224.0.0.1",
  "https://255.255.255.255",
  "https://[::1]",
  "https://[::]",
  "https://[::ffff:127.0.0.1]",
  "https://[::ffff:8.8.8.8]",
  "https://[::127.0.0.1]",
  "https://[0:0:0:0:0:ffff:7f00:1]",
  "https://[64:ff9b::8.8.8.8]",
  "https://[64:ff9b:1::1]",
  "https://[2002:7f00:1::]",
  "https://[2001:0:1::1]",
  "https://[2001::1]",
  "https://[2001:db8::1]",
  "https://[3fff::1]",
  "https://[fc00::1]",
  "https://[fd00:ec2::254]",
  "https://[fe80::1]",
  "https://[fec0::1]",
  "https://[ff02::1]",
  "https://[100::1]",
  "https://１２７.0.0.1",
  "https://ⓛocalhost",
  "https://vendör.example",
  "https://xn--vendr-jua.example",
  "https://-vendor.example",
  "https://vendor..example",
])("%j may not be called", (url) => {
  expect(publicAddressProblem(url, { allowLoopback: false })).toBeTypeOf("string");
  // Private addresses are also refused if loopback is allowed.
  if (!/127|localhost|::1\]|0x7f|0177|2130706433/.test(url)) expect(allowed(url, true)).toBe(false);
});

test("loopback may be called if it is allowed, on any port, and nothing else over http", () => {
  for (const url of [
    "http://localhost:8788",
    "http://127.0.0.1:9001/",
    "https://127.8.9.1",
    "http://[::1]:80",
  ]) {
    expect(allowed(url, true)).toBe(true);
    expect(allowed(url, false)).toBe(false);
  }
  for (const url of [
    "http://localhost.",
    "http://a.localhost",
    "http://10.0.0.1",
    "http://vendor.example",
    "http://a@localhost",
  ]) {
    expect(allowed(url, true)).toBe(false);
  }
});

test("the product's own host is refused, to prevent request loops", () => {
  const rule = { allowLoopback: false, ownHost: "odin.example" };
  expect(publicAddressProblem("https://odin.example/x", rule)).toMatch(/own/);
  expect(publicAddressProblem("https://other.example", rule)).toBeUndefined();
});

test("every spelling of a private IPv4 address is refused", () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const privateAddress = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  );
  fc.assert(
    fc.property(privateAddress, ([a, b, c, d]) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const hexadecimal = `0x${number.toString(16)}`;
      const octal = [a, b, c, d].map((part) => `0${part.toString(8)}`).join(".");
      const short = `${a}.${(b * 256 + c) * 256 + d}`;
      const mapped = `[::ffff:${a}.${b}.${c}.${d}]`;
      for (const host of [`${a}.${b}.${c}.${d}`, String(number), hexadecimal, octal, short, mapped]) {
        expect(allowed(`https://${host}`)).toBe(false);
      }
    }),
  );
});

test("the check never throws, whatever the input", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.webUrl(),
        fc.ipV6().map((ip) => `https://[${ip}]`),
      ),
      (text) => {
        const problem = publicAddressProblem(text, { allowLoopback: true });
        if (problem === undefined) expect(new URL(text).username).toBe("");
      },
    ),
  );
});

test.each([
  [
    "2001:0::1",
    "2001:100::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002::1",
    "3fff::1",
    "3fff:fff::1",
    "1fff::1",
    "4000::1",
  ],
])("only IPv6 addresses in global unicast are allowed, and none inside protocol blocks", (...addresses) => {
  for (const address of addresses)
    expect(publicAddressProblem(`https://[${address}]`, { allowLoopback: false }), address).toBe(
      "The address must be a public host.",
    );
});

test("IPv6 addresses next to those blocks are public", () => {
  for (const address of [
    "2000::1",
    "2001:200::1",
    "2001:db7::1",
    "2001:db9::1",
    "2003::1",
    "3ffe:fff::1",
    "3fff:1000::1",
  ])
    expect(publicAddressProblem(`https://[${address}]`, { allowLoopback: false }), address).toBeUndefined();
});
