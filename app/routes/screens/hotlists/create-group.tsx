import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { CreateGroup } from "#app/components/hotlists/create-group.tsx";
import { createGroup } from "#app/domain/hotlists/group-changes.ts";
import { listCandidates } from "#app/domain/hotlists/groups.ts";
import { GroupForm } from "#app/entities/hotlists/calls.ts";
import { FORM_LIMIT, groupUploadOf } from "#app/http/forms.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { randomToken } from "#app/lib/crypto/primitives.ts";

export const meta: MetaFunction = () => [{ title: "Create New Group · Odin" }];

export const loader = screenLoader("hotlist-admin", async ({ app, actor }) => ({
  users: await listCandidates(app, actor),
  saveKey: randomToken(),
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
