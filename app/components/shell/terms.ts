import type { LegalSection } from "./legal-document.tsx";

export const TERMS: readonly LegalSection[] = [
  {
    title: "Who may use Odin",
    paragraphs: [
      "Odin is provided to law-enforcement and public-security agencies and, through them, to the staff whom they authorize. Use is for authorized law enforcement only. Nobody else may sign in, and no account may be shared.",
      "An agency decides which of its staff receive an account, keeps that list current, and asks for an account to be disabled as soon as a person no longer needs it.",
    ],
  },
  {
    title: "What Odin may be used for",
    paragraphs: [
      "Every search, export and hotlist entry must serve a specific, lawful and official purpose, which the user states as its justification. The justification must be true.",
      "Odin must not be used:",
    ],
    points: [
      "for personal reasons, or to follow anybody without a lawful and documented purpose;",
      "to watch people because of who they are, what they believe, or the exercise of a constitutional right;",
      "for any purpose that the law of the state whose agency collected the records forbids;",
      "to pass records on to persons or agencies that may not receive them.",
    ],
  },
  {
    title: "CJIS compliance",
    paragraphs: [
      "Compliance with the Criminal Justice Information Services (CJIS) Security Policy is required of every agency and every user. Each agency remains responsible for the screening and training of its users, for the devices and networks from which they sign in, and for the handling of whatever leaves Odin as an export.",
      "Odin enforces parts of that policy for them: individual accounts, rules for passwords and second factors, the locking of accounts after failed sign-ins, the ending of unused sessions, encryption, and an audit log that cannot be altered.",
    ],
  },
  {
    title: "Your account",
    paragraphs: [
      "You are responsible for what is done under your account. Keep your password, your second factor and your recovery codes to yourself, and tell your administrator at once if you believe that somebody else knows or has one of them.",
      "Accounts that are not used for 90 days are disabled. An administrator of your agency, or the operator of Odin, may disable an account at any time to protect records.",
    ],
  },
  {
    title: "Monitoring and audit",
    paragraphs: [
      "Use of Odin is monitored, recorded and audited. Sign-ins, searches with their justification, views, exports, changes of hotlists, and acts of administration are written to the audit log of your agency, together with attempts that were refused. By using Odin you consent to this.",
    ],
  },
  {
    title: "Records are leads, not proof",
    paragraphs: [
      "A plate read is made by a machine and can be wrong. It may have misread a character, taken a plate of another state for yours, or come late. A read or an alert alone does not justify a stop, a search or an arrest: verify plate, state and the current status of the vehicle before you act.",
    ],
  },
  {
    title: "Temporary results and exports",
    paragraphs: [
      "Search results and the images that belong to them are temporary. They are purged when the time that your agency has set is over, unless they were exported before. Odin cannot bring purged results back.",
      "An export is a record of your agency from then on. Your agency is responsible for keeping, protecting, disclosing and destroying it as the law requires.",
    ],
  },
  {
    title: "Source programs",
    paragraphs: [
      "Odin shows records that other programs, among them Rekor, Axon and Axis, hold for the agencies that collected them. Those records belong to those agencies, which decide with whom they are shared and may withdraw that at any time. The terms of those programs apply beside these.",
    ],
  },
  {
    title: "Availability and liability",
    paragraphs: [
      "Odin is provided as it is. Source programs, networks and cameras may fail, and the absence of a result does not mean that a vehicle was not there; Odin says which programs answered. As far as the law allows, the operator of Odin is not liable for indirect damage or for decisions that are made on the strength of a record.",
      "Nothing here limits a liability that the law does not allow to be limited.",
    ],
  },
  {
    title: "Suspension and end",
    paragraphs: [
      "The operator may suspend an account or an agency that breaks these terms, and informs the agency of it. When an agency's use ends, its accounts are disabled and its credentials for source programs are destroyed; the audit log is kept for as long as the law and the CJIS Security Policy require.",
    ],
  },
  {
    title: "Governing law",
    paragraphs: [
      "These terms are governed by the law of the State of Connecticut, without regard to its rules on the conflict of laws. Disputes are brought before the state and federal courts in Connecticut, as far as the law that binds a public agency allows.",
    ],
  },
  {
    title: "Changes",
    paragraphs: [
      "These terms may change. The date above says since when they apply; a change that matters to users is announced at sign-in before it takes effect.",
    ],
  },
];
