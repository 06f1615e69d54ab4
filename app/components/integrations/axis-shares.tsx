import { LocalTime } from "#app/components/account/local-time.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input } from "#app/components/ui/input.tsx";
import type { NamedAgency, SharedAgency } from "#app/entities/integration.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { MINUTE } from "#app/lib/dates.ts";
import type { AgencyList, ListedAgency, Move } from "./agency-lists.tsx";

/** The agencies with which Axis reads are shared, with the terms of each, and all others. */
export function shareLists(shared: SharedAgency[], others: NamedAgency[]): [AgencyList, AgencyList] {
  const termsOf = (id: string) => shared.find((agency) => agency.id === id);
  const share = (label: string, body: Move["body"]): Move => ({
    label,
    title: (name) => `Share with ${name}?`,
    path: "/add-axis-share",
    danger: false,
    failed: MESSAGES.unknownError,
    body,
    fields: { of: (id) => <TermFields terms={termsOf(id)} />, read: readTerms },
  });
  return [
    {
      title: "Shared with",
      lead: "May search the reads of your cameras for as long as the terms hold.",
      empty: "Nobody but your own agency.",
      agencies: shared.map(listed),
      also: {
        ...share("Terms", (name) => `On what terms ${name} finds the reads of your Axis cameras.`),
        title: (name) => `Terms with ${name}`,
        confirm: "Save terms",
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

function listed(agency: SharedAgency): ListedAgency {
  const { id, name, declaration, valid_until, expired } = agency;
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

function TermFields({ terms }: { terms: SharedAgency | undefined }) {
  return (
    <>
      <Field
        label="Agreement or declaration"
        hint="For an agency of another state: its signed declaration that it uses the reads for no prohibited purpose."
      >
        {(control) => (
          <Input
            {...control}
            name="declaration"
            defaultValue={terms?.declaration ?? ""}
            maxLength={200}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Shared until" hint="Empty: until you stop it.">
        {(control) => (
          <Input
            {...control}
            name="valid_until"
            type="datetime-local"
            defaultValue={terms?.valid_until ? inputTime(terms.valid_until) : ""}
          />
        )}
      </Field>
    </>
  );
}

/** An instant as the viewer's own clock shows it, in the form that the field takes. */
function inputTime(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

function readTerms(form: FormData): object {
  const until = new Date(String(form.get("valid_until") ?? "")).getTime();
  return {
    declaration: String(form.get("declaration") ?? ""),
    valid_until: Number.isNaN(until) ? null : new Date(until).toISOString(),
  };
}
