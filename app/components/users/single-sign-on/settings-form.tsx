import { useFetchers } from "@remix-run/react";
import { ScreenForm, SubmitButton } from "#app/components/forms/screen-form.tsx";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Checkbox } from "#app/components/ui/fields/checkbox.tsx";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { StatusDot, type StatusDotProps } from "#app/components/ui/status-dot.tsx";
import type { SignOnCheck, SignOnProvider } from "#app/entities/accounts/sign-on-settings.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";

const TEXTS = [
  {
    name: "issuer",
    label: "Issuer",
    hint: "The https address that the provider's discovery document names as issuer.",
    max: 500,
  },
  { name: "client_id", label: "Client ID", hint: "From the registration at the provider.", max: 300 },
  {
    name: "button_name",
    label: "Name on the button",
    hint: "“Sign in with …”, for example Hartford SSO.",
    max: 60,
  },
  {
    name: "groups_claim",
    label: "Groups claim",
    hint: "The claim that lists a person's groups. If you name groups below and the provider has the scope groups, Odin asks for it.",
    max: 200,
  },
] as const;

const SWITCHES = [
  {
    name: "enabled",
    label: "Single sign-on is on",
    hint: "Users of the agency can sign in with the provider.",
  },
  {
    name: "show_button",
    label: "Show the button on the sign-in page",
    hint: "Everyone who opens Odin sees the name. Without it, people enter their work email.",
  },
  {
    name: "create_users",
    label: "Create users at their first sign-in",
    hint: "Only with a verified email address in an approved domain of the agency.",
  },
  {
    name: "trust_email",
    label: "The provider never says whether addresses are verified",
    hint: "Only for providers that do not let people choose their own address, such as your own Microsoft Entra ID.",
  },
  {
    name: "trust_second_factor",
    label: "Accept the provider's second factor",
    hint: "If the provider says that it asked for one (amr or acr). Otherwise Odin asks for its own. Where your policy requires a second factor, the owner of this installation must approve this, and turning it off ends the sessions that single sign-on opened, yours too.",
  },
  {
    name: "no_auth_time",
    label: "The provider never says when a person last signed in there (auth_time)",
    hint: "Odin then cannot tell whether someone at an unattended computer used an old session at the provider. Leave it off if you can.",
  },
] as const;

const GROUPS = [
  {
    name: "member_groups",
    label: "Groups that may sign in",
    hint: "Empty: everyone the provider lets in.",
  },
  { name: "admin_groups", label: "Groups of administrators", hint: "Empty: administrators decide in Odin." },
  {
    name: "hotlist_admin_groups",
    label: "Groups of hotlist admins",
    hint: "Empty: administrators decide in Odin.",
  },
  {
    name: "hotlist_viewer_groups",
    label: "Groups of hotlist viewers",
    hint: "Empty: administrators decide in Odin.",
  },
  {
    name: "acr_values",
    label: "Values of acr that prove a second factor",
    hint: "Odin also asks for them. Empty: only amr counts.",
  },
] as const;

const NEW: Pick<SignOnProvider, "groups_claim"> & Partial<SignOnProvider> = { groups_claim: "groups" };

type Props = {
  provider: SignOnProvider | null;
  /** The version of the settings that are shown. */
  version: string;
  breakGlassUsers: readonly { id: string; name: string; username: string }[];
};

/** The settings of an agency's identity provider, saved together. */
export function SignOnSettingsForm({ provider, version, breakGlassUsers }: Props) {
  const form = useScreenForm({
    intent: "save",
    keyed: true,
    failed: "Single sign-on could not be saved.",
    keep: true,
  });
  const now = provider ?? NEW;
  return (
    <ScreenForm state={form} version={version} className="flex flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        {TEXTS.map(({ name, label, hint, max }) => (
          <InputField
            key={name}
            {...form.field(name, now[name] ?? "")}
            label={label}
            hint={hint}
            required
            maxLength={max}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        ))}
        <InputField
          label="Client secret"
          hint={
            provider
              ? "Stored encrypted. Leave empty to keep it."
              : "Encrypted when saved and never shown again."
          }
          error={form.problem("client_secret")}
          required={!provider}
          type="password"
          name="client_secret"
          maxLength={1000}
          autoComplete="off"
          controlClass="font-mono"
        />
      </div>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 font-semibold">Signing in</legend>
        {SWITCHES.map(({ name, label, hint }) => (
          <Checkbox
            key={name}
            name={name}
            value="on"
            defaultChecked={form.has(name, "on", now[name] ?? false)}
            label={label}
            hint={hint}
          />
        ))}
      </fieldset>
      <fieldset>
        <legend className="mb-2 font-semibold">Groups and permissions</legend>
        <div className="grid gap-4 sm:grid-cols-2">
          {GROUPS.map(({ name, label, hint }) => (
            <TextareaField
              key={name}
              {...form.field(name, now[name]?.join("\n") ?? "")}
              label={label}
              hint={`One per line. ${hint}`}
              rows={2}
              autoComplete="off"
              spellCheck={false}
            />
          ))}
        </div>
      </fieldset>
      <Passwords form={form} chosen={now.break_glass_user ?? ""} users={breakGlassUsers} />
      <SubmitButton state={form} pendingLabel="Saving…">
        Save
      </SubmitButton>
    </ScreenForm>
  );
}

/** The choice of the one account that keeps its password. */
function Passwords({
  form,
  chosen,
  users,
}: {
  form: ScreenFormState;
  chosen: string;
  users: Props["breakGlassUsers"];
}) {
  return (
    <SelectField
      {...form.field("break_glass_user", chosen)}
      label="Sign-in with a password"
      hint="If only one account may, it is the break-glass account: if the provider fails, no one else can sign in. Keep its password in a safe place."
      className="max-w-xl"
    >
      <option value="">Everyone</option>
      {users.map(({ id, name, username }) => (
        <option key={id} value={id}>
          Only {name} ({username})
        </option>
      ))}
    </SelectField>
  );
}

const CHECK_STATES: Record<
  SignOnCheck["result"],
  Pick<StatusDotProps, "tone" | "shape"> & { label: string }
> = {
  ok: { tone: "ok", shape: "full", label: "OK" },
  problem: { tone: "hit", shape: "cross", label: "Problem" },
  unknown: { tone: "warn", shape: "half", label: "Unknown" },
};

/** Tests the saved settings, once they are saved, and shows what works and what does not. */
export function SignOnTestForm({ provider }: { provider: SignOnProvider }) {
  const form = useScreenForm<{ checks: SignOnCheck[] }>({
    intent: "test",
    failed: "The test could not be run.",
    keep: true,
    onDone: () => {},
  });
  const isSaving = useFetchers().some(({ formData }) => formData?.get(FORM_FIELDS.intent) === "save");
  const checks = form.answer?.ok ? form.answer.result?.checks : undefined;
  return (
    <div className="flex flex-col gap-3">
      <ScreenForm state={form} className="flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={isSaving} pending={form.pending} pendingLabel="Testing…">
          Test
        </Button>
        <p className="text-sm text-muted">
          {provider.tested_at === null ? (
            "These settings have not passed a test."
          ) : (
            <>
              Passed at <LocalTime at={provider.tested_at} />
            </>
          )}
        </p>
      </ScreenForm>
      <div role="status">
        {checks && (
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
            {checks.map(({ name, result, message }) => (
              <div key={name} className="contents">
                <dt>
                  <StatusDot
                    {...CHECK_STATES[result]}
                    label={
                      <>
                        {name}
                        <span className="sr-only">: {CHECK_STATES[result].label}</span>
                      </>
                    }
                  />
                </dt>
                <dd>{message}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {provider.last_failure_at !== null && (
        <p className="text-sm text-muted">
          Last failed sign-in at <LocalTime at={provider.last_failure_at} />: {provider.last_failure}
        </p>
      )}
    </div>
  );
}
