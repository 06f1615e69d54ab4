import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { PolicyForm } from "#app/components/agencies/policy-form.tsx";
import { agencyForOwner } from "#app/domain/agencies.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Agency policy · Odin" }];

export const loader = screenLoader("owner", ({ app, params }) => agencyForOwner(app, params.id ?? ""));

export default function AgencyPolicyScreen() {
  const agency = useLoaderData<typeof loader>();
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 px-4 py-5 sm:px-6">
      <h1 className="text-xl font-semibold tracking-tight">{agency.name}</h1>
      <div className="rounded-md border border-line bg-raised p-4 sm:p-5">
        <PolicyForm key={agency.id} agency={agency} />
      </div>
    </div>
  );
}
