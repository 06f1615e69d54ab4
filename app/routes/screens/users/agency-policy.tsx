import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField } from "#app/components/ui/fields/labeled.tsx";
import { Page, PageTitle } from "#app/components/ui/page.tsx";
import { keptAnswers } from "#app/domain/operations/idempotency.ts";
import { agencyForOwner, changeAgency } from "#app/domain/users/agencies.ts";
import {
  AgencyChange,
  type AgencyWithPolicy,
  agencyChangeOf,
  INVESTIGATORS,
  POLICY_NUMBERS,
  POLICY_SWITCHES,
  TIME_ZONES,
} from "#app/entities/users/policy.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm, settingsVersion } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Agency Policy · Odin" }];

export const loader = screenLoader("owner", async ({ app, params }) => {
  const agency = await agencyForOwner(app, params.id ?? "");
  return { agency, version: settingsVersion(agency) };
});

export const action = screenAction("owner", {
  policy: screenForm(
    AgencyChange,
    ({ app, actor, params, body }) => changeAgency(app, actor, { id: params.id ?? "", change: body }),
    {
      stepUp: true,
      shape: ({ fields }) => agencyChangeOf(fields),
      answers: keptAnswers,
      replaces: ({ app, params }) => agencyForOwner(app, params.id ?? ""),
      done: (_, { name }) => `${name} saved`,
      next: "/owner",
      shows: () => undefined,
    },
  ),
});

export const clientAction = screenClientAction;

export default function AgencyPolicyScreen() {
  const { agency, version } = useLoaderData<typeof loader>();
  return (
    <Page width="3xl">
      <PageTitle>{agency.name}</PageTitle>
      <div className="rounded-md border border-line bg-raised p-4 sm:p-5">
        <PolicyForm key={agency.id} agency={agency} version={version} />
      </div>
    </Page>
  );
}

/** An agency's name and policy, saved together. */
function PolicyForm({
  agency,
  version,
}: {
  agency: Pick<AgencyWithPolicy, "id" | "name" | "policy">;
  version: string;
}) {
  const form = useScreenForm({
    intent: "policy",
    keyed: true,
    failed: "The agency could not be saved.",
    keep: true,
  });
  return (
    <ScreenForm state={form} version={version} className="flex flex-col gap-6">
      <InputField {...form.field("name", agency.name)} label="Name" required maxLength={120} />
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 text-lg font-semibold">Policy</legend>
        {POLICY_SWITCHES.map(({ key, label, hint }) => (
          <Checkbox
            key={key}
            name={key}
            value="on"
            defaultChecked={form.has(key, "on", agency.policy[key])}
            label={label}
            hint={hint}
          />
        ))}
        <div className="mt-2 grid gap-x-4 gap-y-4 sm:grid-cols-2">
          <SelectField
            {...form.field("time_zone", agency.policy.time_zone)}
            label="Time zone"
            hint="Determines which hours count as unusual for searches."
            options={TIME_ZONES}
          />
          <SelectField
            {...form.field("investigators", agency.policy.investigators)}
            label="Who can run place and convoy searches"
            hint="Each such search needs a case number and is reviewed for breadth."
            options={INVESTIGATORS}
          />
          {POLICY_NUMBERS.map(({ key, label, unit, least, most, hint }) => (
            <InputField
              key={key}
              {...form.field(key, String(agency.policy[key]))}
              label={label}
              hint={hint}
              aside={`${least} to ${most} ${unit}`}
              type="number"
              inputMode="numeric"
              min={least}
              max={most}
              step={1}
            />
          ))}
        </div>
      </fieldset>
      <div className="flex gap-2">
        <Button type="submit" variant="primary" pending={form.pending} pendingLabel="Saving…">
          Save Changes
        </Button>
        <Link to="/owner" className={buttonClass()}>
          Cancel
        </Link>
      </div>
    </ScreenForm>
  );
}
