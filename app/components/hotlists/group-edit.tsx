import { Link, useNavigate, useRevalidator } from "@remix-run/react";
import { Archive, ListX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useLeaveGuard } from "#app/components/forms/use-leave-guard.tsx";
import type { ScreenFormState } from "#app/components/forms/use-screen-form.ts";
import { ImportPanel } from "#app/components/hotlists/import/panel.tsx";
import { PlateActions, RenewPart } from "#app/components/hotlists/plates/actions.tsx";
import { PLATE_FIELDS, type PlateDraft, plateDraftOfTexts } from "#app/components/hotlists/plates/fields.tsx";
import { ImageField } from "#app/components/hotlists/plates/image-field.tsx";
import { PlateTable } from "#app/components/hotlists/plates/table.tsx";
import { UnsavedPlates } from "#app/components/hotlists/plates/unsaved.tsx";
import { usePlatePages } from "#app/components/hotlists/plates/use-pages.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { InputField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { PageTitle } from "#app/components/ui/page.tsx";
import type { ExpiryNotice } from "#app/entities/alerts/hit.ts";
import {
  type CandidateChoice,
  GROUP_DESCRIPTION_MAX,
  GROUP_NAME_MAX,
  type GroupAgencies,
  type GroupDetails,
  type PendingMember,
  type PlatePage,
} from "#app/entities/hotlists/group.ts";
import type { ImportStatus } from "#app/entities/hotlists/import.ts";
import { counted } from "#app/lib/number-text.ts";
import { ENTERED_FILE, enteredName } from "./edit-form.ts";
import { ExpiryNotices } from "./expiry-notices.tsx";
import { FindAgenciesForm, Invitations } from "./invitations.tsx";
import { MEMBER } from "./member-boxes.tsx";
import { MemberFields } from "./member-fields.tsx";
import { FindMembersForm } from "./member-search.tsx";
import { type GroupDraftState, useGroupDraft } from "./use-group-draft.ts";

export type GroupEditProps = {
  group: GroupDetails;
  candidates: CandidateChoice;
  pending: PendingMember[];
  others: GroupAgencies;
  page: PlatePage;
  latestImport: ImportStatus | null;
  notices: ExpiryNotice[];
  /** Reasons to suggest for a plate. */
  reasons: string[];
  now: number;
  zone: string;
};

export function GroupEdit(props: GroupEditProps) {
  const { group, candidates, pending, others, notices } = props;
  const navigate = useNavigate();
  const draft = useGroupDraft({ group, pending });
  const guard = useLeaveGuard(draft.dirty);
  const [archiving, setArchiving] = useState(false);

  return (
    <>
      {candidates.search && <FindMembersForm />}
      {others.search && <FindAgenciesForm />}
      <ScreenForm state={draft.form} files ownProblem className="flex min-h-0 flex-1 flex-col">
        <input type="hidden" name="version" value={draft.version} />
        <div className="mx-auto flex w-full max-w-[112rem] flex-1 flex-col gap-5 px-4 py-5 sm:px-6">
          <div className="flex flex-wrap items-center gap-2">
            <PageTitle className="me-auto min-w-0">Edit Group: {group.name}</PageTitle>
            <Button
              variant="ghost"
              icon={<Archive />}
              className="noscript:hidden"
              onClick={() => setArchiving(true)}
            >
              Delete Group
            </Button>
          </div>
          <ExpiryNotices notices={notices} />
          <GroupFields {...props} draft={draft} />
          <AssignedPlates {...props} />
        </div>
        <SaveBar draft={draft} cancelTo={`/groups/${encodeURIComponent(group.id)}`} />

        <ArchiveGroup
          group={group}
          open={archiving}
          onClose={() => setArchiving(false)}
          onArchived={() => {
            guard.allow();
            navigate("/alerts");
          }}
        />
        {guard.dialog}
      </ScreenForm>
    </>
  );
}

/** The fields that Save Changes saves, and beside them the import and the invitations, which are saved at once. */
function GroupFields(props: GroupEditProps & { draft: GroupDraftState }) {
  const { group, candidates, pending, others, latestImport, reasons, draft } = props;
  const { form, values, setVersion } = draft;
  const { revalidate } = useRevalidator();
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
      <div className="flex min-w-0 flex-col gap-5">
        <Part title="Group">
          <InputField
            {...form.field("group_name", group.name)}
            label="Name"
            required
            maxLength={GROUP_NAME_MAX}
          />
          <TextareaField
            {...form.field("group_description", group.description)}
            label="Description"
            maxLength={GROUP_DESCRIPTION_MAX}
          />
          <ImageField current={group.image_url} error={form.problem("group_image_file")} />
        </Part>
        <Part title="Add Plate">
          <UnsavedPlates
            groupId={group.id}
            expiryDays={group.expiry_days}
            plates={draft.plates}
            entered={draft.entered}
            initial={enteredBefore(form)}
            refused={refusedBefore(form)}
            reasons={reasons}
            problem={draft.plateProblem}
            onPlates={draft.setPlates}
            onProblem={draft.setPlateProblem}
          />
        </Part>
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <Part title="Import plates" needsScripts>
          <ImportPanel
            groupId={group.id}
            groupName={group.name}
            initial={latestImport}
            onApplied={revalidate}
          />
        </Part>
        <Part title="Members">
          <MemberFields
            form={form.form}
            candidates={candidates}
            isMember={(id) => {
              const isSaved = group.member_ids.includes(id);
              // With scripts, the boxes keep the user's choice from before the server refused a save.
              return form.posted ? form.has(MEMBER, id, isSaved) : isSaved;
            }}
            chosen={values && (values[MEMBER] ?? [])}
            pending={new Set(pending.map(({ id }) => id))}
          />
        </Part>
        <Part title="Other agencies" needsScripts>
          <Invitations
            groupId={group.id}
            others={others}
            // Counts this user's own change. After a change by another user, the save still asks first.
            onEnded={() => setVersion((current) => current + 1)}
          />
        </Part>
      </div>
    </div>
  );
}

function AssignedPlates({ group, page, reasons, now, zone }: GroupEditProps) {
  const { revalidate } = useRevalidator();
  const pages = usePlatePages(group.id, page);
  return (
    <Part title="Assigned plates" plain>
      <PlateTable
        pages={pages}
        now={now}
        zone={zone}
        partActions={<RenewPart groupId={group.id} pages={pages} />}
        actions={(plate) => (
          <PlateActions
            groupId={group.id}
            groupName={group.name}
            plate={plate}
            pages={pages}
            reasons={reasons}
            zone={zone}
            onRemoved={revalidate}
          />
        )}
        empty={
          <EmptyState icon={<ListX />} title="No plates in this group.">
            Add one above, or import a file.
          </EmptyState>
        }
      />
    </Part>
  );
}

function SaveBar({ draft, cancelTo }: { draft: GroupDraftState; cancelTo: string }) {
  const { plates, dirty, saveProblem, conflict } = draft;
  return (
    <div data-bar="bottom" className="border-t border-line bg-raised tall:sticky tall:bottom-0 tall:z-5">
      <div className="mx-auto flex w-full max-w-[112rem] flex-wrap items-center gap-3 px-4 py-2.5 sm:px-6">
        <div className="min-w-0 flex-1 text-sm">
          <div role="alert">
            {saveProblem && (
              <span className="font-medium text-hit">
                {saveProblem}{" "}
                {conflict && (
                  <Button size="sm" className="ms-1" onClick={draft.overwrite}>
                    Overwrite with my changes
                  </Button>
                )}
              </span>
            )}
          </div>
          {/* Not an alert, which would interrupt what the user types. */}
          <div role="status">
            {!saveProblem && dirty && (
              <span className="text-warn">
                Not saved yet
                {plates.length > 0 && `: ${plates.length} new ${plates.length === 1 ? "plate" : "plates"}`}
              </span>
            )}
          </div>
        </div>
        <Link to={cancelTo} className={buttonClass("secondary")}>
          Cancel
        </Link>
        <Button type="submit" variant="primary" pending={draft.form.pending} pendingLabel="Saving...">
          Save Changes
        </Button>
      </div>
    </div>
  );
}

/** The plate from a form that was sent without scripts and rejected. */
function enteredBefore({ value }: ScreenFormState<{ version: number }>): PlateDraft {
  return plateDraftOfTexts((field) => value(enteredName(field)));
}

/** The problems of that plate, by field. Plates that scripts send are in a list above the fields. */
function refusedBefore({ answer, posted }: ScreenFormState<{ version: number }>) {
  if (!posted || answer !== posted) return {};
  const { problems } = posted;
  const fields = PLATE_FIELDS.map((field) => [field, problems[enteredName(field)]] as const);
  return { ...Object.fromEntries(fields), file: problems[ENTERED_FILE] };
}

type PartProps = { title: string; plain?: boolean; needsScripts?: boolean; children: ReactNode };

function Part({ title, plain = false, needsScripts = false, children }: PartProps) {
  const column = "flex min-w-0 flex-col gap-3";
  return (
    <section className={plain ? column : `${column} rounded-md border border-line bg-raised p-4`}>
      <h2 className="text-lg font-semibold">{title}</h2>
      {needsScripts ? (
        <>
          <div className={`${column} noscript:hidden`}>{children}</div>
          <p className="hidden text-sm text-muted noscript:block">This needs JavaScript.</p>
        </>
      ) : (
        children
      )}
    </section>
  );
}

type ArchiveGroupProps = {
  group: Pick<GroupDetails, "id" | "name" | "plate_count">;
  open: boolean;
  onClose: () => void;
  onArchived: () => void;
};

/** Confirms, then archives a group. */
function ArchiveGroup({ group, open, onClose, onArchived }: ArchiveGroupProps) {
  async function archive() {
    const answer = await callApi<{ msg: string }>("/archive-group", {
      json: { group_id: group.id },
    });
    if (!answer.ok) {
      const problem = `Failed to archive group: ${answer.message || "network error."}`;
      if (!answer.declined) notify.error(problem, { description: answer.loss || undefined });
      return false;
    }
    notify.success(answer.value.msg);
    onArchived();
  }
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Delete group ${group.name}?`}
      confirmLabel="Delete Group"
      pendingLabel="Deleting…"
      danger
      onConfirm={archive}
    >
      Odin stops matching its {counted(group.plate_count, "plate")} immediately. Kept as history: its plates,
      hits and audit log entries, which hotlist admins of your agency can still read.
    </ConfirmDialog>
  );
}
