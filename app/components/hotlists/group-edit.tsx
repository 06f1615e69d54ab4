import { Link, useBlocker, useNavigate, useRevalidator } from "@remix-run/react";
import { Archive, ListX } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { callApi, notifyFailure } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { ImportPanel } from "#app/components/hotlists/import/panel.tsx";
import { PlateActions, RenewPart } from "#app/components/hotlists/plates/actions.tsx";
import { type PlateDraft, plateDraftOfTexts } from "#app/components/hotlists/plates/fields.tsx";
import { ImageField } from "#app/components/hotlists/plates/image-field.tsx";
import { PlateTable } from "#app/components/hotlists/plates/table.tsx";
import { clearEntered, focusPlate, UnsavedPlates } from "#app/components/hotlists/plates/unsaved.tsx";
import { usePlatePages } from "#app/components/hotlists/plates/use-pages.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { InputField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { PageTitle } from "#app/components/ui/page.tsx";
import type { ExpiryNotice } from "#app/entities/alerts/hit.ts";
import {
  GROUP_DESCRIPTION_MAX,
  GROUP_NAME_MAX,
  type GroupDetails,
  type GroupInvitation,
  type PendingMember,
  type PlatePage,
  type UsersOfAgency,
} from "#app/entities/hotlists/group.ts";
import type { ImportStatus } from "#app/entities/hotlists/import.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { ArchiveGroup } from "./archive-group.tsx";
import {
  addEntered,
  draftOfForm,
  ENTERED_FILE,
  type EnteredPlate,
  enteredName,
  isDirty,
  isEntered,
  isSamePlate,
  putPlates,
  type UnsavedPlate,
  withoutSent,
} from "./edit-form.ts";
import { ExpiryNotices } from "./expiry-notices.tsx";
import { Invitations } from "./invitations.tsx";
import { MEMBER, MemberFields } from "./member-fields.tsx";
import { useSaveKey } from "./use-save-key.ts";

export type GroupEditProps = {
  group: GroupDetails;
  users: Record<string, UsersOfAgency["users"]>;
  pending: PendingMember[];
  invitations: GroupInvitation[];
  agencies: { id: string; name: string }[];
  page: PlatePage;
  latestImport: ImportStatus | null;
  notices: ExpiryNotice[];
  /** Reasons to suggest for a plate. */
  reasons: string[];
  now: number;
  /** Idempotency key: sending the form twice saves once. */
  saveKey: string;
};

/** The field with a new image of the group. */
const IMAGE = "group_image_file";

export function GroupEdit(props: GroupEditProps) {
  const { group, users, pending, invitations, agencies, page, latestImport, notices, reasons, now, saveKey } =
    props;
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [plates, setPlates] = useState<readonly UnsavedPlate[]>([]);
  const [version, setVersion] = useState(group.version);
  const [plateProblem, setPlateProblem] = useState("");
  /** Why Save Changes sent nothing. */
  const [unsaved, setUnsaved] = useState("");
  const [archiving, setArchiving] = useState(false);
  const pages = usePlatePages(group.id, page);
  const leaving = useRef(false);
  /** What the latest save sent. */
  const sent = useRef<{ plates: readonly UnsavedPlate[]; entered: EnteredPlate; image: File | null }>();
  const form = useScreenForm<{ version: number }>({
    intent: "save",
    keep: true,
    failed: "Update failed: The group could not be saved.",
    explain: (message) => `Update failed: ${message}`,
    prepare,
    onDone({ message, result }) {
      notify.success(message);
      if (result) setVersion(result.version);
      // What was entered while the save ran is not saved yet.
      const saved = sent.current;
      if (!saved) return;
      setPlates((now) => withoutSent(now, saved.plates));
      if (isSamePlate(draft.entered, saved.entered)) clearEntered(form.form.current);
      if (fileIn(form.form.current, IMAGE) === saved.image) clearFile(form.form.current, IMAGE);
    },
  });
  const values = useFormValues(form.form);
  const draft = draftOfForm(group, {
    values,
    plates,
    file: fileIn(form.form.current, ENTERED_FILE),
    hasImage: fileIn(form.form.current, IMAGE) !== null,
  });
  const key = useSaveKey(saveKey, values, plates);
  const dirty = isDirty(draft, group);
  const saveProblem = unsaved || form.message || form.problem("version");
  const conflict = form.answer?.problems.version !== undefined;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      dirty && !leaving.current && currentLocation.pathname !== nextLocation.pathname,
  );
  const path = `/groups/${encodeURIComponent(group.id)}`;

  useEffect(() => {
    if (!dirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [dirty]);

  // Pending members leave the form, so its values must be read again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the pending members change
  useEffect(() => {
    form.form.current?.dispatchEvent(new Event("change", { bubbles: true }));
  }, [pending, form.form]);

  /** Also saves a plate that was typed but not added. */
  function prepare(data: FormData): boolean {
    const wanted = isEntered(draft.entered) ? addEntered(plates, draft.entered) : { plates: [...plates] };
    if (wanted.problem !== undefined) {
      setPlateProblem(wanted.problem);
      setUnsaved(`Update failed: ${wanted.problem}`);
      focusPlate(form.form.current);
      return false;
    }
    setUnsaved("");
    const image = fileIn(form.form.current, IMAGE);
    sent.current = { plates: wanted.plates, entered: draft.entered, image };
    putPlates(data, wanted.plates);
    return true;
  }

  /** Adopts the group's current version and saves this form over it. */
  async function overwrite() {
    const answer = await callApi<{ group: GroupDetails }>(`${path}/edit-data?limit=1`, {
      failed: MESSAGES.groupNotFound,
    });
    if (!answer.ok) return notifyFailure(answer);
    flushSync(() => setVersion(answer.value.group.version));
    form.form.current?.requestSubmit();
  }

  return (
    <ScreenForm state={form} files ownProblem className="flex min-h-0 flex-1 flex-col">
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="idempotency_key" value={key} />
      <div className="mx-auto flex w-full max-w-[112rem] flex-1 flex-col gap-5 px-4 py-5 sm:px-6">
        <div className="flex flex-wrap items-center gap-2">
          <PageTitle className="me-auto min-w-0">Edit Group: {group.name}</PageTitle>
          <Button variant="ghost" icon={<Archive />} onClick={() => setArchiving(true)}>
            Delete Group
          </Button>
        </div>

        <ExpiryNotices notices={notices} />

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
                plates={plates}
                entered={draft.entered}
                initial={enteredBefore(form)}
                reasons={reasons}
                problem={plateProblem}
                onPlates={setPlates}
                onProblem={setPlateProblem}
              />
            </Part>
          </div>
          <div className="flex min-w-0 flex-col gap-5">
            <Part title="Import plates">
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
                users={users}
                isMember={(id) => {
                  const isSaved = group.member_ids.includes(id);
                  // With scripts, the boxes themselves have what was chosen before a save was refused.
                  return form.posted ? form.has(MEMBER, id, isSaved) : isSaved;
                }}
                chosen={values && (values[MEMBER] ?? [])}
                pending={new Set(pending.map(({ id }) => id))}
              />
            </Part>
            <Part title="Other agencies">
              <Invitations
                // Remounts after a save, which may invite further agencies.
                key={JSON.stringify(invitations)}
                groupId={group.id}
                invitations={invitations}
                agencies={agencies}
                // One change of the group, by this form's own user. Any other still makes the save ask first.
                onEnded={() => setVersion((current) => current + 1)}
              />
            </Part>
          </div>
        </div>

        <Part title="Assigned plates" plain>
          <PlateTable
            pages={pages}
            now={now}
            partActions={<RenewPart groupId={group.id} pages={pages} />}
            actions={(plate) => (
              <PlateActions
                groupId={group.id}
                groupName={group.name}
                plate={plate}
                pages={pages}
                reasons={reasons}
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
      </div>

      <div className="sticky bottom-0 z-5 border-t border-line bg-raised">
        <div className="mx-auto flex w-full max-w-[112rem] flex-wrap items-center gap-3 px-4 py-2.5 sm:px-6">
          <div role="alert" className="min-w-0 flex-1 text-sm">
            {saveProblem ? (
              <span className="font-medium text-hit">
                {saveProblem}{" "}
                {conflict && (
                  <Button size="sm" className="ms-1" onClick={overwrite}>
                    Overwrite with my changes
                  </Button>
                )}
              </span>
            ) : (
              dirty && (
                <span className="text-warn">
                  Not saved yet
                  {plates.length > 0 && `: ${plates.length} new ${plates.length === 1 ? "plate" : "plates"}`}
                </span>
              )
            )}
          </div>
          <Link to={path} className={buttonClass("secondary")}>
            Cancel
          </Link>
          <Button type="submit" variant="primary" pending={form.pending} pendingLabel="Saving...">
            Save Changes
          </Button>
        </div>
      </div>

      <ArchiveGroup
        group={group}
        open={archiving}
        onClose={() => setArchiving(false)}
        onArchived={() => {
          leaving.current = true;
          navigate("/alerts");
        }}
      />
      <ConfirmDialog
        open={blocker.state === "blocked"}
        onClose={() => blocker.reset?.()}
        title="Leave without saving?"
        confirmLabel="Leave"
        cancelLabel="Stay"
        danger
        onConfirm={() => blocker.proceed?.()}
      >
        Your changes in this form have not been saved.
      </ConfirmDialog>
    </ScreenForm>
  );
}

/** The plate from a form that was sent without scripts and rejected. */
function enteredBefore({ value }: ScreenFormState<{ version: number }>): PlateDraft {
  return plateDraftOfTexts((field) => value(enteredName(field)));
}

function clearFile(form: HTMLFormElement | null, name: string): void {
  const field = form?.elements.namedItem(name);
  if (!(field instanceof HTMLInputElement) || field.value === "") return;
  field.value = "";
  field.dispatchEvent(new Event("change", { bubbles: true }));
}

function fileIn(form: HTMLFormElement | null, name: string): File | null {
  if (!form) return null;
  const field = form.elements.namedItem(name);
  return (field instanceof HTMLInputElement && field.files?.[0]) || null;
}

function Part({ title, plain = false, children }: { title: string; plain?: boolean; children: ReactNode }) {
  return (
    <section
      className={
        plain
          ? "flex min-w-0 flex-col gap-3"
          : "flex min-w-0 flex-col gap-3 rounded-md border border-line bg-raised p-4"
      }
    >
      <h2 className="text-lg font-semibold">{title}</h2>
      {children}
    </section>
  );
}
