import { type FormHTMLAttributes, type ReactNode, useContext, useRef } from "react";
import { PasswordInput } from "#app/components/accounts/password-input.tsx";
import { RequestIdContext } from "#app/components/shell/document-contexts.ts";
import { Button } from "#app/components/ui/button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { InputField } from "#app/components/ui/fields/labeled.tsx";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import type { ScreenFormState } from "./use-screen-form.ts";

export type ScreenFormProps<T> = Omit<
  FormHTMLAttributes<HTMLFormElement>,
  "onSubmit" | "action" | "method"
> & {
  state: ScreenFormState<T>;
  /** The form has file fields. */
  files?: boolean;
  /** The screen itself shows errors that concern the whole form. */
  ownProblem?: boolean;
  /** The version of the settings that the form was opened with, if it replaces them as a whole. */
  version?: string;
  children: ReactNode;
};

/** A form of a screen with its error box. */
export function ScreenForm<T>({
  state,
  files = false,
  ownProblem = false,
  version,
  children,
  ...rest
}: ScreenFormProps<T>) {
  const { Form, answer } = state;
  // Not the newest settings: the fields still show the settings from when the form was opened or last saved.
  const opened = useRef(version);
  if (answer && answer.version !== "") opened.current = answer.version;
  // Without scripts, the form is sent with the id of its page as its idempotency key; with scripts, see `useScreenForm`.
  const requestId = useContext(RequestIdContext);
  return (
    <Form
      method="post"
      noValidate
      {...rest}
      ref={state.form}
      action={state.action}
      encType={files ? "multipart/form-data" : undefined}
      onSubmit={state.onSubmit}
    >
      <input type="hidden" name={FORM_FIELDS.intent} value={state.intent} />
      {opened.current !== undefined && (
        <input type="hidden" name={FORM_FIELDS.version} value={opened.current} />
      )}
      {state.keyed && <input type="hidden" name={FORM_FIELDS.key} value={requestId} />}
      {!ownProblem && <ErrorBox message={state.message} reference={answer?.reference} />}
      {children}
      {answer?.stepUp && <StepUpFields problem={state.problem} />}
    </Form>
  );
}

/** The main button of a form whose fields are in a column. */
export function SubmitButton<T>({
  state,
  pendingLabel,
  children,
}: {
  state: ScreenFormState<T>;
  pendingLabel: string;
  children: string;
}) {
  return (
    <Button
      type="submit"
      variant="primary"
      className="self-start"
      pending={state.pending}
      pendingLabel={pendingLabel}
    >
      {children}
    </Button>
  );
}

/** The identity check within the form, for browsers without scripts, which cannot open the dialog. */
function StepUpFields({ problem }: { problem: (field: string) => string | undefined }) {
  return (
    <noscript>
      <fieldset className="flex flex-col gap-3 rounded-md border border-line p-3">
        <legend className="px-1 text-sm font-medium">Re-enter your password to continue</legend>
        <p className="text-sm text-muted">
          This needs a sign-in from the last ten minutes. With a second factor, enter a code instead, then
          send the form again.
        </p>
        <Field label="Your password" error={problem(FORM_FIELDS.password)}>
          {(control) => (
            <PasswordInput
              {...control}
              name={FORM_FIELDS.password}
              autoComplete="current-password"
              maxLength={1024}
            />
          )}
        </Field>
        <InputField
          label="Code from your authenticator app"
          error={problem(FORM_FIELDS.code)}
          name={FORM_FIELDS.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={40}
        />
      </fieldset>
    </noscript>
  );
}
