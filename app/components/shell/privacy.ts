import type { LegalSection } from "./legal-document.tsx";

export const PRIVACY: readonly LegalSection[] = [
  {
    title: "Whom this concerns",
    paragraphs: [
      "This policy says what Odin keeps about the people who use it and about the vehicles in the records that it shows, for what, and for how long. Odin is for authorized law enforcement only; the agencies that use it decide about their records, and Odin processes them on their behalf.",
    ],
  },
  {
    title: "What is kept about users",
    paragraphs: ["For every user Odin keeps:"],
    points: [
      "username, full name, official email address, agency and role;",
      "a hash of the password and keyed digests of the last ten, never the password; the sealed secret of an authenticator app, or the public key of a passkey; hashes of recovery codes;",
      "sessions with their times, network address and browser;",
      "devices that were registered for push alerts, their addresses sealed, with quiet hours and what was sent when;",
      "the audit log of what was done: sign-ins, searches with their parameters and justification, views, exports, changes, and refusals.",
    ],
  },
  {
    title: "What is kept about vehicles",
    paragraphs: [
      "A record of a plate read has the plate, its state, the make, color and body type where a camera recognized them, the place, the time, and images. It has no name and no address of a person.",
      "Hotlist entries have what an authorized user entered: the plate, a reason, notes, and files that were attached. A hit has a copy of the read and of the entry that it fits, its images, and what users noted on it.",
    ],
  },
  {
    title: "Temporary results and images",
    paragraphs: [
      "Results of a search and the images that belong to them are temporary. They are visible to the user who searched, and purged when the time that the agency has set is over, unless that user exported them. The records in the source programs are not changed by a search.",
      "Reads that an agency's own cameras send to Odin are kept for the number of days that the agency has set, and purged after that.",
    ],
  },
  {
    title: "What it is used for",
    paragraphs: [
      "Records are used to answer the searches of authorized users, to alert them to vehicles on their hotlists, and to make the exports that they ask for. What is kept about users serves to let them in, to keep others out, and to show afterwards who did what.",
      "Nothing is sold, used for advertising, or used to train models. Pages of Odin load nothing from third parties and carry no trackers.",
    ],
  },
  {
    title: "With whom it is shared",
    paragraphs: [
      "Records are shared among agencies only as the agency that collected them allows. Source programs learn what is asked of them in order to answer. The nearest address of a place and the ground of the map come from services that the operator has chosen; they receive coordinates, never a plate or a user.",
      "Push alerts go through the push service of the phone's or the browser's maker. They say that there is a hit, and hold no plate, name, reason or group.",
      "Odin discloses records otherwise only where a court or a law obliges it, and informs the agency concerned where that is allowed.",
    ],
  },
  {
    title: "How it is protected",
    paragraphs: [
      "CJIS compliance is required. Connections are encrypted; credentials for source programs are sealed with keys that are kept apart from the database; access follows role and agency; privileged acts ask for the password or a second factor again. The audit log can be added to and not altered.",
    ],
  },
  {
    title: "How long it is kept",
    paragraphs: ["Unless a law or a court order requires otherwise:"],
    points: [
      "search results and their images: until the agency's time is over, an hour where nothing else was set;",
      "reads of an agency's own cameras: as many days as the agency has set, at most 90;",
      "hits, and what left a hotlist: as many days as the agency has set, a year where nothing else was set; images of hits no longer than reads;",
      "exports: seven days in Odin;",
      "sessions: one month after they ended;",
      "names of deleted accounts: one year, so that nobody else receives them;",
      "the audit log: at least one year, and for as long as the agency's rules require;",
      "encrypted backups of all this: as long as the operator has set, a month where nothing else was set; reads that were purged cannot be read from them.",
    ],
  },
  {
    title: "Cookies",
    paragraphs: [
      "Odin sets one cookie for the session, which no script can read and which ends with the browser, and one that remembers the color theme. There are no others.",
    ],
  },
  {
    title: "Rights and questions",
    paragraphs: [
      "Users see what is kept about their account on their profile, and turn to an administrator of their agency to correct it. Members of the public turn to the agency that collected a record; the laws on public records and on plate readers of that agency's state say what they may learn.",
    ],
  },
  {
    title: "Governing law and changes",
    paragraphs: [
      "This policy is governed by the law of the State of Connecticut. The date above says since when it applies; a change that matters is announced at sign-in before it takes effect.",
    ],
  },
];
