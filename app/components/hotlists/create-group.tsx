import { Link, useNavigate } from "@remix-run/react";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { ImageField } from "#app/components/hotlists/plates/image-field.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input, Textarea } from "#app/components/ui/fields/input.tsx";
import { pageClass } from "#app/components/ui/page.tsx";
import {
  GROUP_DESCRIPTION_MAX,
  GROUP_NAME_MAX,
  type PendingMember,
  type UsersOfAgency,
} from "#app/entities/hotlists/group.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { MEMBER, MemberFields } from "./member-fields.tsx";
import { useSaveKey } from "./use-save-key.ts";

const REDIRECT_MS = 2500;

export type CreateGroupProps = {
  users: Record<string, UsersOfAgency["users"]>;
  /** Marks this save, so that sending it twice creates one group. */
  saveKey: string;
};

export function CreateGroup({ users, saveKey }: CreateGroupProps) {
  const navigate = useNavigate();
  const [created, setCreated] = useState<{ pending: PendingMember[] }>();
  const form = useScreenForm<{ pending: PendingMember[] }>({
    intent: "create",
    keep: true,
    failed: MESSAGES.groupCreateFailed,
    explain: (message) => `${MESSAGES.groupCreateFailed} ${message}`,
    onDone: ({ result }) => {
      setCreated({ pending: result?.pending ?? [] });
      setTimeout(() => navigate("/alerts"), REDIRECT_MS);
    },
  });
  const values = useFormValues(form.form);
  const key = useSaveKey(saveKey, values);
  return (
    <ScreenForm state={form} files className={pageClass("3xl", true)}>
      <h1 className="text-xl font-semibold tracking-tight">Create New Group</h1>
      <input type="hidden" name="idempotency_key" value={key} />
      <div role="status" className="empty:hidden">
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
      <Field label="Name" required error={form.problem("group_name")}>
        {(control) => (
          <Input
            {...control}
            name="group_name"
            autoFocus
            defaultValue={form.value("group_name")}
            maxLength={GROUP_NAME_MAX}
          />
        )}
      </Field>
      <Field label="Description" hint="Optional" error={form.problem("group_description")}>
        {(control) => (
          <Textarea
            {...control}
            name="group_description"
            defaultValue={form.value("group_description")}
            maxLength={GROUP_DESCRIPTION_MAX}
          />
        )}
      </Field>
      <ImageField current={null} error={form.problem("group_image_file")} />
      <section aria-labelledby="members" className="flex flex-col gap-2">
        <h2 id="members" className="text-lg font-semibold">
          Members
        </h2>
        <p className="text-sm text-muted">
          Members are told of this group's alerts. Users of other agencies are pending until a hotlist
          administrator of their agency accepts.
        </p>
        <MemberFields
          form={form.form}
          users={users}
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
  );
}
