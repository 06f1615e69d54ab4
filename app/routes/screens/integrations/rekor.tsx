import { useLoaderData } from "@remix-run/react";
import * as z from "zod/mini";
import { AGENCY, agencyOf, findOf, listQueryOf } from "#app/components/forms/find-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { CameraHealthList } from "#app/components/ingest/camera-health.tsx";
import { AgencyLists } from "#app/components/integrations/agency-lists.tsx";
import { IntegrationPage, Panel } from "#app/components/integrations/page.tsx";
import {
  KEYS,
  RekorKeyForm,
  RekorKeyTable,
  RekorKeyUpload,
} from "#app/components/integrations/rekor-keys.tsx";
import { shareLists } from "#app/components/integrations/share-lists.tsx";
import { WEBHOOKS, WebhookPanel } from "#app/components/integrations/webhook-panel.tsx";
import { LoadErrorBoundary, screenTitle } from "#app/components/shell/load-failures.tsx";
import { cameraHealthPage } from "#app/domain/ingest/camera-health.ts";
import { addWebhook, webhookPage } from "#app/domain/ingest/webhooks.ts";
import { uploadApiKeys } from "#app/domain/integrations/key-upload.ts";
import { addApiKey, rekorKeyPage } from "#app/domain/integrations/rekor-keys.ts";
import { sharesOf } from "#app/domain/integrations/sharing.ts";
import { IdempotencyKey } from "#app/entities/idempotency-key.ts";
import { MAX_KEY_FILE_BYTES, NewApiKey, NewWebhook } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { csvOf, formWithFile } from "#app/http/uploads.ts";
import { pageOf } from "#app/lib/pages.ts";

export const meta = screenTitle("Rekor Integration");

export const loader = screenLoader("admin", async ({ app, actor, query }) => {
  const find = findOf(query);
  const [key, webhook] = [findOf(query, KEYS.find), findOf(query, WEBHOOKS.find)];
  const [keys, webhooks, revoked, shares, cameras] = await Promise.all([
    rekorKeyPage(app, actor, { find: key, page: pageOf(query, KEYS.page) }),
    webhookPage(app, actor, { revoked: false, find: webhook, page: pageOf(query, WEBHOOKS.page) }),
    webhookPage(app, actor, { revoked: true, find: webhook, page: pageOf(query, WEBHOOKS.revoked) }),
    sharesOf(app, actor, { program: "Rekor", find: agencyOf(query) }),
    cameraHealthPage(app, actor, { program: "Rekor", find, page: pageOf(query) }),
  ]);
  const names = ["find", "page", AGENCY, ...Object.values(KEYS), ...Object.values(WEBHOOKS)];
  return { keys, webhooks, revoked, ...shares, find, cameras, query: listQueryOf(query, names) };
});

export const action = screenAction(
  "admin",
  {
    "add-key": screenForm(
      NewApiKey,
      ({ app, actor, body, request }) =>
        addApiKey(app, actor, { key: body, host: new URL(request.url).host }),
      { stepUp: true, shows: ({ id }) => ({ id }), next: "/integrations/rekor" },
    ),
    "upload-keys": screenForm(
      z.object({ idempotency_key: IdempotencyKey }),
      ({ app, actor, body, form, request }) =>
        uploadApiKeys(app, actor, {
          bytes: csvOf(form, MAX_KEY_FILE_BYTES),
          host: new URL(request.url).host,
          key: body.idempotency_key,
        }),
      { stepUp: true },
    ),
    "add-webhook": screenForm(
      NewWebhook,
      ({ app, actor, body, request }) =>
        addWebhook(app, actor, { webhook: body, origin: new URL(request.url).origin }),
      { stepUp: true, shows: ({ address }, { name }) => ({ name, address }) },
    ),
  },
  { formLimit: formWithFile(MAX_KEY_FILE_BYTES) },
);

export const clientAction = screenClientAction;

export default function RekorScreen() {
  const { keys, webhooks, revoked, parts, search, find, cameras, query } = useLoaderData<typeof loader>();
  return (
    <IntegrationPage
      title="Rekor"
      lead="Each API key lets your agency search the reads of one agency. No other agency can use your keys."
    >
      <div className="grid items-start gap-3 lg:grid-cols-[1.4fr_1fr]">
        <Panel title="Add an API key">
          <RekorKeyForm />
        </Panel>
        <Panel
          title="Bulk upload from CSV"
          lead="Columns: agency, api_key and, optionally, source_program and base_url. If any row is invalid, no key is added."
        >
          <RekorKeyUpload />
        </Panel>
      </div>
      <RekorKeyTable list={keys} query={query} />
      <Panel
        title="Webhooks"
        lead="Rekor Scout posts reads to a webhook as they are made. Odin matches them with your hotlists and with those of the agencies that you share with, and does not store them."
      >
        <WebhookPanel webhooks={webhooks} revoked={revoked} query={query} />
      </Panel>
      <AgencyLists lists={shareLists("Rekor", parts)} search={search} query={query} />
      {(find !== "" || cameras.found > 0) && (
        <Panel title="Cameras" lead="Your agency's Rekor cameras, silent ones first.">
          <CameraHealthList find={find} cameras={cameras} query={query} />
        </Panel>
      )}
    </IntegrationPage>
  );
}

export function ErrorBoundary() {
  return <LoadErrorBoundary message={MESSAGES.apiKeysFetchFailed} />;
}
