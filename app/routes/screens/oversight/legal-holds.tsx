import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { instantOfField, TimeZoneField } from "#app/components/forms/time-zone-field.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { HoldList } from "#app/components/oversight/legal-holds/hold-list.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { InputField, TextareaField, TimeField } from "#app/components/ui/fields/labeled.tsx";
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
    done: "Hold requested. Another administrator must approve it.",
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
          A hold keeps reads of {agency} beyond their retention period for a case. One administrator requests
          it, and another approves it. Until then, nothing is held.
        </p>
      </div>
      <Collapsible title="Request a legal hold" defaultOpen={holds.length === 0}>
        <NewHoldForm zone={zone} />
      </Collapsible>
      <HoldList holds={holds} />
    </Page>
  );
}

/** Requests a hold. Times are in the viewer's zone, or without scripts in the agency's. */
function NewHoldForm({ zone }: { zone: string }) {
  const form = useScreenForm({ intent: "request", failed: "The hold could not be requested." });
  return (
    <ScreenForm state={form} className="flex flex-col gap-3">
      <TimeZoneField zone={zone} />
      <div className="grid gap-3 sm:grid-cols-3">
        <InputField
          {...form.field("case_number")}
          label="Case number"
          required
          maxLength={64}
          autoComplete="off"
        />
        <TimeField {...form.field("start")} label="Reads from" required />
        <TimeField {...form.field("end")} label="Until" required edge="end" />
      </div>
      <TextareaField
        {...form.field("plates")}
        label="Plates"
        required
        hint="Separated by commas or line breaks."
        rows={2}
        controlClass="plate-text"
        autoComplete="off"
      />
      <TextareaField {...form.field("reason")} label="Reason" required rows={2} maxLength={500} />
      <SubmitButton state={form} pendingLabel="Requesting…">
        Request hold
      </SubmitButton>
    </ScreenForm>
  );
}

/** Returns the body of POST /legal-holds/request from form fields. Times become instants in the form's zone. */
function holdOfFields(fields: Record<string, string>) {
  return {
    ...fields,
    start: instantOfField(fields, "start", "start"),
    end: instantOfField(fields, "end", "end"),
  };
}
