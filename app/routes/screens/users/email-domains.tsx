import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { AtSign } from "lucide-react";
import { FindInPages, findOf, pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DomainButton, FactorButton } from "#app/components/users/single-sign-on/domain-form.tsx";
import {
  allFactors,
  approveDomainOf,
  decideFactor,
  domainPage,
  refuseDomainOf,
} from "#app/domain/users/email-domains.ts";
import {
  DomainDecision,
  FactorDecision,
  type RequestedDomain,
  type RequestedFactor,
} from "#app/entities/accounts/sign-on-settings.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction = () => [{ title: "Email Domains · Odin" }];

export const loader = screenLoader("owner", async ({ app, query }) => {
  const find = findOf(query);
  const [domains, factors] = await Promise.all([
    domainPage(app, { find, page: pageOf(query) }),
    allFactors(app),
  ]);
  return { find, domains, factors };
});

const STEP_UP = { stepUp: true };

export const action = screenAction("owner", {
  approve: screenForm(DomainDecision, ({ app, actor, body }) => approveDomainOf(app, actor, body), STEP_UP),
  refuse: screenForm(DomainDecision, ({ app, actor, body }) => refuseDomainOf(app, actor, body), STEP_UP),
  "approve-factor": screenForm(
    FactorDecision,
    ({ app, actor, body }) => decideFactor(app, actor, { ...body, approved: true }),
    STEP_UP,
  ),
  "withdraw-factor": screenForm(
    FactorDecision,
    ({ app, actor, body }) => decideFactor(app, actor, { ...body, approved: false }),
    STEP_UP,
  ),
});

export const clientAction = screenClientAction;

export default function EmailDomainsScreen() {
  const { find, domains, factors } = useLoaderData<typeof loader>();
  return (
    <Page width="4xl">
      <PageHead
        title="Email Domains"
        lead="Agencies request them for single sign-on. Approve a domain only if it belongs to the agency: its provider then decides who has an address in it. One agency at most can have a domain."
      />
      <FindInPages
        label="Find a domain"
        placeholder="Domain or agency"
        noun="domain"
        find={find}
        list={domains}
      />
      {domains.found === 0 && find === "" && (
        <EmptyState icon={<AtSign />} title="No domains">
          No agency has requested one.
        </EmptyState>
      )}
      {domains.found > 0 && (
        <ul className="flex flex-col gap-2">
          {domains.rows.map((row) => (
            <Domain key={`${row.domain} ${row.agency_id}`} {...row} />
          ))}
        </ul>
      )}
      <PageLinks page={domains.page} pages={domains.pages} to={(to) => pageAddress(to, { find })} />
      {factors.length > 0 && (
        <section className="flex flex-col gap-2">
          <h2 className="text-lg font-semibold">Second factors of identity providers</h2>
          <p className="max-w-[65ch] text-sm text-muted">
            These agencies want their provider's second factor to count. Where the policy requires one, it
            counts only with your approval. Changing the issuer, client or acr values requires a new approval.
            Withdrawing an approval ends the sessions that single sign-on opened there.
          </p>
          <ul className="flex flex-col gap-2">
            {factors.map((factor) => (
              <Factor key={factor.agency_id} {...factor} />
            ))}
          </ul>
        </section>
      )}
    </Page>
  );
}

function Factor({
  agency_id,
  agency,
  issuer,
  client_id,
  acr_values,
  changed_at,
  approved_at,
}: RequestedFactor) {
  const isApproved = approved_at !== null;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-line bg-raised p-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">{agency}</p>
        <p className="text-sm wrap-anywhere text-muted">
          {issuer}, client {client_id},{" "}
          {acr_values.length > 0 ? `amr or acr ${acr_values.join(", ")}` : "amr"}
        </p>
      </div>
      <Badge tone={isApproved ? "ok" : "warn"}>{isApproved ? "Approved" : "Awaiting approval"}</Badge>
      <FactorButton
        intent={isApproved ? "withdraw-factor" : "approve-factor"}
        agencyId={agency_id}
        agency={agency}
        changedAt={changed_at}
        label={isApproved ? "Withdraw" : "Approve"}
        danger={isApproved}
      />
    </li>
  );
}

function Domain({ domain, agency_id, agency, requested_at, approved_at }: RequestedDomain) {
  const isApproved = approved_at !== null;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-line bg-raised p-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium break-all">{domain}</p>
        <p className="text-sm text-muted">
          {agency}, requested <LocalTime at={requested_at} short />
        </p>
      </div>
      <Badge tone={isApproved ? "ok" : "warn"}>{isApproved ? "Approved" : "Awaiting approval"}</Badge>
      {!isApproved && <DomainButton intent="approve" domain={domain} agencyId={agency_id} label="Approve" />}
      <DomainButton
        intent="refuse"
        domain={domain}
        agencyId={agency_id}
        label={isApproved ? "Withdraw" : "Refuse"}
        danger={isApproved}
      />
    </li>
  );
}
