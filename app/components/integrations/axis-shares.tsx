import type { NamedAgency, SharedAgency } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { AgencyList, Move } from "./agency-lists.tsx";
import { listed, TERMS_QUESTION, termFields } from "./sharing-terms.tsx";

/** The agencies with which Axis reads are shared, with the terms of each, and all others. */
export function shareLists(shared: SharedAgency[], others: NamedAgency[]): [AgencyList, AgencyList] {
  const share = (label: string, body: Move["body"]): Move => ({
    label,
    title: (name) => `Share with ${name}?`,
    path: "/add-axis-share",
    danger: false,
    failed: MESSAGES.unknownError,
    body,
    fields: termFields(shared),
  });
  return [
    {
      title: "Shared with",
      lead: "May search the reads of your cameras for as long as the terms hold.",
      empty: "Nobody but your own agency.",
      agencies: shared.map(listed),
      also: {
        ...share("Terms", (name) => `On what terms ${name} finds the reads of your Axis cameras.`),
        ...TERMS_QUESTION,
      },
      move: {
        label: "Stop sharing",
        title: (name) => `Stop sharing with ${name}?`,
        path: "/remove-axis-share",
        danger: true,
        failed: MESSAGES.unknownError,
        body: (name) => `${name} no longer finds the reads of your Axis cameras, from its next search on.`,
      },
    },
    {
      title: "Not shared with",
      lead: "Find nothing of your cameras.",
      empty: "Every agency shares your reads.",
      agencies: others,
      move: share(
        "Share",
        (name) => `${name} finds the reads of all your Axis cameras, from its next search on.`,
      ),
    },
  ];
}
