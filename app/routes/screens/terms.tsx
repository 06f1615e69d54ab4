import type { MetaFunction } from "@remix-run/cloudflare";
import { LegalDocument } from "#app/components/shell/legal-document.tsx";
import { TERMS } from "#app/components/shell/terms.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Terms of Service · Odin" }];

export const loader = screenLoader("public", () => ({}));

const LEAD =
  "These terms are an agreement between the operator of Odin, the agencies that use it, and each of their users. By signing in you accept them.";

export default function TermsScreen() {
  return <LegalDocument title="Terms of Service" lead={LEAD} sections={TERMS} />;
}
