import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData, useNavigate, useNavigation } from "@remix-run/react";
import { CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { findOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { type FormValues, useFormValues } from "#app/components/forms/use-form-values.ts";
import { useLeaveGuard } from "#app/components/forms/use-leave-guard.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { MEMBER } from "#app/components/hotlists/member-boxes.tsx";
import { MemberFields } from "#app/components/hotlists/member-fields.tsx";
import { FindMembersForm } from "#app/components/hotlists/member-search.tsx";
import { ImageField } from "#app/components/hotlists/plates/image-field.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { InputField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { PageTitle, pageClass } from "#app/components/ui/page.tsx";
import { chooseCandidates } from "#app/domain/hotlists/candidates.ts";
import { createGroup } from "#app/domain/hotlists/group-changes.ts";
import { GroupForm } from "#app/entities/hotlists/calls.ts";
import {
  type CandidateChoice,
  GROUP_DESCRIPTION_MAX,
  GROUP_NAME_MAX,
  type PendingMember,
} from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { FORM_LIMIT, groupUploadOf } from "#app/http/forms.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Create New Group · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor, query }) => ({
  candidates: await chooseCandidates(app, actor, { find: findOf(query) }),
}));

export const action = screenAction(
  "hotlist-admin",
  {
    create: screenForm(GroupForm, ({ app, actor, form }) => createGroup(app, actor, groupUploadOf(form)), {
      next: "/alerts",
    }),
  },
  { formLimit: FORM_LIMIT },
);

export const clientAction = screenClientAction;

export default function CreateGroupScreen() {
  return <CreateGroup {...useLoaderData<typeof loader>()} />;
}

const REDIRECT_MS = 2500;

type CreateGroupProps = {
  candidates: CandidateChoice;
};

function CreateGroup({ candidates }: CreateGroupProps) {
  const navigate = useNavigate();
  const isLeaving = useNavigation().state !== "idle";
  const [created, setCreated] = useState<{ pending: PendingMember[] }>();
  const form = useScreenForm<{ pending: PendingMember[] }>({
    intent: "create",
    keep: true,
    keyed: true,
    failed: MESSAGES.groupCreateFailed,
    explain: (message) => `${MESSAGES.groupCreateFailed} ${message}`,
    onDone: ({ result }) => setCreated({ pending: result?.pending ?? [] }),
  });
  useEffect(() => {
    // Not while another navigation is pending, which it would cancel.
    if (!created || isLeaving) return;
    const timer = setTimeout(() => navigate("/alerts"), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [created, isLeaving, navigate]);
  const values = useFormValues(form.form);
  const guard = useLeaveGuard(created === undefined && isEntered(values));
  return (
    <>
      {candidates.search && <FindMembersForm />}
      <ScreenForm state={form} files className={pageClass("3xl", true)}>
        {guard.dialog}
        <PageTitle>Create New Group</PageTitle>
        <div role="status" className="empty:sr-only">
          {created && (
            <p className="flex items-center gap-2 rounded-md bg-ok-soft px-3 py-2 font-medium text-ok">
              <CircleCheck aria-hidden="true" className="size-4" />
              {MESSAGES.groupCreated}
            </p>
          )}
          {created && created.pending.length > 0 && (
            <p className="mt-2 text-sm text-muted">
              Pending until their agencies accept:{" "}
              {created.pending.map((user) => `${user.name} (${user.agency})`).join(", ")}
            </p>
          )}
        </div>
        <InputField
          {...form.field("group_name")}
          label="Name"
          required
          autoFocus
          maxLength={GROUP_NAME_MAX}
        />
        <TextareaField
          {...form.field("group_description")}
          label="Description"
          hint="Optional"
          maxLength={GROUP_DESCRIPTION_MAX}
        />
        <ImageField current={null} error={form.problem("group_image_file")} />
        <section aria-labelledby="members" className="flex flex-col gap-2">
          <h2 id="members" className="text-lg font-semibold">
            Members
          </h2>
          <p className="text-sm text-muted">
            Members receive this group's alerts. Users of other agencies are pending until a hotlist
            administrator of their agency accepts.
          </p>
          <MemberFields
            form={form.form}
            candidates={candidates}
            isMember={(id) => form.has(MEMBER, id)}
            chosen={values && (values[MEMBER] ?? [])}
          />
        </section>
        <div className="flex gap-2 border-t border-line pt-4">
          <Button
            type="submit"
            variant="primary"
            pending={form.pending || created !== undefined}
            pendingLabel={created ? "Created" : "Creating…"}
          >
            Create Group
          </Button>
          <Link to="/alerts" className={buttonClass("secondary")}>
            Cancel
          </Link>
        </div>
      </ScreenForm>
    </>
  );
}

function isEntered(values: FormValues | undefined): boolean {
  const { group_name = [], group_description = [], [MEMBER]: members = [] } = values ?? {};
  return members.length > 0 || [...group_name, ...group_description].some((text) => text !== "");
}
