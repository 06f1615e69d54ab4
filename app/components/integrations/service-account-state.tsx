import { Badge } from "#app/components/ui/badge.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { ServiceAccountRow } from "#app/entities/integrations/service-accounts.ts";

export const TOKEN_ONCE =
  "This token is shown only once. The program sends it with every call: Authorization: Bearer, then the token.";

const LOOKS = {
  on: { tone: "ok", label: "Enabled" },
  expired: { tone: "warn", label: "Expired" },
  suspended: { tone: "warn", label: "Suspended" },
  disabled: { tone: "neutral", label: "Disabled" },
} as const;

export function ServiceStateBadge({ state }: Pick<ServiceAccountRow, "state">) {
  return <Badge tone={LOOKS[state].tone}>{LOOKS[state].label}</Badge>;
}

/** When a service account last called, and from where. */
export function LastUse({ account }: { account: ServiceAccountRow }) {
  if (account.last_used_at === null) return <span className="text-muted">Never</span>;
  return (
    <>
      <LocalTime at={account.last_used_at} short />
      <span className="block font-mono text-xs break-all text-muted">{account.last_used_ip}</span>
    </>
  );
}

/** The state of a service account and of its tokens. */
export function ServiceState({ account }: { account: ServiceAccountRow }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
      <dt className="text-muted">State</dt>
      <dd>
        <ServiceStateBadge state={account.state} />
      </dd>
      <dt className="text-muted">Responsible</dt>
      <dd>
        {account.responsible || "No one"}
        {account.state === "suspended" && (
          <span className="block text-xs text-muted">
            This user is no longer active or no longer has the permissions of this account, so its calls are
            refused. Create a new token to become responsible for it.
          </span>
        )}
      </dd>
      <dt className="text-muted">Token</dt>
      <dd className="font-mono">odin_sa_…{account.token_last_four}</dd>
      <dt className="text-muted">{account.state === "expired" ? "Expired" : "Expires"}</dt>
      <dd>
        <LocalTime at={account.expires_at} short />
      </dd>
      {account.former_until !== null && (
        <>
          <dt className="text-muted">Former token</dt>
          <dd>
            Works until <LocalTime at={account.former_until} short />
          </dd>
        </>
      )}
      <dt className="text-muted">Last call</dt>
      <dd>
        <LastUse account={account} />
      </dd>
      {account.last_refused_at !== null && (
        <>
          <dt className="text-muted">Last refused</dt>
          <dd>
            <LocalTime at={account.last_refused_at} short />
            <span className="block text-xs text-muted">
              {account.last_refusal} From{" "}
              <span className="font-mono break-all">{account.last_refused_ip}</span>
            </span>
          </dd>
        </>
      )}
      <dt className="text-muted">Added</dt>
      <dd>
        <LocalTime at={account.created_at} short />
        {account.created_by && <span className="block text-xs text-muted">by {account.created_by}</span>}
      </dd>
    </dl>
  );
}
