import { Badge } from "#app/components/ui/badge.tsx";
import { InputField, TimeField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type {
  AgencyPart,
  NamedAgency,
  NamingProgram,
  SharedAgency,
} from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { timeOf, wallClock } from "#app/lib/time/wall-clock.ts";
import type { AgencyList, ListedAgency, Move } from "./agency-lists.tsx";

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
      lead: "Can search your cameras until the terms expire.",
    },
    others: {
      title: "Not shared with",
      lead: "Cannot search your cameras.",
      empty: "You share with every agency.",
    },
    share: (name) => `${name} can search all your Axis cameras, starting with its next search.`,
    terms: (name) => `The terms on which ${name} can search your Axis cameras.`,
    stop: (name) => `${name} can no longer search your Axis cameras, starting with its next search.`,
  },
  Rekor: {
    paths: { share: "/add-rekor-share", stop: "/remove-rekor-share" },
    shared: {
      title: "Webhooks shared with",
      lead: "Their hotlists are matched with reads from your webhooks until the terms expire. This does not affect their searches.",
    },
    others: {
      title: "Webhooks not shared with",
      lead: "Their hotlists are not matched with reads from your webhooks.",
      empty: "The hotlists of every agency are matched with your reads.",
    },
    share: (name) =>
      `Starting with the next read, the hotlists of ${name} are matched with reads from all your webhooks. A hit shows ${name} the plate, time, camera and images.`,
    terms: (name) => `The terms on which the hotlists of ${name} are matched with reads from your webhooks.`,
    stop: (name) =>
      `Starting with the next read, the hotlists of ${name} are no longer matched with reads from your webhooks. ${name} keeps its existing hits.`,
  },
};

/** The text of both lists in an installation with one agency. */
const ALONE = "There is no other agency.";

/** Lists the agencies with which a program's reads are shared, with their terms, and all others. */
export function shareLists(
  program: NamingProgram,
  [shared, others]: readonly [AgencyPart<SharedAgency>, AgencyPart<NamedAgency>],
): [AgencyList, AgencyList] {
  const words = WORDS[program];
  const isAlone = shared.total + others.total === 0;
  const share = (label: string, body: Move["body"]): Move => ({
    label,
    title: (name) => `Share with ${name}?`,
    path: words.paths.share,
    danger: false,
    failed: MESSAGES.unknownError,
    body,
    fields: termFields(shared.agencies),
  });
  return [
    {
      ...words.shared,
      empty: isAlone ? ALONE : "Not shared with any agency.",
      ...listed(shared),
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
    {
      ...words.others,
      ...(isAlone && { empty: ALONE }),
      ...listed(others),
      move: share("Share", words.share),
    },
  ];
}

type Agencies = AgencyPart<NamedAgency | SharedAgency>;

/** Lists the agencies that may search an agency's Axon reads, with their terms if any, and those that may not. */
export function axonLists([authorized, blacklisted]: readonly [Agencies, Agencies]): [
  AgencyList,
  AgencyList,
] {
  const isAlone = authorized.total + blacklisted.total === 0;
  const allow = (label: string, agencies: Agencies, body: Move["body"]): Move => ({
    label,
    path: "/remove-from-blacklist",
    danger: false,
    failed: MESSAGES.unblacklistFailed,
    body,
    fields: termFields(agencies.agencies),
  });
  return [
    {
      title: "Authorized Agencies",
      lead: "Can search your Axon reads, until their terms expire if they have any.",
      empty: isAlone ? ALONE : "No agency is authorized.",
      ...listed(authorized),
      also: {
        ...allow("Terms", authorized, (name) => `The terms on which ${name} can search your Axon reads.`),
        ...TERMS_QUESTION,
      },
      move: {
        label: "Blacklist",
        path: "/add-to-blacklist",
        danger: true,
        failed: MESSAGES.blacklistFailed,
        body: (name) => `${name} can no longer search your Axon reads, starting with its next search.`,
      },
    },
    {
      title: "Blacklisted Agencies",
      lead: "Cannot search your Axon reads.",
      empty: isAlone ? ALONE : "No agency is blacklisted.",
      ...listed(blacklisted),
      move: allow(
        "Authorize",
        blacklisted,
        (name) => `${name} can search your Axon reads, starting with its next search.`,
      ),
    },
  ];
}

const listed = ({ agencies, found, total }: Agencies) => ({ agencies: agencies.map(withNote), found, total });

/** Returns an agency with its terms, if any, as the note below its name. */
function withNote(agency: NamedAgency | SharedAgency): ListedAgency {
  const { id, name } = agency;
  if (!("declaration" in agency)) return { id, name };
  const { declaration, valid_until, expired } = agency;
  if (valid_until === null && declaration === "") return { id, name };
  const note = (
    <span className="wrap-anywhere">
      {expired && <Badge tone="warn">Expired</Badge>}
      {valid_until !== null && (
        <>
          {expired ? " ended " : "until "}
          <LocalTime at={valid_until} />
        </>
      )}
      {valid_until !== null && declaration !== "" && " · "}
      <bdi>{declaration}</bdi>
    </span>
  );
  return { id, name, note };
}

/** Title and button of the dialog that edits the terms of existing sharing. */
const TERMS_QUESTION = { title: (name: string) => `Terms with ${name}`, confirm: "Save terms" };

/** Returns the form fields for sharing terms, filled with an agency's current terms. */
function termFields(agencies: readonly (NamedAgency | SharedAgency)[]): Move["fields"] {
  const shared = agencies.filter((agency) => "declaration" in agency);
  return {
    of: (agencyId) => <TermFields terms={shared.find(({ id }) => id === agencyId)} />,
    read: readTerms,
  };
}

function TermFields({ terms }: { terms: SharedAgency | undefined }) {
  return (
    <>
      <InputField
        label="Agreement or declaration"
        hint="For an agency of another state: its signed declaration that it uses the reads for no prohibited purpose."
        name="declaration"
        defaultValue={terms?.declaration ?? ""}
        maxLength={200}
        autoComplete="off"
      />
      <TimeField
        label="Shared until"
        hint="In your time zone. Leave empty to share until you stop."
        name="valid_until"
        edge="end"
        defaultValue={terms?.valid_until ? inputTime(terms.valid_until) : ""}
      />
    </>
  );
}

/** Returns an instant in the viewer's zone, in the format of a datetime-local field. */
function inputTime(at: number): string {
  return wallClock(at).slice(0, 16);
}

function readTerms(form: FormData): object {
  const typed = String(form.get("valid_until") ?? "");
  const until = timeOf(typed, { edge: "end" });
  return {
    declaration: String(form.get("declaration") ?? ""),
    // The server refuses an unreadable time: without an end, the sharing would never end.
    valid_until: until === undefined ? typed || null : isoTime(until),
  };
}
