import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { StorageView } from "#app/components/operations/storage-view.tsx";
import { removeStorage, setStorageState, viewStorage } from "#app/domain/operations/storage.ts";
import { StorageNameFields, StorageStateFields } from "#app/entities/operations/storage.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Storage · Odin" }];

export const loader = screenLoader("owner", ({ app }) => viewStorage(app));

export const action = screenAction("owner", {
  state: screenForm(StorageStateFields, ({ app, actor, body }) => setStorageState(app, actor, body), {
    stepUp: true,
  }),
  remove: screenForm(StorageNameFields, ({ app, actor, body }) => removeStorage(app, actor, body.name), {
    stepUp: true,
  }),
});

export const clientAction = screenClientAction;

export default function StorageScreen() {
  return <StorageView report={useLoaderData<typeof loader>()} />;
}
