import type { NamedAgency, SharedAgency } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { AgencyList, Move } from "./agency-lists.tsx";
import { listed, TERMS_QUESTION, termFields } from "./sharing-terms.tsx";

type Agencies = readonly (NamedAgency | SharedAgency)[];

/** The agencies that may search one's Axon reads, with the terms of those that have any, and those that may not. */
export function axonLists(authorized: Agencies, blacklisted: Agencies): [AgencyList, AgencyList] {
  const allow = (label: string, agencies: Agencies, body: Move["body"]): Move => ({
    label,
    path: "/remove-from-blacklist",
    danger: false,
    failed: MESSAGES.unblacklistFailed,
    body,
    fields: termFields(agencies),
  });
  return [
    {
      title: "Authorized Agencies",
      lead: "May search your Axon reads, those with terms for as long as they hold.",
      empty: "No agency is authorized.",
      agencies: authorized.map(listed),
      also: {
        ...allow("Terms", authorized, (name) => `On what terms ${name} finds your Axon reads.`),
        ...TERMS_QUESTION,
      },
      move: {
        label: "Blacklist",
        path: "/add-to-blacklist",
        danger: true,
        failed: MESSAGES.blacklistFailed,
        body: (name) => `${name} no longer finds your Axon reads, from its next search on.`,
      },
    },
    {
      title: "Blacklisted Agencies",
      lead: "Find nothing of your Axon reads.",
      empty: "No agency is blacklisted.",
      agencies: blacklisted.map(listed),
      move: allow(
        "Authorize",
        blacklisted,
        (name) => `${name} finds your Axon reads, from its next search on.`,
      ),
    },
  ];
}
