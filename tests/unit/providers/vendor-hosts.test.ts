import fc from "fast-check";
import { expect, test } from "vitest";
import { publicAddressProblem } from "#app/lib/public-address.ts";
import { createVendorHttp } from "#app/providers/http.ts";

const hosts = ["cloud.openalpr.com", "*.evidence.com"];
const allowed = (url: string, more: object = {}) =>
  publicAddressProblem(url, { allowLoopback: false, hosts, ...more }) === undefined;

test("an address is called only at an allowed host, or below an allowed wildcard", () => {
  for (const url of [
    "https://cloud.openalpr.com",
    "https://CLOUD.openalpr.com/base",
    "https://agency.evidence.com",
    "https://agency.ca.evidence.com/gateway",
  ])
    expect([url, allowed(url)]).toEqual([url, true]);
  for (const url of [
    "https://evidence.com",
    "https://notevidence.com",
    "https://evidence.com.example.com",
    "https://agency.evidence.com.example.com",
    "https://cloud.openalpr.com.example.com",
    "https://x.cloud.openalpr.com",
    "https://cloud.openalpr.com.",
    "https://cloud.openalpr.com:8443",
    "https://8.8.8.8",
  ])
    expect([url, allowed(url)]).toEqual([url, false]);
});

test("an asterisk allows every public host and no private one; an empty list allows none", () => {
  expect(allowed("https://vendor.example.com", { hosts: ["*"] })).toBe(true);
  expect(allowed("https://10.0.0.1", { hosts: ["*"] })).toBe(false);
  expect(allowed("https://cloud.openalpr.com", { hosts: [] })).toBe(false);
});

test("listing a private host does not allow it", () => {
  for (const host of ["10.0.0.1", "169.254.169.254", "localhost", "db.internal", "[::1]"])
    expect([host, allowed(`https://${host}`, { hosts: [host] })]).toEqual([host, false]);
});

test("loopback need not be listed if the local configuration allows it", () => {
  expect(allowed("http://127.0.0.1:8788", { allowLoopback: true })).toBe(true);
  expect(allowed("http://127.0.0.1:8788", { hosts: ["*"] })).toBe(false);
});

test("an allowed host with text before or after it is another host", () => {
  const label = fc.stringMatching(/^[a-z]{1,12}$/);
  fc.assert(
    fc.property(label, label, (a, b) => {
      for (const host of [
        `${a}cloud.openalpr.com`,
        `cloud.openalpr.com.${a}.com`,
        `${a}.${b}.com`,
        `${a}evidence.com`,
        `cloud.openalpr.com@${a}.com`,
        `${a}.evidence.com.${b}.org`,
      ])
        expect([host, allowed(`https://${host}`)]).toEqual([host, false]);
      expect(allowed(`https://${a}.${b}.evidence.com`)).toBe(true);
    }),
  );
});

test("the list is also checked before each call: an address that was saved earlier is not called", async () => {
  const http = createVendorHttp({ program: "Rekor", allowLoopback: false, hosts, clock: Date.now });
  const call = (baseUrl: string) =>
    http.json({ baseUrl, path: ["api"], signal: AbortSignal.timeout(2000) }).then(
      () => "called",
      (error: Error) => error.message,
    );
  for (const baseUrl of [
    "https://vendor.example.com",
    "https://169.254.169.254",
    "https://0xa9fea9fe",
    "https://[::ffff:10.0.0.1]",
    "http://127.0.0.1:1",
    "https://cloud.openalpr.com@10.0.0.1",
  ])
    expect([baseUrl, await call(baseUrl)]).toEqual([baseUrl, "The address set for Rekor is not allowed."]);
});
