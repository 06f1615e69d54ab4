/** Writes each row of the audit log as a sentence for auditors. Pure. */

import { purposeLabel } from "#app/entities/search/purpose.ts";
import { type AuditAction, serviceUsername } from "./audit.ts";
import type { AuditRow } from "./audit-filter.ts";
import {
  type AuditFacts,
  count,
  did,
  exportWords,
  FACTORS,
  type Fields,
  factorWords,
  failedJobs,
  fieldsOf,
  follows,
  list,
  reasonOf,
  type Sentence,
  searchWords,
  serviceAccountIn,
  text,
  timeWords,
} from "./audit-words.ts";
import { VERDICTS } from "./review.ts";

/**
 * Returns what happened in a row: `Searched plate ABC123, 7 days, 13 agencies`. Times are in `zone`, by default the
 * viewer's. Rows of actions that this version does not know are named by their action.
 */
export function auditSentence(row: AuditRow, zone?: string): string {
  const detail = auditDetail(row);
  const { before, after } = detail;
  const facts = { row, detail, before: fieldsOf(before), after: fieldsOf(after), zone };
  const sentence = isAuditAction(row.action) ? AUDIT_SENTENCES[row.action] : did(`record ${row.action}`);
  // If the account acted for itself, the row's user already names it.
  const service = row.user.startsWith(SERVICE_USER) ? "" : serviceAccountIn(detail);
  return `${sentence(facts).trimEnd()}${service && ` (through the service account ${service})`}`;
}

const SERVICE_USER = serviceUsername("");

/** Returns whether an action is one of this build, which all have a sentence. */
export function isAuditAction(action: string): action is AuditAction {
  return Object.hasOwn(AUDIT_SENTENCES, action);
}

/** Returns the reason that the user gave: justification, purpose and case number of a search or an export. */
export function auditReason(row: AuditRow): string {
  const detail = auditDetail(row);
  const query = fieldsOf(detail.query);
  const justification = text(query.justification) || text(detail.justification);
  const purpose = text(query.purpose);
  return list([
    justification && `“${justification}”`,
    purpose && purposeLabel(purpose),
    row.case_number && `case ${row.case_number}`,
  ]);
}

/** Returns the details of a row; none if they are not a JSON object. */
function auditDetail({ detail }: Pick<AuditRow, "detail">): Fields {
  try {
    return fieldsOf(JSON.parse(detail));
  } catch {
    return {};
  }
}

const of = (what: string, value: (facts: AuditFacts) => string) => (facts: AuditFacts) =>
  follows(what, value(facts));
/** The name after a noun, or the row's object if the details hold none. */
const named = (value: (facts: AuditFacts) => string) => (facts: AuditFacts) =>
  ` ${value(facts) || facts.row.object}`;
function detailed(field: string) {
  return ({ detail }: AuditFacts) => text(detail[field]);
}
const username = detailed("username");
const domain = detailed("domain");
const plate = ({ row }: AuditFacts) => row.plate || "without characters";
const onPlate = (facts: AuditFacts) => ` plate ${plate(facts)}`;
const name = ({ before, after, detail }: AuditFacts) =>
  text(after.name) || text(before.name) || text(detail.name);
const device = (facts: AuditFacts) => named(name)(facts) + follows("registered by", text(facts.detail.by));
const file = of("from", detailed("file"));
const finished =
  (what: string): Sentence =>
  ({ row, detail }) => {
    const reads = count(detail.reads, "read");
    if (row.outcome === "ok")
      return `${what} finished with ${list([reads || "no reads", detail.truncated === true ? "cut off at the limit" : ""])}`;
    return `${what} ${detail.state === "cancelled" ? "canceled" : "failed"}${follows("after", reads)}`;
  };

/** The sentence of each audited act. Sentences contain the names that a row has, and no ids. */
export const AUDIT_SENTENCES: Record<AuditAction, Sentence> = {
  "sign-in": did("sign in", of("with", detailed("with"))),
  "sign-out": did("sign out", of("by", detailed("reason"))),
  "sign-in.second-factor": did("complete sign-in", factorWords),
  "sign-in.notice": did("acknowledge the system use notification"),
  "step-up": did("confirm their identity", factorWords),
  "session.end": did("end", ({ detail }) =>
    detail.sessions === "all"
      ? ` all sessions${follows("of", text(detail.username))}`
      : ` a session${follows("by order of", text(detail.by))}`,
  ),
  "password.change": did("change their password"),
  "password.reset": did("reset the password", of("of user", username)),
  "second-factor.add": did("add", ({ detail }) => ` ${FACTORS[text(detail.kind)] ?? "a second factor"}`),
  "second-factor.remove": did("remove", ({ detail }) =>
    detail.kind === "all"
      ? ` every second factor${follows("of user", text(detail.username))}`
      : ` ${FACTORS[text(detail.kind)] ?? "a second factor"}`,
  ),
  "second-factor.codes": did("create new recovery codes"),
  "user.add": did("add user", named(username)),
  "user.role": did(
    "change the role",
    (facts) =>
      `${follows("of user", username(facts))}${follows("from", text(facts.detail.from))}${follows("to", text(facts.detail.to))}`,
  ),
  "user.rights": did("change the hotlist rights", of("of user", username)),
  "user.lock": (facts) => `The account was locked${reasonOf(facts)}`,
  "user.unlock": did("unlock user", named(username)),
  "user.disable": did("disable user", named(username)),
  "user.enable": did("enable user", named(username)),
  "user.delete": did("delete user", named(username)),
  "user.upload": did("add", ({ detail }) => {
    const again = detail.again ? ", which was sent again" : "";
    return ` ${count(detail.users, "user") || "users"} from a file${again}`;
  }),
  "user.change": did("change the profile", of("of user", username)),
  "users.view": did("view the list of users"),
  "agency.add": did("add agency", named(name)),
  "agency.change": did("change the settings of agency", named(name)),
  "sign-on.change": did("change the settings of single sign-on"),
  "sign-on.remove": did("remove single sign-on"),
  "sign-on.test": did("test single sign-on"),
  "sign-on.domain-request": did("request email domain", named(domain)),
  "sign-on.domain-remove": did("remove email domain", named(domain)),
  "sign-on.domain-approve": did("approve email domain", named(domain)),
  "sign-on.domain-refuse": did("refuse email domain", named(domain)),
  "sign-on.factor-approve": did("approve the second factor of an identity provider"),
  "sign-on.factor-withdraw": did("withdraw the approval of an identity provider's second factor"),
  "sign-on.unlink": did("disconnect user", named(username)),
  "scim.token-create": did("create a SCIM token for the identity provider"),
  "scim.token-rotate": did("replace the SCIM token of the identity provider"),
  "scim.token-revoke": did("revoke the SCIM token of the identity provider"),
  "scim.user-remove": did("accept the identity provider's deletion of user", named(username)),
  "scim.group-add": did("add the identity provider's group", named(name)),
  "scim.group-change": did("change the identity provider's group", named(name)),
  "scim.group-remove": did("remove the identity provider's group", named(name)),
  access: did("access", ({ row }) => ` ${row.object || "a page"}`),
  "audit.view": did("view the audit log", (facts) =>
    follows("for", facts.row.plate && `plate ${facts.row.plate}`),
  ),
  "audit.export": did(
    "export the audit log",
    ({ row, detail }) =>
      `${follows("for", row.plate && `plate ${row.plate}`)}${detail.redacted === true ? ", plates redacted" : ", with plates"}`,
  ),
  "audit.verify": did("verify the audit log"),
  "review.view": did("view", ({ row, detail }) =>
    row.object ? ` a review finding${follows("about", text(detail.user))}` : " the list of review findings",
  ),
  "review.examine": did("scan searches for review findings"),
  "review.decide": did(
    "decide on a review finding",
    ({ detail }) =>
      `${follows("about", text(detail.user))}${follows("as", VERDICTS.find(({ value }) => value === detail.after)?.label.toLowerCase() ?? "")}`,
  ),
  "legal-hold.request": did("request a legal hold", ({ detail }) =>
    follows("on", count(detail.plates, "plate")),
  ),
  "legal-hold.approve": did("approve a legal hold"),
  "legal-hold.refuse": did("refuse a legal hold"),
  "legal-hold.release": did("release a legal hold"),
  "figures.change": did("change the transparency page"),
  "figures.publish": did("publish the transparency page"),
  "figures.withdraw": did("withdraw the transparency page"),
  "retention.purge": ({ detail, zone }) =>
    `Deleted reads on schedule: ${count(detail.reads, "read") || "reads"}${follows("from before", timeWords(detail.before, zone))}`,
  "retention.records": ({ detail }) =>
    `Deleted old records on schedule: ${count(
      Object.values(detail).reduce<number>((sum, one) => sum + (typeof one === "number" ? one : 0), 0),
      "record",
    )}`,
  "retention.audit": ({ detail, zone }) =>
    `Deleted old rows of the audit log on schedule: ${count(detail.rows, "row") || "rows"}${follows("from before", timeWords(detail.before, zone))}`,
  search: did("search", searchWords),
  "search.partial": ({ detail }) =>
    `Search so far: ${list([count(detail.reads, "read"), "not all agencies have answered"])}`,
  "search.finished": finished("Search"),
  "search-places": did("search for plates seen at several places"),
  "search-places.finished": finished("Search of places"),
  "search-convoy": did("search for vehicles traveling with", onPlate),
  "search-convoy.finished": finished("Convoy search"),
  "saved-search.save": did("save a search of their own", savedWords),
  "saved-search.remove": did(
    "remove",
    ({ before }) => ` a saved search${follows("named", text(before.name) && `“${text(before.name)}”`)}`,
  ),
  "image.view": did("view an image of a hit on", onPlate),
  "group.create": did("create alert group", named(name)),
  "group.edit": did("change alert group", named(name)),
  "group.archive": did("archive alert group", named(name)),
  "group.view": did("view an alert group"),
  "group.invite": did("invite another agency to an alert group"),
  "group.invitation": did("answer an invitation to an alert group", ({ detail }) => {
    const answer = text(detail.after);
    return answer && ` (${answer})`;
  }),
  "group.members": did("change their agency's members of an alert group"),
  "plate.add": did("add", (facts) => `${onPlate(facts)} to an alert group`),
  "plate.edit": did("change the hotlist entry of", onPlate),
  "plate.remove": did("remove", (facts) => `${onPlate(facts)} from an alert group`),
  "plate.renew": did(
    "renew",
    ({ detail }) => ` ${count(detail.before, "hotlist entry", "hotlist entries") || "hotlist entries"}`,
  ),
  "plate.check": did("check", (facts) => `${onPlate(facts)} before adding it to an alert group`),
  "plate.past-reads": did("view past reads of", (facts) =>
    list([onPlate(facts), count(facts.detail.days, "day")]),
  ),
  "plates.view": did("look up", (facts) => `${onPlate(facts)} among the plates of an alert group`),
  "hotlist-import.start": did("upload a hotlist import", file),
  "hotlist-import.apply": did("apply", (facts) => {
    const counts = fieldsOf(facts.detail.counts);
    return list([
      ` a hotlist import${file(facts)}`,
      counts.added === undefined ? "" : `${text(counts.added)} added`,
      counts.removed === undefined ? "" : `${text(counts.removed)} removed`,
    ]);
  }),
  "hotlist-import.cancel": (facts) => `Canceled a hotlist import${file(facts)}${reasonOf(facts)}`,
  "hotlist-import.failed": (facts) => `Hotlist import${file(facts)} failed${reasonOf(facts)}`,
  "hotlist-import.map": did("map the columns of a hotlist import", file),
  "hotlist-mapping.add": did("save column mapping", named(name)),
  "hotlist-mapping.rename": did(
    "rename a column mapping",
    ({ before, after }) => `${follows("from", text(before.name))}${follows("to", text(after.name))}`,
  ),
  "hotlist-mapping.delete": did("delete column mapping", named(name)),
  "attachment.view": did("open an attachment of a hotlist entry", of("named", name)),
  "attachment.refuse": did(
    "attach a file",
    ({ detail }) => `${follows("named", text(detail.file))}${follows("that contains", text(detail.found))}`,
  ),
  "alert.view": did("view a hit on", onPlate),
  "hits.view": did("look up the hits on", (facts) => `${onPlate(facts)} in an alert group`),
  "alert.disposition": did(
    "record the outcome of a hit on",
    (facts) => `${onPlate(facts)}${follows("as", text(facts.after.disposition))}`,
  ),
  "alert-permissions.edit": did("change hotlist permissions", ({ detail }) =>
    follows("of", count(detail.changes, "user")),
  ),
  "push-alerts": did("change their push alert settings"),
  "push-device.add": did("add push alert device", named(name)),
  "push-device.remove": did("remove push alert device", device),
  "dead-jobs.drive": did("retry failed jobs", failedJobs),
  "dead-jobs.discard": did("discard failed jobs", failedJobs),
  "result-set.view": did("view search results", ({ detail }) => follows("with", count(detail.reads, "read"))),
  export: did("start an export", exportWords),
  "export.finished": (facts) =>
    `Export${exportWords(facts)} ${facts.row.outcome === "ok" ? "finished" : "failed"}`,
  "export.view": did("download an export"),
  "export.removed": did("delete an export"),
  "integration.add": did("add", (facts) => ` the ${program(facts)}integration`),
  "integration.change": did("change", (facts) => ` the credentials of the ${program(facts)}integration`),
  "integration.upload": did(
    "add",
    ({ detail }) =>
      ` ${count(detail.added, "Rekor key") || "Rekor keys"} from a file${follows("with", count(detail.wrong, "invalid row"))}`,
  ),
  "integration.remove": did("remove", (facts) => ` the ${program(facts)}integration`),
  "integration.test": did("test", (facts) => ` the ${program(facts)}integration`),
  "sharing.allow": did("share", sharing),
  "sharing.refuse": did("stop sharing", sharing),
  "door.add": did("add", (facts) => ` ${program(facts)}webhook ${name(facts)}`),
  "door.revoke": did("revoke", (facts) => ` ${program(facts)}webhook ${name(facts)}`),
  "outgoing-webhook.add": did("add", outgoingWords),
  "outgoing-webhook.change": did("change", outgoingWords),
  "outgoing-webhook.secret": did("create a new secret for", outgoingWords),
  "outgoing-webhook.on": did("turn on", outgoingWords),
  "outgoing-webhook.off": (facts) =>
    text(facts.detail.reason) !== ""
      ? `${`The${outgoingWords(facts)}`.trimEnd()} was turned off${reasonOf(facts)}`
      : did("turn off", outgoingWords)(facts),
  "outgoing-webhook.delete": did("delete", outgoingWords),
  "outgoing-webhook.test": did("test", outgoingWords),
  "outgoing-webhook.retry": did("retry failed deliveries of", outgoingWords),
  "service-account.add": did("add", serviceWords),
  "service-account.change": did("change", serviceWords),
  "service-account.rotate": did("create a new token for", serviceWords),
  "service-account.on": did("enable", serviceWords),
  "service-account.off": did("disable", serviceWords),
  "service-account.delete": did("delete", serviceWords),
  "service-account.refused": (facts) =>
    `${`A call of the${serviceWords(facts)}`.trimEnd()} was refused${reasonOf(facts)}`,
  "camera.add": did("add", cameraWords),
  "camera.change": did("change", cameraWords),
  "camera.secret": did("create a new webhook URL for", cameraWords),
  "camera.revoke": did("revoke", cameraWords),
  "secrets.rotate": did("encrypt stored secrets with a new key", ({ row, detail }) =>
    follows("in", list([row.object, count(detail.secrets, "secret")])),
  ),
  "backup.start": did("start a backup"),
  "backup.finished": did("finish a backup", (facts) => follows("of", rowsAndObjects(facts))),
  "backup.failed": (facts) => `A backup failed${reasonOf(facts)}`,
  "backup.cancel": did("cancel a backup"),
  "backup.verify": did("verify a backup"),
  "restore.finished": did("restore a backup", (facts) => follows("with", rowsAndObjects(facts))),
  "restore.images": did("restore images of a backup", (facts) => follows("with", rowsAndObjects(facts))),
  "storage.state": did(
    "set",
    ({ row, detail }) => ` the database ${row.object}${follows("to", text(detail.to))}`,
  ),
  "storage.remove": did("remove", ({ row }) => ` the empty database ${row.object}`),
};

const rowsAndObjects = ({ detail }: AuditFacts) =>
  list([count(detail.rows, "row"), count(detail.objects, "object")]);

/** ` as “Silver Honda”, pinned`. */
function savedWords({ after }: AuditFacts): string {
  const name = text(after.name);
  return `${follows("as", name && `“${name}”`)}${after.pinned === true ? ", pinned" : ""}`;
}

function program({ detail }: AuditFacts): string {
  const word = text(detail.program);
  return word && `${word} `;
}

function sharing(facts: AuditFacts): string {
  return ` ${program(facts)}reads${follows("with", text(facts.detail.agency))}`;
}

function outgoingWords(facts: AuditFacts): string {
  return ` outgoing webhook ${name(facts) || facts.row.object}`;
}

function serviceWords(facts: AuditFacts): string {
  return ` service account ${name(facts) || facts.row.object}`;
}

function cameraWords(facts: AuditFacts): string {
  return ` ${program(facts)}camera ${name(facts) || facts.row.object}`;
}
