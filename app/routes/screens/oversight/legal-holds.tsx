import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { holdOfFields } from "#app/components/oversight/legal-holds/hold-fields.ts";
import { HoldList } from "#app/components/oversight/legal-holds/hold-list.tsx";
import { NewHoldForm } from "#app/components/oversight/legal-holds/new-hold-form.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { Page } from "#app/components/ui/page.tsx";
import { legalHoldsOf, requestHold } from "#app/domain/oversight/legal-holds.ts";
import { ownTimeZone } from "#app/domain/users/agencies.ts";
import { NewLegalHold } from "#app/entities/oversight/legal-hold.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Legal Holds · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor }) => ({
  agency: actor.agencyName,
  holds: await legalHoldsOf(app, actor),
  zone: await ownTimeZone(app, actor),
}));

export const action = screenAction("admin", {
  request: screenForm(NewLegalHold, ({ app, actor, body }) => requestHold(app, actor, body), {
    shape: ({ fields }) => holdOfFields(fields),
    done: "The hold waits for another administrator's approval",
    shows: () => undefined,
  }),
});

export const clientAction = screenClientAction;

export default function LegalHoldsScreen() {
  const { agency, holds, zone } = useLoaderData<typeof loader>();
  return (
    <Page width="7xl">
      <div>
        <h1 className="text-xl font-semibold tracking-tight">Legal Holds</h1>
        <p className="mt-0.5 max-w-[65ch] text-sm text-muted">
          Reads of {agency} that a case needs longer than they may be kept. One administrator asks, another
          approves; until then nothing is held.
        </p>
      </div>
      <Collapsible title="Ask for a hold" defaultOpen={holds.length === 0}>
        <NewHoldForm zone={zone} />
      </Collapsible>
      <HoldList holds={holds} />
    </Page>
  );
}
