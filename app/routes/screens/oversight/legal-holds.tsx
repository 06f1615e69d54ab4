import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { Scale } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { pageAddress } from "#app/components/forms/find-form.tsx";
import { PageLinks } from "#app/components/forms/page-links.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { instantOfField, TimeZoneField } from "#app/components/forms/time-zone-field.tsx";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Collapsible } from "#app/components/ui/collapsible.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { InputField, TextareaField, TimeField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { PlateChip } from "#app/components/ui/plate-chip.tsx";
import type { Tone } from "#app/components/ui/tones.ts";
import { legalHoldPage, requestHold } from "#app/domain/oversight/legal-holds.ts";
import { ownTimeZone } from "#app/domain/users/agencies.ts";
import {
  HOLD_STATES,
  type HoldState,
  type LegalHold,
  NewLegalHold,
} from "#app/entities/oversight/legal-hold.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { counted } from "#app/lib/number-text.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta: MetaFunction = () => [{ title: "Legal Holds · Odin" }];

export const loader = screenLoader("admin", async ({ app, actor, query }) => {
  const [holds, zone] = await Promise.all([
    legalHoldPage(app, actor, pageOf(query)),
    ownTimeZone(app, actor),
  ]);
  return { agency: actor.agencyName, holds, zone };
});

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
      <PageHead
        title="Legal Holds"
        lead={
          <>
            A hold keeps reads of {agency} beyond their retention period for a case. One administrator
            requests it, and another approves it. Until then, nothing is held.
          </>
        }
      />
      <NewHold zone={zone} isFirst={holds.found === 0} />
      {holds.pages > 1 && (
        <p className="text-sm text-muted">
          {counted(holds.found, "hold")}, those that wait for approval or are active first.
        </p>
      )}
      <HoldList holds={holds.rows} />
      <PageLinks page={holds.page} pages={holds.pages} to={pageAddress} />
    </Page>
  );
}

/** Requests a hold. Times are in the viewer's zone, or without scripts in the agency's. */
function NewHold({ zone, isFirst }: { zone: string; isFirst: boolean }) {
  const form = useScreenForm({ intent: "request", keyed: true, failed: "The hold could not be requested." });
  // Without scripts, the answer is a new page: a collapsed form would hide the problem.
  const isRefused = form.posted?.ok === false;
  return (
    <Collapsible title="Request a legal hold" defaultOpen={isFirst || isRefused}>
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
    </Collapsible>
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

const TONES: Record<HoldState, Tone> = {
  requested: "warn",
  active: "accent",
  refused: "neutral",
  released: "neutral",
};

const ACTS = {
  approve: {
    title: "Approve this hold?",
    confirm: "Approve",
    done: "The hold is active",
    body: "The purge keeps these reads until the hold is released.",
  },
  refuse: {
    title: "Refuse this hold?",
    confirm: "Refuse",
    done: "The hold was refused",
    body: "These reads are purged when their retention period ends.",
  },
  withdraw: {
    title: "Withdraw this request?",
    confirm: "Withdraw",
    done: "The request was withdrawn",
    body: "No one can approve it then. These reads are purged when their retention period ends.",
  },
  release: {
    title: "Release this hold?",
    confirm: "Release",
    done: "The hold was released",
    body: "Reads past their retention period that no other hold covers are deleted by the next purge. This cannot be undone.",
  },
} as const;

/** An agency's legal holds with the actions for each. */
function HoldList({ holds }: { holds: readonly LegalHold[] }) {
  const { mutate } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const askAbout = (hold: LegalHold, act: keyof typeof ACTS) => {
    const { title, confirm, done, body } = ACTS[act];
    const path = `/legal-holds/${encodeURIComponent(hold.id)}/${act === "withdraw" ? "release" : act}`;
    ask({
      title,
      body: `Case ${hold.case_number}. ${body}`,
      confirm,
      danger: act === "release",
      run: () => mutate(callApi(path, { method: "POST", failed: "The action failed." }), { done }),
    });
  };

  if (holds.length === 0) {
    return (
      <EmptyState icon={<Scale />} title="No holds">
        Every read is purged when its retention period ends.
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="flex flex-col gap-2">
        {holds.map((hold) => (
          <Hold key={hold.id} hold={hold} ask={(act) => askAbout(hold, act)} />
        ))}
      </ul>
      {dialog}
    </>
  );
}

function Hold({ hold, ask }: { hold: LegalHold; ask: (act: keyof typeof ACTS) => void }) {
  const isOpen = hold.state === "requested" || hold.state === "active";
  return (
    <li className="rounded-md border border-line bg-raised p-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="flex flex-wrap items-center gap-2 font-medium">
            Case {hold.case_number}
            <Badge tone={TONES[hold.state]}>{HOLD_STATES[hold.state]}</Badge>
          </h2>
          <p className="mt-0.5 text-sm">{hold.reason}</p>
          <p className="mt-1 text-xs text-muted">
            Reads from <LocalTime at={hold.from} /> until <LocalTime at={hold.until} />
          </p>
          <p className="text-xs text-muted">
            Requested by {hold.requested_by_name}, <LocalTime at={hold.requested_at} />
            {hold.decided_at !== null && (
              <>
                {" · "}
                {hold.state === "refused" ? "refused" : "approved"} by {hold.decided_by_name},{" "}
                <LocalTime at={hold.decided_at} />
              </>
            )}
            {hold.released_at !== null && (
              <>
                {" · "}released by {hold.released_by_name}, <LocalTime at={hold.released_at} />
              </>
            )}
          </p>
        </div>
        {isOpen && (
          <div className="flex flex-wrap gap-2">
            {hold.state === "requested" && !hold.is_own && (
              <>
                <Button size="sm" onClick={() => ask("approve")}>
                  Approve<span className="sr-only"> the hold of case {hold.case_number}</span>
                </Button>
                <Button size="sm" onClick={() => ask("refuse")}>
                  Refuse<span className="sr-only"> the hold of case {hold.case_number}</span>
                </Button>
              </>
            )}
            <Button size="sm" onClick={() => ask(hold.state === "requested" ? "withdraw" : "release")}>
              {hold.state === "requested" ? "Withdraw" : "Release"}
              <span className="sr-only"> the hold of case {hold.case_number}</span>
            </Button>
          </div>
        )}
      </div>
      <ul className="mt-2 flex flex-wrap gap-1.5" aria-label="Plates">
        {hold.plates.map((plate) => (
          <li key={plate}>
            <PlateChip text={plate} size="sm" />
          </li>
        ))}
      </ul>
    </li>
  );
}
