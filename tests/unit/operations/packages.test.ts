import { describe, expect, it } from "vitest";
import { installedPackages, licenseProblems, readAudit } from "../../packages.ts";

const one = (license: string, isDev = false) =>
  licenseProblems([{ name: "thing", version: "1.0.0", license, isDev }]);

describe("the check of licenses", () => {
  it.each(["MIT", "(MIT OR GPL-3.0)", "Apache-2.0 AND MIT", "(MIT OR Apache-2.0)"])(
    "allows %s",
    (license) => {
      expect(one(license)).toEqual([]);
    },
  );

  it.each(["GPL-3.0", "MIT AND GPL-3.0", "", "SEE LICENSE IN FILE", "AGPL-3.0-only", "((MIT))"])(
    "refuses %s",
    (license) => {
      expect(one(license)[0]).toMatch(/^thing@1.0.0 has the license/);
    },
  );

  it("allows more licenses for tools than for deployed packages", () => {
    expect(one("MPL-2.0", true)).toEqual([]);
    expect(one("MPL-2.0")).toHaveLength(1);
  });

  it("reads every installed package", () => {
    const packages = installedPackages(".");
    expect(packages.find(({ name }) => name === "react")).toMatchObject({ license: "MIT", isDev: false });
    expect(packages.find(({ name }) => name === "wrangler")).toMatchObject({ isDev: true });
    expect(packages.length).toBeGreaterThan(500);
  });
});

describe("the check of vulnerabilities", () => {
  const report = (severity: string) =>
    JSON.stringify({
      auditReportVersion: 2,
      vulnerabilities: { thing: { name: "thing", severity, range: "<1.2.3" } },
    });

  it("reports high and critical vulnerabilities", () => {
    expect(readAudit(report("high"))).toEqual({ problems: ["thing <1.2.3: high"] });
    expect(readAudit(report("critical"))).toEqual({ problems: ["thing <1.2.3: critical"] });
    expect(readAudit(report("moderate"))).toEqual({ problems: [] });
    expect(readAudit('{"auditReportVersion": 2, "vulnerabilities": {}}')).toEqual({ problems: [] });
  });

  it("reports why the registry did not answer", () => {
    expect(readAudit('{"message": "405 Method Not Allowed", "error": {"summary": ""}}')).toEqual({
      silent: "405 Method Not Allowed",
    });
    expect(readAudit('{"error": {"summary": "no network"}}')).toEqual({ silent: "no network" });
    expect(readAudit("")).toEqual({ silent: "npm printed no report" });
  });
});
