import type { NamedAgency, NamingProgram, SharedAgency } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import type { AgencyList, Move } from "./agency-lists.tsx";
import { listed, TERMS_QUESTION, termFields } from "./sharing-terms.tsx";

type Words = {
  paths: { share: string; stop: string };
  shared: Pick<AgencyList, "title" | "lead">;
  others: Pick<AgencyList, "title" | "lead" | "empty">;
  share: Move["body"];
  terms: Move["body"];
  stop: Move["body"];
};

const WORDS: Record<NamingProgram, Words> = {
  Axis: {
    paths: { share: "/add-axis-share", stop: "/remove-axis-share" },
    shared: {
      title: "Shared with",
      lead: "May search the reads of your cameras for as long as the terms hold.",
    },
    others: {
      title: "Not shared with",
      lead: "Find nothing of your cameras.",
      empty: "Every agency shares your reads.",
    },
    share: (name) => `${name} finds the reads of all your Axis cameras, from its next search on.`,
    terms: (name) => `On what terms ${name} finds the reads of your Axis cameras.`,
    stop: (name) => `${name} no longer finds the reads of your Axis cameras, from its next search on.`,
  },
  Rekor: {
    paths: { share: "/add-rekor-share", stop: "/remove-rekor-share" },
    shared: {
      title: "Webhooks shared with",
      lead: "Their hotlists are matched with the reads of your webhooks as they come, for as long as the terms hold. What they find in a search is not touched.",
    },
    others: {
      title: "Webhooks not shared with",
      lead: "Their hotlists are not matched with the reads of your webhooks.",
      empty: "The hotlists of every agency are matched with your reads.",
    },
    share: (name) =>
      `From the next read on, the hotlists of ${name} are matched with the reads of all your webhooks. A hit shows ${name} the plate, the time, the camera and the pictures.`,
    terms: (name) => `On what terms the hotlists of ${name} are matched with the reads of your webhooks.`,
    stop: (name) =>
      `From the next read on, the hotlists of ${name} are no longer matched with the reads of your webhooks. Hits that it has had stay with it.`,
  },
};

/** The agencies with which a program's reads are shared, with the terms of each, and all others. */
export function shareLists(
  program: NamingProgram,
  { shared, others }: { shared: SharedAgency[]; others: NamedAgency[] },
): [AgencyList, AgencyList] {
  const words = WORDS[program];
  const share = (label: string, body: Move["body"]): Move => ({
    label,
    title: (name) => `Share with ${name}?`,
    path: words.paths.share,
    danger: false,
    failed: MESSAGES.unknownError,
    body,
    fields: termFields(shared),
  });
  return [
    {
      ...words.shared,
      empty: "Nobody but your own agency.",
      agencies: shared.map(listed),
      also: { ...share("Terms", words.terms), ...TERMS_QUESTION },
      move: {
        label: "Stop sharing",
        title: (name) => `Stop sharing with ${name}?`,
        path: words.paths.stop,
        danger: true,
        failed: MESSAGES.unknownError,
        body: words.stop,
      },
    },
    { ...words.others, agencies: others, move: share("Share", words.share) },
  ];
}
