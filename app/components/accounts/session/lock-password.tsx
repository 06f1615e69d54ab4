import { NewPasswordForm } from "#app/components/accounts/new-password-form.tsx";

/** Asks for the new password on the session lock, so that unsaved input behind it is kept. */
export default function SessionLockPassword({
  username,
  onChanged,
}: {
  username: string | undefined;
  onChanged: () => void;
}) {
  return (
    <NewPasswordForm
      username={username}
      action="/change-password"
      label="Change password"
      onChanged={onChanged}
    />
  );
}
