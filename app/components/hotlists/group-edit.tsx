import { useBlocker, useNavigate, useRevalidator } from "@remix-run/react";
import { Archive, ListX } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { ConfirmDialog } from "#app/components/ui/confirm-dialog.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Field } from "#app/components/ui/field.tsx";
import { Input, Textarea } from "#app/components/ui/input.tsx";
import { notify } from "#app/components/ui/notify.ts";
import {
  GROUP_DESCRIPTION_MAX,
  GROUP_NAME_MAX,
  type GroupDetails,
  type GroupInvitation,
  type PlatePage,
  type UsersOfAgency,
} from "#app/entities/alert-group.ts";
import type { ImportStatus } from "#app/entities/hotlist-import.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { ArchiveGroup } from "./archive-group.tsx";
import { call, saveKey } from "./call.ts";
import { draftOfGroup, formDataOf, isDirty, isEntered, NOTHING_ENTERED, plusEntered } from "./edit-form.ts";
import { ImageField } from "./image-field.tsx";
import { ImportPanel } from "./import-panel.tsx";
import { Invitations } from "./invitations.tsx";
import { MemberFields } from "./member-fields.tsx";
import { PlateActions } from "./plate-actions.tsx";
import { PlateTable } from "./plate-table.tsx";
import { RenewPart } from "./renew-part.tsx";
import { UnsavedPlates } from "./unsaved-plates.tsx";
import { usePlatePages } from "./use-plate-pages.ts";

export type GroupEditProps = {
  group: GroupDetails;
  users: Record<string, UsersOfAgency["users"]>;
  invitations: GroupInvitation[];
  agencies: { id: string; name: string }[];
  page: PlatePage;
  latestImport: ImportStatus | null;
  now: number;
};

export function GroupEdit({ group, users, invitations, agencies, page, latestImport, now }: GroupEditProps) {
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const [draft, setDraft] = useState(() => draftOfGroup(group));
  const [version, setVersion] = useState(group.version);
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<{ text: string; conflict: boolean }>();
  const [nameProblem, setNameProblem] = useState("");
  const [plateProblem, setPlateProblem] = useState("");
  const [archiving, setArchiving] = useState(false);
  const pages = usePlatePages(group.id, page);
  const key = useRef(saveKey());
  const leaving = useRef(false);
  const dirty = isDirty(draft, group);
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

  async function save(event?: FormEvent, over?: number) {
    event?.preventDefault();
    if (saving) return;
    if (draft.name.trim() === "") return setNameProblem(MESSAGES.groupNameRequired);
    // A plate that was written but not added is meant to be watched all the same.
    const wanted = isEntered(draft.entered)
      ? plusEntered(draft.plates, draft.entered)
      : { plates: draft.plates };
    if (wanted.problem !== undefined) {
      setPlateProblem(wanted.problem);
      return setProblem({ text: `Update failed: ${wanted.problem}`, conflict: false });
    }
    const { plates } = wanted;
    setDraft((before) => ({ ...before, plates, entered: NOTHING_ENTERED }));
    setSaving(true);
    setProblem(undefined);
    const answer = await call<{ version: number }>(`${path}/edit-mobile`, {
      body: formDataOf({ ...draft, plates }, { version: over ?? version, key: key.current }),
      failed: "The group could not be saved.",
    });
    setSaving(false);
    if (!answer.ok) {
      return setProblem({
        text: `Update failed: ${answer.message}`,
        conflict: answer.status === 409 && /changed this group/.test(answer.message),
      });
    }
    key.current = saveKey();
    notify.success("Group updated successfully!");
    setVersion(answer.value.version);
    setDraft((before) => ({ ...before, image: null, plates: [] }));
    revalidate();
  }

  /** Takes the version that is there now, keeping what stands in this form. */
  async function saveOver() {
    const answer = await call<{ group: GroupDetails }>(`${path}/edit-data`, {
      failed: MESSAGES.groupNotFound,
    });
    if (!answer.ok) return setProblem({ text: answer.message, conflict: false });
    setVersion(answer.value.group.version);
    await save(undefined, answer.value.group.version);
  }

  function change(changes: Partial<typeof draft>) {
    // The same words sent again are one save, though the first answer was lost; other words are another.
    key.current = saveKey();
    setDraft((before) => ({ ...before, ...changes }));
  }
  return (
    <form onSubmit={save} noValidate className="flex min-h-0 flex-1 flex-col">
      <div className="mx-auto flex w-full max-w-[112rem] flex-1 flex-col gap-5 px-4 py-5 sm:px-6">
        <div className="flex flex-wrap items-center gap-2">
          <h1 className="me-auto min-w-0 text-xl font-semibold tracking-tight wrap-anywhere">
            Edit {group.name}
          </h1>
          <Button variant="ghost" icon={<Archive />} onClick={() => setArchiving(true)}>
            Delete Group
          </Button>
        </div>

        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
          <div className="flex min-w-0 flex-col gap-5">
            <Part title="Group">
              <Field label="Name" required error={nameProblem}>
                {(control) => (
                  <Input
                    {...control}
                    value={draft.name}
                    maxLength={GROUP_NAME_MAX}
                    onChange={(event) => {
                      change({ name: event.currentTarget.value });
                      setNameProblem("");
                    }}
                  />
                )}
              </Field>
              <Field label="Description">
                {(control) => (
                  <Textarea
                    {...control}
                    value={draft.description}
                    maxLength={GROUP_DESCRIPTION_MAX}
                    onChange={(event) => change({ description: event.currentTarget.value })}
                  />
                )}
              </Field>
              <ImageField
                current={group.image_url}
                file={draft.image}
                onChange={(image) => change({ image })}
              />
            </Part>
            <Part title="Add Plate">
              <UnsavedPlates
                groupId={group.id}
                expiryDays={group.expiry_days}
                plates={draft.plates}
                entered={draft.entered}
                problem={plateProblem}
                onChange={change}
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
                users={users}
                selected={draft.members}
                onChange={(members) => change({ members })}
              />
            </Part>
            <Part title="Other agencies">
              <Invitations groupId={group.id} invitations={invitations} agencies={agencies} />
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

      <div className="save-bar sticky bottom-0 z-5 border-t border-line bg-raised">
        <div className="mx-auto flex w-full max-w-[112rem] flex-wrap items-center gap-3 px-4 py-2.5 sm:px-6">
          <div role="alert" className="min-w-0 flex-1 text-sm">
            {problem ? (
              <span className="font-medium text-hit">
                {problem.text}{" "}
                {problem.conflict && (
                  <Button size="sm" className="ms-1" onClick={saveOver}>
                    Save mine over it
                  </Button>
                )}
              </span>
            ) : (
              dirty && (
                <span className="text-warn">
                  Not saved yet
                  {draft.plates.length > 0 &&
                    `: ${draft.plates.length} new ${draft.plates.length === 1 ? "plate" : "plates"}`}
                </span>
              )
            )}
          </div>
          <Button onClick={() => navigate(path)}>Cancel</Button>
          <Button type="submit" variant="primary" pending={saving} pendingLabel="Saving...">
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
        What you changed in this form is not saved yet.
      </ConfirmDialog>
    </form>
  );
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
