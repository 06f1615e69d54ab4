import type { MetaFunction } from "@remix-run/cloudflare";
import { LegalDocument, type LegalSection } from "#app/components/shell/legal-document.tsx";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Privacy Policy · Odin" }];

export const loader = screenLoader("public", () => ({}));

const LEAD =
  "Plate records can show where people have been. This policy describes how Odin handles them, and what Odin stores about its users.";

export default function PrivacyScreen() {
  return <LegalDocument title="Privacy Policy" lead={LEAD} sections={PRIVACY} />;
}

const PRIVACY: readonly LegalSection[] = [
  {
    title: "Who this policy applies to",
    paragraphs: [
      "This policy describes what Odin stores about its users and about the vehicles in the records that it shows, why, and for how long. Odin is for authorized law enforcement only. Agencies control their own records, and Odin processes those records on their behalf.",
    ],
  },
  {
    title: "What Odin stores about users",
    paragraphs: ["For every user Odin stores:"],
    points: [
      "username, full name, official email address, agency and role;",
      "a hash of the password and keyed digests of the last ten passwords, never a password itself; the encrypted secret of an authenticator app, or the public key of a passkey; hashes of recovery codes;",
      "sessions with their times, network addresses and browsers;",
      "devices registered for push alerts, with encrypted addresses, quiet hours, and what was sent and when;",
      "the audit log: sign-ins, searches with their parameters and justification, views, exports, changes, and denied attempts.",
    ],
  },
  {
    title: "What Odin stores about vehicles",
    paragraphs: [
      "A plate read contains the plate, its state, the location, the time and images and, if the camera recognized them, the make, color and body type. It contains no person's name or address.",
      "Hotlist entries contain what an authorized user entered: the plate, a reason, notes, and attached files. A hit contains a copy of the read and of the matching entry, its images, and the users' notes.",
    ],
  },
  {
    title: "Temporary results and images",
    paragraphs: [
      "Search results and their images are temporary. They are visible to the user who searched, and purged after the period that the agency has set, unless that user exported them. A search does not change the records in the source programs.",
      "Reads that an agency's own cameras send to Odin are kept for the number of days that the agency has set, and then purged.",
    ],
  },
  {
    title: "How Odin uses data",
    paragraphs: [
      "Odin uses records to answer the searches of authorized users, to alert them to vehicles on their hotlists, and to create the exports that they request. Odin uses data about users to sign them in, to keep unauthorized people out, and to document who did what.",
      "No data is sold, used for advertising, or used to train models. Odin's pages load nothing from third parties and contain no trackers.",
    ],
  },
  {
    title: "Who data is shared with",
    paragraphs: [
      "Records are shared among agencies only as the agency that collected them allows. Source programs receive the search that they have to answer. Nearest addresses and map tiles come from services that the operator has chosen; those services receive coordinates, never a plate or a user.",
      "Push alerts go through the push service of the phone's or the browser's manufacturer. They announce a hit and contain no plate, name, reason or group.",
      "Otherwise Odin discloses records only if a court or a law requires it, and informs the agency concerned if that is allowed.",
    ],
  },
  {
    title: "How data is protected",
    paragraphs: [
      "CJIS compliance is required. Connections are encrypted. Credentials for source programs are encrypted with keys that are stored outside the database. Access depends on role and agency. Privileged actions require the password or a second factor again. Entries can be added to the audit log but never changed.",
    ],
  },
  {
    title: "How long data is kept",
    paragraphs: ["Unless a law or a court order requires otherwise:"],
    points: [
      "search results and their images: for the period that the agency has set, one hour by default;",
      "reads of an agency's own cameras: for the number of days that the agency has set, at most 90;",
      "hits and removed hotlist entries: for the number of days that the agency has set, one year by default; images of hits no longer than reads;",
      "exports: seven days in Odin;",
      "sessions: one month after they end;",
      "usernames of deleted accounts: one year, so that they are not reused;",
      "the audit log: at least one year, or longer if the agency's rules require it;",
      "encrypted backups of all this data: for the period that the operator has set, one month by default; purged reads cannot be restored from them.",
    ],
  },
  {
    title: "Cookies",
    paragraphs: ["Odin sets these cookies and no others. Scripts can read only the one for the color theme."],
    points: [
      "the session: expires when the browser closes;",
      "the color theme: one year;",
      "the known device: 180 days after a sign-in. It signs no one in, but on this device wrong passwords of strangers do not lock the user out;",
      "single sign-on: ten minutes, for the way to the agency's identity provider and back;",
      "the page that a link led to before the sign-in: ten minutes;",
      "a short notice for the next page, such as “Saved”: 60 seconds.",
    ],
  },
  {
    title: "Browser storage",
    paragraphs: ["Odin also keeps in the browser:"],
    points: [
      "display settings, such as the layout of tables, the size of images and the sound of hits;",
      "the agencies and the quick time range of the user's last search, but not its plate;",
      "a plate that the user passes on to the search form, until the form has opened;",
      "numbers of exports that are being created;",
      "results and images of the user's own searches, until they are purged;",
      "if Odin is installed or push alerts are on: the newest hits, encrypted, until the user signs out or the session ends.",
    ],
  },
  {
    title: "Rights and questions",
    paragraphs: [
      "Users can see their account data on their profile and can ask an administrator of their agency to correct it. Members of the public can contact the agency that collected a record. The public records and plate reader laws of that agency's state determine what they may learn.",
    ],
  },
  {
    title: "Governing law and changes",
    paragraphs: [
      "This policy is governed by the law of the State of Connecticut. It has applied since the effective date above. Material changes are announced at sign-in before they take effect.",
    ],
  },
];
