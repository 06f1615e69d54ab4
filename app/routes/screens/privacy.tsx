import type { MetaFunction } from "@remix-run/cloudflare";
import { LegalDocument } from "#app/components/shell/legal-document.tsx";
import { PRIVACY } from "#app/components/shell/privacy.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Privacy Policy · Odin" }];

export const loader = screenLoader("public", () => ({}));

const LEAD =
  "Plate records can show where people have been. This is how Odin treats them, and what it keeps about those who use it.";

export default function PrivacyScreen() {
  return <LegalDocument title="Privacy Policy" lead={LEAD} sections={PRIVACY} />;
}
