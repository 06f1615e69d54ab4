import { describe, expect, it } from "vitest";
import type { AuditRow } from "#app/entities/oversight/audit-filter.ts";
import { auditReason, auditSentence, isAuditAction } from "#app/entities/oversight/audit-sentence.ts";
import { NO_ROW } from "./samples.ts";

type Case = [action: string, detail: object, sentence: string];

/** Says a row of plate ABC123 and object `o1`. */
function say(action: string, detail: object, over: Partial<AuditRow> = {}): string {
  const row = { ...NO_ROW, object: "o1", plate: "ABC123", action, detail: JSON.stringify(detail), ...over };
  return auditSentence(row, "UTC");
}

const jo = { username: "jo" };
const truck = { name: "Truck" };

describe("the sentence of a successful act", () => {
  it.each<Case>([
    ["sign-in", { with: "password" }, "Signed in with password"],
    ["sign-in.second-factor", { kind: "passkey" }, "Completed sign-in with a passkey"],
    ["step-up", { kind: "totp" }, "Confirmed their identity with an authenticator app"],
    ["step-up", { kind: "other" }, "Confirmed their identity"],
    ["session.end", { sessions: "all", ...jo }, "Ended all sessions of jo"],
    ["session.end", { sessions: "all", by: "ada" }, "Ended all sessions"],
    ["session.end", { sessions: "one", by: "ada", ...jo }, "Ended a session by order of ada"],
    ["session.end", {}, "Ended a session"],
    ["password.reset", jo, "Reset the password of user jo"],
    ["second-factor.add", { kind: "totp" }, "Added an authenticator app"],
    ["second-factor.add", { kind: "other" }, "Added a second factor"],
    ["second-factor.remove", { kind: "all", ...jo }, "Removed every second factor of user jo"],
    ["second-factor.remove", { kind: "passkey", ...jo }, "Removed a passkey"],
    ["second-factor.remove", { kind: "other" }, "Removed a second factor"],
    ["user.add", jo, "Added user jo"],
    ["user.add", {}, "Added user o1"],
    ["user.role", { ...jo, from: "user", to: "admin" }, "Changed the role of user jo from user to admin"],
    ["user.role", {}, "Changed the role"],
    ["user.lock", { reason: "Too many attempts" }, "The account was locked: Too many attempts"],
    ["user.lock", {}, "The account was locked"],
    ["user.upload", { users: ["a", "b"] }, "Added 2 users from a file"],
    ["user.upload", { users: 1 }, "Added 1 user from a file"],
    ["user.upload", { users: 2, again: true }, "Added 2 users from a file, which was sent again"],
    ["user.upload", {}, "Added users from a file"],
    ["agency.add", { name: "Hartford PD" }, "Added agency Hartford PD"],
    ["sign-on.domain-request", { domain: "example.gov" }, "Requested email domain example.gov"],
  ])("of accounts: %s with %j", (action, detail, sentence) => {
    expect(say(action, detail)).toBe(sentence);
  });

  it.each<Case>([
    ["search-convoy", {}, "Searched for vehicles traveling with plate ABC123"],
    ["search.partial", { reads: 5 }, "Search so far: 5 reads, not all agencies have answered"],
    ["search.partial", {}, "Search so far: not all agencies have answered"],
    ["search.finished", { reads: 1 }, "Search finished with 1 read"],
    ["search.finished", { truncated: "true" }, "Search finished with no reads"],
    ["search.finished", { reads: 9, truncated: true }, "Search finished with 9 reads, cut off at the limit"],
    ["saved-search.save", { after: truck }, "Saved a search of their own as “Truck”"],
    [
      "saved-search.save",
      { after: { ...truck, pinned: true } },
      "Saved a search of their own as “Truck”, pinned",
    ],
    ["saved-search.save", { after: { pinned: 1 } }, "Saved a search of their own"],
    ["saved-search.remove", { before: truck }, "Removed a saved search named “Truck”"],
    ["saved-search.remove", { after: truck }, "Removed a saved search"],
    ["image.view", {}, "Viewed an image of a hit on plate ABC123"],
    ["result-set.view", { reads: 12 }, "Viewed search results with 12 reads"],
    ["export", { records: 12, kind: "pdf" }, "Started an export of 12 records (PDF)"],
    ["export.finished", { records: 12, kind: "zip" }, "Export of 12 records (ZIP) finished"],
    ["alert.view", {}, "Viewed a hit on plate ABC123"],
    ["hits.view", {}, "Looked up the hits on plate ABC123 in an alert group"],
    [
      "alert.disposition",
      { after: { disposition: "misread" } },
      "Recorded the outcome of a hit on plate ABC123 as misread",
    ],
    ["dead-jobs.drive", { jobs: 3 }, "Retried failed jobs (3 jobs)"],
  ])("of searches and hits: %s with %j", (action, detail, sentence) => {
    expect(say(action, detail)).toBe(sentence);
  });

  it.each<Case>([
    ["group.create", { after: truck, before: { name: "Old" }, name: "Other" }, "Created alert group Truck"],
    ["group.edit", { before: truck, name: "Other" }, "Changed alert group Truck"],
    ["group.archive", truck, "Archived alert group Truck"],
    ["group.archive", {}, "Archived alert group o1"],
    ["group.invitation", { after: "accepted" }, "Answered an invitation to an alert group (accepted)"],
    ["group.invitation", {}, "Answered an invitation to an alert group"],
    ["plate.add", {}, "Added plate ABC123 to an alert group"],
    ["plate.edit", {}, "Changed the hotlist entry of plate ABC123"],
    ["plate.remove", {}, "Removed plate ABC123 from an alert group"],
    ["plate.renew", { before: [1] }, "Renewed 1 hotlist entry"],
    ["plate.renew", { before: [1, 2] }, "Renewed 2 hotlist entries"],
    ["plate.renew", {}, "Renewed hotlist entries"],
    ["plate.check", {}, "Checked plate ABC123 before adding it to an alert group"],
    ["plate.past-reads", { days: 30 }, "Viewed past reads of plate ABC123, 30 days"],
    ["hotlist-import.start", { file: "x.csv" }, "Uploaded a hotlist import from x.csv"],
    ["hotlist-import.map", { file: "x.csv" }, "Mapped the columns of a hotlist import from x.csv"],
    [
      "hotlist-import.apply",
      { file: "x.csv", counts: { added: 1200, removed: 0 } },
      "Applied a hotlist import from x.csv, 1,200 added, 0 removed",
    ],
    ["hotlist-import.apply", { file: "x.csv" }, "Applied a hotlist import from x.csv"],
    ["hotlist-import.apply", { counts: { added: 1 } }, "Applied a hotlist import, 1 added"],
    [
      "hotlist-import.cancel",
      { file: "x.csv", reason: "Replaced" },
      "Canceled a hotlist import from x.csv: Replaced",
    ],
    ["hotlist-import.failed", { file: "x.csv", problem: "Empty" }, "Hotlist import from x.csv failed: Empty"],
    [
      "hotlist-mapping.rename",
      { before: { name: "A" }, after: { name: "B" } },
      "Renamed a column mapping from A to B",
    ],
    ["attachment.view", { name: "a.pdf" }, "Opened an attachment of a hotlist entry named a.pdf"],
    ["alert-permissions.edit", { changes: ["a", "b"] }, "Changed hotlist permissions of 2 users"],
  ])("of hotlists: %s with %j", (action, detail, sentence) => {
    expect(say(action, detail)).toBe(sentence);
  });

  it.each<Case>([
    ["integration.add", { program: "Axon" }, "Added the Axon integration"],
    ["integration.change", { program: "Axon" }, "Changed the credentials of the Axon integration"],
    ["integration.remove", {}, "Removed the integration"],
    ["integration.test", { program: "Axon" }, "Tested the Axon integration"],
    ["integration.upload", { added: 3, wrong: 1 }, "Added 3 Rekor keys from a file with 1 invalid row"],
    ["integration.upload", {}, "Added Rekor keys from a file"],
    ["sharing.allow", { program: "Rekor", agency: "Avon PD" }, "Shared Rekor reads with Avon PD"],
    ["sharing.refuse", { agency: "Avon PD" }, "Stopped sharing reads with Avon PD"],
    ["door.add", { program: "Rekor", name: "Gate" }, "Added Rekor webhook Gate"],
    ["door.revoke", { name: "Gate" }, "Revoked webhook Gate"],
    ["outgoing-webhook.add", { name: "CAD" }, "Added outgoing webhook CAD"],
    ["outgoing-webhook.test", {}, "Tested outgoing webhook o1"],
    ["outgoing-webhook.off", { name: "CAD" }, "Turned off outgoing webhook CAD"],
    [
      "outgoing-webhook.off",
      { name: "CAD", reason: "Gone" },
      "The outgoing webhook CAD was turned off: Gone",
    ],
    ["service-account.add", { name: "CAD" }, "Added service account CAD"],
    ["service-account.off", {}, "Disabled service account o1"],
    [
      "service-account.refused",
      { name: "CAD", reason: "Expired" },
      "A call of the service account CAD was refused: Expired",
    ],
    ["camera.add", { program: "Axis", name: "Gate" }, "Added Axis camera Gate"],
    ["camera.revoke", {}, "Revoked camera o1"],
  ])("of integrations: %s with %j", (action, detail, sentence) => {
    expect(say(action, detail)).toBe(sentence);
  });

  const day = Date.UTC(2026, 9, 3, 14);
  it.each<Case>([
    ["access", {}, "Accessed o1"],
    ["audit.view", {}, "Viewed the audit log for plate ABC123"],
    ["audit.export", {}, "Exported the audit log for plate ABC123, with plates"],
    ["audit.export", { redacted: true }, "Exported the audit log for plate ABC123, plates redacted"],
    ["review.view", { user: "jo" }, "Viewed a review finding about jo"],
    [
      "review.decide",
      { user: "jo", after: "in-order" },
      "Decided on a review finding about jo as appropriate",
    ],
    ["review.decide", { after: "other" }, "Decided on a review finding"],
    ["legal-hold.request", { plates: ["A1", "B2"] }, "Requested a legal hold on 2 plates"],
    [
      "retention.purge",
      { reads: 1200, before: day },
      "Deleted reads on schedule: 1,200 reads from before 2026-10-03 14:00:00 UTC",
    ],
    ["retention.purge", {}, "Deleted reads on schedule: reads"],
    ["retention.records", { a: 2, b: 3, c: "4" }, "Deleted old records on schedule: 5 records"],
    ["retention.records", { a: 1 }, "Deleted old records on schedule: 1 record"],
    [
      "retention.audit",
      { rows: 7, before: day },
      "Deleted old rows of the audit log on schedule: 7 rows from before 2026-10-03 14:00:00 UTC",
    ],
    ["retention.audit", {}, "Deleted old rows of the audit log on schedule: rows"],
    ["secrets.rotate", { secrets: 3 }, "Encrypted stored secrets with a new key in o1, 3 secrets"],
    ["backup.finished", { rows: 3, objects: 1 }, "Finished a backup of 3 rows, 1 object"],
    ["backup.failed", { reason: "No space" }, "A backup failed: No space"],
    ["restore.finished", { rows: 1, objects: 2 }, "Restored a backup with 1 row, 2 objects"],
    ["storage.state", { to: "draining" }, "Set the database o1 to draining"],
    ["storage.remove", {}, "Removed the empty database o1"],
  ])("of administration: %s with %j", (action, detail, sentence) => {
    expect(say(action, detail)).toBe(sentence);
  });

  it.each<[action: string, sentence: string]>([
    ["access", "Accessed a page"],
    ["audit.view", "Viewed the audit log"],
    ["audit.export", "Exported the audit log, with plates"],
    ["review.view", "Viewed the list of review findings"],
    ["image.view", "Viewed an image of a hit on plate without characters"],
    ["secrets.rotate", "Encrypted stored secrets with a new key"],
    ["door.add", "Added webhook"],
    ["camera.add", "Added camera"],
    ["service-account.refused", "A call of the service account was refused"],
  ])("leaves out what the row does not name: %s", (action, sentence) => {
    expect(say(action, {}, { object: "", plate: "" })).toBe(sentence);
  });
});

describe("the sentence of an act that did not succeed", () => {
  it.each<Case>([
    ["search.finished", { reads: 2 }, "Search failed after 2 reads"],
    ["search-places.finished", {}, "Search of places failed"],
    ["search-convoy.finished", { state: "cancelled" }, "Convoy search canceled"],
    ["search.finished", { state: "cancelled", reads: 1 }, "Search canceled after 1 read"],
    ["export.finished", { records: 1 }, "Export of 1 record failed"],
  ])("says how it ended: %s with %j", (action, detail, sentence) => {
    expect(say(action, detail, { outcome: "failed" })).toBe(sentence);
  });

  it("says which file was refused, and what it contains", () => {
    expect(say("attachment.refuse", { file: "a.exe", found: "a program" }, { outcome: "refused" })).toBe(
      "Tried to attach a file named a.exe that contains a program",
    );
  });
});

describe("an action that this version does not know", () => {
  it.each(["group.rename", "toString", "__proto__"])("is named as it is: %s", (action) => {
    expect(isAuditAction(action)).toBe(false);
    expect(say(action, {})).toBe(`Recorded ${action}`);
  });
});

describe("the reason that the user gave", () => {
  it.each<[detail: object, caseNumber: string, reason: string]>([
    [
      { query: { justification: "Theft", purpose: "warrant" } },
      "26-7",
      "“Theft”, Warrant or court order, case 26-7",
    ],
    [{ query: { justification: "Theft" }, justification: "Other" }, "", "“Theft”"],
    [{ justification: "For the court" }, "", "“For the court”"],
    [{ query: { purpose: "of-an-older-version" } }, "", "Not stated"],
    [{}, "26-7", "case 26-7"],
    [{}, "", ""],
  ])("of %j and case %j is %j", (detail, case_number, reason) => {
    expect(auditReason({ ...NO_ROW, case_number, detail: JSON.stringify(detail) })).toBe(reason);
  });
});
