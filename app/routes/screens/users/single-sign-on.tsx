import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { useRef } from "react";
import { LineForm } from "#app/components/forms/line-form.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Panel } from "#app/components/integrations/page.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { DomainButton, NewDomainForm } from "#app/components/users/single-sign-on/domain-form.tsx";
import { ScimTokenForm } from "#app/components/users/single-sign-on/scim-form.tsx";
import { SignOnSettingsForm, SignOnTestForm } from "#app/components/users/single-sign-on/settings-form.tsx";
import { keptAnswers } from "#app/domain/operations/idempotency.ts";
import { dropDomain, requestDomain } from "#app/domain/users/email-domains.ts";
import { createScimToken, revokeScimToken } from "#app/domain/users/scim/token.ts";
import {
  removeSignOn,
  saveSignOn,
  signOnSettings,
  testSignOn,
  unlinkSignOn,
} from "#app/domain/users/single-sign-on.ts";
import {
  EmailDomain,
  type RequestedDomain,
  type SignOnProvider,
  SignOnSettings,
  Unlink,
} from "#app/entities/accounts/sign-on-settings.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { noFields, screenForm, settingsVersion } from "#app/http/screen-form.ts";
import { originOf } from "#app/http/single-sign-on.ts";

export const meta: MetaFunction = () => [{ title: "Single Sign-On · Odin" }];

/** Returns the settings that the form replaces. Test results and failures are not among them: they change by themselves. */
function settingsOf(provider: SignOnProvider | null) {
  const { tested_at: _t, last_failure_at: _a, last_failure: _f, ...settings } = { ...provider };
  return settings;
}

export const loader = screenLoader("admin", async ({ app, actor, request }) => {
  const settings = await signOnSettings(app, actor, originOf(app, request));
  return { ...settings, version: settingsVersion(settingsOf(settings.provider)) };
});

const STEP_UP = { stepUp: true };

export const action = screenAction("admin", {
  save: screenForm(SignOnSettings, ({ app, actor, body }) => saveSignOn(app, actor, body), {
    ...STEP_UP,
    answers: keptAnswers,
    replaces: async ({ app, actor, request }) =>
      settingsOf((await signOnSettings(app, actor, originOf(app, request))).provider),
  }),
  test: screenForm(
    noFields,
    ({ app, actor, request }) => testSignOn(app, actor, originOf(app, request)),
    STEP_UP,
  ),
  unlink: screenForm(Unlink, ({ app, actor, body }) => unlinkSignOn(app, actor, body), STEP_UP),
  remove: screenForm(noFields, ({ app, actor }) => removeSignOn(app, actor), STEP_UP),
  "request-domain": screenForm(
    EmailDomain,
    ({ app, actor, body }) => requestDomain(app, actor, body),
    STEP_UP,
  ),
  "remove-domain": screenForm(EmailDomain, ({ app, actor, body }) => dropDomain(app, actor, body), STEP_UP),
  "scim-token": screenForm(noFields, ({ app, actor }) => createScimToken(app, actor), STEP_UP),
  "revoke-scim-token": screenForm(noFields, ({ app, actor }) => revokeScimToken(app, actor), STEP_UP),
});

export const clientAction = screenClientAction;

export default function SingleSignOnScreen() {
  const { provider, version, domains, breakGlassUsers, redirectUri, logoutUri, scim } =
    useLoaderData<typeof loader>();
  const removals = useRemovals(provider !== null);
  return (
    <Page width="5xl">
      <PageHead
        title="Single Sign-On"
        lead="The users of your agency sign in with its OpenID Connect provider. Odin uses the authorization code flow with PKCE."
      />
      <Panel title="Register Odin at the provider" lead="As a web application with a client secret.">
        <Address label="Redirect URI" text={redirectUri} />
        <Address label="Back-channel logout URI" text={logoutUri} />
      </Panel>
      <Panel title="Provider">
        <SignOnSettingsForm
          key={removals}
          provider={provider}
          version={version}
          breakGlassUsers={breakGlassUsers}
        />
      </Panel>
      {provider && (
        <Panel title="Test" lead="Asks the provider whether these settings work. No one signs in.">
          <SignOnTestForm provider={provider} />
        </Panel>
      )}
      <Panel
        title="Email domains"
        lead="The owner of this installation approves them. An address in an approved domain leads to your provider, and connects a person with the user who has the address."
      >
        <NewDomainForm />
        <DomainList domains={domains} />
      </Panel>
      <Panel
        title="Provisioning (SCIM 2.0)"
        lead="Your provider creates, changes and disables users with an address in an approved domain. Changes of groups there update the permissions above immediately."
      >
        <Address label="Base URL" text={scim.base} />
        <ScimTokenForm token={scim.token} />
      </Panel>
      {provider && (
        <Panel
          title="Disconnect a user"
          lead="For a person who has a new account at the provider. Their next sign-in connects them again by email address."
        >
          <UnlinkForm />
        </Panel>
      )}
      {provider && <RemoveForm />}
    </Page>
  );
}

/** An address to register at the provider. */
function Address({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="text-sm text-muted">{label}</span>
      <code className="min-w-0 font-mono text-sm break-all select-all">{text}</code>
      <CopyButton text={text} label={`Copy the ${label}`} />
    </div>
  );
}

function DomainList({ domains }: { domains: readonly RequestedDomain[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {domains.map(({ domain, approved_at }) => (
        <li key={domain} className="flex flex-wrap items-center gap-3">
          <span className="min-w-0 font-medium break-all">{domain}</span>
          <Badge tone={approved_at === null ? "warn" : "ok"}>
            {approved_at === null ? "Awaiting approval" : "Approved"}
          </Badge>
          <DomainButton intent="remove-domain" domain={domain} label="Remove" />
        </li>
      ))}
    </ul>
  );
}

function UnlinkForm() {
  const form = useScreenForm({ intent: "unlink", failed: "The user could not be disconnected." });
  return (
    <LineForm
      state={form}
      name="username"
      label="Username"
      maxLength={64}
      autoCapitalize="none"
      spellCheck={false}
      button="Disconnect"
      pendingLabel="Disconnecting…"
    />
  );
}

function RemoveForm() {
  const { confirmed, dialog } = useConfirm();
  const form = useScreenForm({
    intent: "remove",
    failed: "Single sign-on could not be removed.",
    confirm: () =>
      confirmed({
        title: "Remove single sign-on?",
        body: "The settings and the client secret are deleted. Everyone who signed in with the provider is signed out. This cannot be undone.",
        confirm: "Remove",
        danger: true,
      }),
  });
  return (
    <Panel
      title="Remove single sign-on"
      lead="Deletes these settings and the client secret, and ends the sessions that single sign-on opened. Users stay, and passwords work again."
    >
      <ScreenForm state={form}>
        <Button type="submit" variant="danger" pending={form.pending} pendingLabel="Removing…">
          Remove
        </Button>
      </ScreenForm>
      {dialog}
    </Panel>
  );
}

/** Returns a key that changes when the settings are removed: their form must not keep what it showed. */
function useRemovals(isPresent: boolean): number {
  const wasPresent = useRef(isPresent);
  const removals = useRef(0);
  if (wasPresent.current && !isPresent) removals.current += 1;
  wasPresent.current = isPresent;
  return removals.current;
}
