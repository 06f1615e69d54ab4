import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routePatterns } from "../../../workers/route-patterns.ts";

const patternOf = routePatterns({
  root: { path: "" },
  "layouts/signed-in": { parentId: "root" },
  "screens/search": { path: "search", parentId: "layouts/signed-in" },
  "reads:ingest/rekor/:secret": { path: "ingest/rekor/:secret", parentId: "root" },
  "reads:ingest/rekor": { path: "ingest/rekor", parentId: "root" },
  "cameras:rekor-cameras/*": { path: "rekor-cameras/*", parentId: "root" },
  "hotlists:groups/:id/plates/:plate": { path: "groups/:id/plates/:plate", parentId: "root" },
  "groups:groups/:id/edit": { path: "groups/:id/edit", parentId: "root" },
  "screens/group-part": { path: "groups/:id/:part", parentId: "root" },
});

describe("the pattern of a request's route", () => {
  it.each([
    ["/", "/"],
    ["/_root.data", "/.data"],
    ["/search", "/search"],
    ["/search/", "/search"],
    ["/search.data", "/search.data"],
    ["/Search", "/search"],
    ["/GROUPS/g1/Edit", "/groups/:id/edit"],
    ["/ingest/rekor", "/ingest/rekor"],
    ["/ingest/rekor/s3cret", "/ingest/rekor/:secret"],
    ["/rekor-cameras/AGENT/1000", "/rekor-cameras/*"],
    ["/groups/g1/edit", "/groups/:id/edit"],
    ["/groups/g1/other", "/groups/:id/:part"],
    ["/groups/g1/plates/AB12345", "/groups/:id/plates/:plate"],
    ["/AB12345", "unmatched"],
  ])("of %s is %s", (path, pattern) => {
    expect(patternOf(path)).toBe(pattern);
  });

  it("contains no text from the request", () => {
    fc.assert(
      fc.property(fc.webPath(), fc.stringMatching(/^[A-Z0-9]{6,12}$/), (path, secret) => {
        for (const written of [
          `/ingest/rekor/${secret}`,
          `/${secret}${path}`,
          `/groups/g/plates/${secret}`,
        ]) {
          expect(patternOf(written)).not.toContain(secret);
        }
      }),
    );
  });
});
