import { LineForm } from "#app/components/forms/line-form.tsx";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";

/** A button that decides about one domain. */
export function DomainButton({
  intent,
  domain,
  agencyId,
  label,
  danger = false,
}: {
  intent: string;
  domain: string;
  /** The agency, if it is not the user's own. */
  agencyId?: string;
  label: string;
  danger?: boolean;
}) {
  const of = agencyId === undefined ? domain : `${domain} ${agencyId}`;
  const form = useScreenForm({ intent, failed: "The change failed.", of: { field: "of", value: of } });
  return (
    <ScreenForm state={form} className="inline-flex">
      <input type="hidden" name="of" value={of} />
      <input type="hidden" name="domain" value={domain} />
      {agencyId !== undefined && <input type="hidden" name="agency_id" value={agencyId} />}
      <Button type="submit" size="sm" variant={danger ? "danger" : "secondary"} pending={form.pending}>
        {label}
        <span className="sr-only"> {domain}</span>
      </Button>
    </ScreenForm>
  );
}

/** A button that decides about the second factor of one agency's provider, as its settings are now. */
export function FactorButton({
  intent,
  agencyId,
  agency,
  changedAt,
  label,
  danger = false,
}: {
  intent: string;
  agencyId: string;
  agency: string;
  changedAt: number;
  label: string;
  danger?: boolean;
}) {
  const of = { field: "agency_id", value: agencyId };
  const form = useScreenForm({ intent, failed: "The change failed.", of });
  return (
    <ScreenForm state={form} className="inline-flex">
      <input type="hidden" name="agency_id" value={agencyId} />
      <input type="hidden" name="changed_at" value={changedAt} />
      <Button type="submit" size="sm" variant={danger ? "danger" : "secondary"} pending={form.pending}>
        {label}
        <span className="sr-only"> the second factor of {agency}</span>
      </Button>
    </ScreenForm>
  );
}

/** Requests a domain. */
export function NewDomainForm() {
  const form = useScreenForm({ intent: "request-domain", failed: "The domain could not be requested." });
  return (
    <LineForm
      state={form}
      name="domain"
      label="Email domain"
      maxLength={253}
      autoCapitalize="none"
      spellCheck={false}
      placeholder="police.example.gov"
      button="Request"
      pendingLabel="Requesting…"
    />
  );
}
