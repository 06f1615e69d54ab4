import { Badge } from "#app/components/ui/badge.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { NamedAgency, SharedAgency } from "#app/entities/integrations/settings.ts";
import { isoTime } from "#app/lib/time/dates.ts";
import { timeOf, wallClock } from "#app/lib/time/wall-clock.ts";
import type { ListedAgency, Move } from "./agency-lists.tsx";

/** An agency with its terms below its name, where it has any. */
export function listed(agency: NamedAgency | SharedAgency): ListedAgency {
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

/** How the terms of a sharing that goes on are asked for. */
export const TERMS_QUESTION = { title: (name: string) => `Terms with ${name}`, confirm: "Save terms" };

/** The fields of a question about sharing, filled in with the terms that an agency has. */
export function termFields(agencies: readonly (NamedAgency | SharedAgency)[]): Move["fields"] {
  const termsOf = (id: string) => agencies.find((agency) => agency.id === id && "declaration" in agency);
  return { of: (id) => <TermFields terms={termsOf(id) as SharedAgency | undefined} />, read: readTerms };
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
  return wallClock(at).slice(0, 16);
}

function readTerms(form: FormData): object {
  const until = timeOf(String(form.get("valid_until") ?? ""), { edge: "end" });
  return {
    declaration: String(form.get("declaration") ?? ""),
    valid_until: until === undefined ? null : isoTime(until),
  };
}
