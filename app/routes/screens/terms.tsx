import type { MetaFunction } from "@remix-run/cloudflare";
import { LegalDocument, type LegalSection } from "#app/components/shell/legal-document.tsx";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Terms of Service · Odin" }];

export const loader = screenLoader("public", () => ({}));

const LEAD =
  "These terms are an agreement between the operator of Odin, the agencies that use it, and each of their users. By signing in you accept them.";

export default function TermsScreen() {
  return <LegalDocument title="Terms of Service" lead={LEAD} sections={TERMS} />;
}

const TERMS: readonly LegalSection[] = [
  {
    title: "Who may use Odin",
    paragraphs: [
      "Odin is provided to law-enforcement and public-security agencies and, through them, to the staff whom they authorize. Use is for authorized law enforcement only. No one else may sign in, and accounts must not be shared.",
      "Each agency decides which of its staff receive an account, keeps that list current, and has accounts disabled as soon as they are no longer needed.",
    ],
  },
  {
    title: "What Odin may be used for",
    paragraphs: [
      "Every search, export and hotlist entry must serve a specific, lawful and official purpose, which the user states as its justification. The justification must be true.",
      "Odin must not be used:",
    ],
    points: [
      "for personal reasons, or to track anyone without a lawful and documented purpose;",
      "to monitor people because of who they are, what they believe, or their exercise of a constitutional right;",
      "for any purpose that the law of the state whose agency collected the records forbids;",
      "to give records to people or agencies that are not authorized to receive them.",
    ],
  },
  {
    title: "CJIS compliance",
    paragraphs: [
      "Compliance with the Criminal Justice Information Services (CJIS) Security Policy is required of every agency and every user. Each agency remains responsible for the screening and training of its users, for the devices and networks from which they sign in, and for the handling of exports.",
      "Odin enforces parts of that policy: individual accounts, rules for passwords and second factors, account lockout after failed sign-ins, session timeouts, encryption, and an audit log that cannot be changed.",
    ],
  },
  {
    title: "Your account",
    paragraphs: [
      "You are responsible for all activity under your account. Keep your password, your second factor and your recovery codes secret, and tell your administrator immediately if you think that someone else has one of them.",
      "Accounts that are not used for 90 days are disabled. An administrator of your agency, or the operator of Odin, may disable an account at any time to protect records.",
    ],
  },
  {
    title: "Monitoring and audit",
    paragraphs: [
      "Use of Odin is monitored, recorded and audited. Sign-ins, searches with their justification, views, exports, hotlist changes, and administrative actions are recorded in the audit log of your agency, including denied attempts. By using Odin you consent to this.",
    ],
  },
  {
    title: "Records are leads, not proof",
    paragraphs: [
      "A plate read is made by a machine and can be wrong: a character or the state may be misread, and reads may arrive late. A read or an alert alone does not justify a stop, a search or an arrest. Verify the plate, the state and the current status of the vehicle before you act.",
    ],
  },
  {
    title: "Temporary results and exports",
    paragraphs: [
      "Search results and their images are temporary. They are purged after the period that your agency has set, unless they were exported. Odin cannot restore purged results.",
      "An export becomes a record of your agency. Your agency is responsible for keeping, protecting, disclosing and destroying it as the law requires.",
    ],
  },
  {
    title: "Source programs",
    paragraphs: [
      "Odin shows records that other programs, among them Rekor, Axon and Axis, hold for the agencies that collected them. Those records belong to those agencies, which decide who they share them with and may stop sharing at any time. The terms of those programs also apply.",
    ],
  },
  {
    title: "Availability and liability",
    paragraphs: [
      "Odin is provided as is. Source programs, networks and cameras may fail, and the absence of a result does not mean that a vehicle was not there; Odin says which programs answered. To the extent permitted by law, the operator of Odin is not liable for indirect damages or for decisions based on a record.",
      "Nothing in these terms limits liability that cannot be limited by law.",
    ],
  },
  {
    title: "Suspension and termination",
    paragraphs: [
      "The operator may suspend an account or an agency that violates these terms, and will inform the agency. When an agency's use ends, its accounts are disabled and its credentials for source programs are destroyed; the audit log is kept for as long as the law and the CJIS Security Policy require.",
    ],
  },
  {
    title: "Governing law",
    paragraphs: [
      "These terms are governed by the law of the State of Connecticut, without regard to its conflict-of-laws rules. Disputes are brought before the state and federal courts in Connecticut, to the extent permitted by the law that applies to a public agency.",
    ],
  },
  {
    title: "Changes",
    paragraphs: [
      "These terms may change. They have applied since the effective date above. Changes that matter to users are announced at sign-in before they take effect.",
    ],
  },
];
