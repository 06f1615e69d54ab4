import { useState } from "react";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { ShownOncePanel } from "#app/components/forms/shown-once-panel.tsx";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { ShownOnceDialog } from "#app/components/ui/dialogs/shown-once-dialog.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import type { ScimTokenState } from "#app/entities/users/scim/call.ts";

const TITLE = "SCIM token";
const ADVICE =
  "Enter it at the identity provider as the bearer token. It is shown only once: Odin stores only a hash.";

/** The agency's SCIM token: when it was last used; creates it, replaces it, and revokes it. */
export function ScimTokenForm({ token }: { token: ScimTokenState | null }) {
  const [shown, setShown] = useState<string>();
  const form = useScreenForm<{ token: string }>({
    intent: "scim-token",
    failed: "The token could not be created.",
    onDone: ({ result }) => setShown(result?.token),
  });
  const posted = form.posted?.result;
  return (
    <div className="flex flex-col gap-3">
      {posted && (
        <ShownOncePanel title={TITLE} secret={posted.token}>
          {ADVICE}
        </ShownOncePanel>
      )}
      <p className="text-sm">
        {token ? (
          <>
            Token created <LocalTime at={token.created_at} short /> by {token.created_by}.{" "}
            {token.last_used_at === null ? (
              "Not used yet."
            ) : (
              <>
                Last used <LocalTime at={token.last_used_at} short />.
              </>
            )}
          </>
        ) : (
          "There is no token, so the provider cannot manage users here."
        )}
      </p>
      {token?.creator_left && (
        <p className="text-sm font-medium">
          {token.created_by} is no longer an administrator of your agency, but may still have the token.
          Replace it.
        </p>
      )}
      <div className="flex flex-wrap items-start gap-3">
        <ScreenForm state={form}>
          <Button type="submit" pending={form.pending} pendingLabel={token ? "Replacing…" : "Creating…"}>
            {token ? "Replace Token" : "Create Token"}
          </Button>
        </ScreenForm>
        {token && <RevokeForm />}
      </div>
      {token && (
        <p className="text-sm text-muted">
          The current token stops working immediately if you replace or revoke it. Users and groups stay as
          they are.
        </p>
      )}
      <ShownOnceDialog
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={TITLE}
        secret={shown ?? ""}
        copyLabel="Copy the token"
      >
        {ADVICE}
      </ShownOnceDialog>
    </div>
  );
}

function RevokeForm() {
  const { confirmed, dialog } = useConfirm();
  const form = useScreenForm({
    intent: "revoke-scim-token",
    failed: "The token could not be revoked.",
    confirm: () =>
      confirmed({
        title: "Revoke the SCIM token?",
        body: "The provider can no longer manage users here. Users and groups stay as they are.",
        confirm: "Revoke",
        danger: true,
      }),
  });
  return (
    <>
      <ScreenForm state={form}>
        <Button type="submit" variant="danger" pending={form.pending} pendingLabel="Revoking…">
          Revoke Token
        </Button>
      </ScreenForm>
      {dialog}
    </>
  );
}
