import { type MetaFunction, redirect } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { useEffect, useRef } from "react";
import * as z from "zod/mini";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { MappingStepView } from "#app/components/hotlists/import/mapping-step.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { cancelImport } from "#app/domain/hotlists/imports.ts";
import { mapImportByForm, mappingStep } from "#app/domain/hotlists/mappings.ts";
import { importReplaced } from "#app/entities/hotlists/import.ts";
import { type ScreenCall, screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Choose Columns · Odin" }];

function toGroup(_: unknown, { params }: Pick<ScreenCall<"hotlist-admin">, "params">): string {
  return `/groups/${encodeURIComponent(params.id ?? "")}/edit`;
}

export const loader = screenLoader("hotlist-admin", async ({ app, actor, params }) => {
  const step = await mappingStep(app, actor, params.id ?? "");
  // The columns have already been chosen, here or in another window.
  if (!step) throw redirect(toGroup(undefined, { params }));
  return step;
});

const Fields = z.record(z.string(), z.string().check(z.maxLength(300)));
export const action = screenAction("hotlist-admin", {
  map: screenForm(
    Fields,
    ({ app, actor, params, body }) => mapImportByForm(app, actor, { groupId: params.id ?? "", fields: body }),
    { next: toGroup, done: "" },
  ),
  cancel: screenForm(
    z.object({ import: z.string() }),
    ({ app, actor, params, body }) => cancelImport(app, actor, { groupId: params.id ?? "", id: body.import }),
    { next: toGroup, done: "" },
  ),
});

export const clientAction = screenClientAction;

export default function ImportColumnsScreen() {
  const step = useLoaderData<typeof loader>();
  const { id, file_name } = step.import;
  const shown = useRef(id);
  // The form of another import is a new one, so it does not show why the former was refused.
  useEffect(() => {
    if (shown.current !== id) notify.error(importReplaced(file_name));
    shown.current = id;
  }, [id, file_name]);
  return <MappingStepView key={id} step={step} />;
}
