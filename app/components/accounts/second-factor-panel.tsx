import { useRevalidator } from "@remix-run/react";
import { KeyRound, Smartphone, Trash2 } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "#app/components/ui/dialogs/dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { hasSecondFactor, type SecondFactorStatus } from "#app/entities/accounts/second-factor.ts";
import { type Enrolled, PasskeySetUp, RecoveryCodes, TotpSetUp } from "./second-factor-set-up.tsx";
import { Sheet } from "./sheet.tsx";

export function SecondFactorPanel({ factors }: { factors: SecondFactorStatus }) {
  const { revalidate } = useRevalidator();
  const [adding, setAdding] = useState<"totp" | "passkey">();
  const [codes, setCodes] = useState<string[]>();
  const { remove, renewCodes, dialog } = useFactorChanges(factors.recovery_codes_left, setCodes);
  const isOn = hasSecondFactor(factors);
  const stopAdding = () => setAdding(undefined);

  function added(enrolled: Enrolled) {
    stopAdding();
    if (enrolled.recovery_codes.length > 0) setCodes(enrolled.recovery_codes);
    notify.success("Second factor added");
    revalidate();
  }

  return (
    <Sheet
      title="Second factor"
      lead={factors.required ? "Your agency requires one." : "Required at every sign-in once you set one up."}
      aside={<Badge tone={isOn ? "ok" : "warn"}>{isOn ? "On" : "Off"}</Badge>}
      needsScripts
    >
      <FactorList factors={factors} onRemove={remove} />
      <div className="flex flex-wrap gap-2">
        {!factors.totp && (
          <Button icon={<Smartphone />} onClick={() => setAdding("totp")}>
            Add an authenticator app
          </Button>
        )}
        <Button icon={<KeyRound />} onClick={() => setAdding("passkey")}>
          Add a passkey
        </Button>
        {isOn && (
          <Button variant="ghost" onClick={renewCodes}>
            New recovery codes ({factors.recovery_codes_left} left)
          </Button>
        )}
      </div>
      <Dialog open={adding === "totp"} onClose={stopAdding} title="Add an authenticator app">
        <TotpSetUp onDone={added} onCancel={stopAdding} />
      </Dialog>
      <Dialog open={adding === "passkey"} onClose={stopAdding} title="Add a passkey" size="sm">
        <PasskeySetUp onDone={added} onCancel={stopAdding} />
      </Dialog>
      <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />
      {dialog}
    </Sheet>
  );
}

/** Removes factors and renews recovery codes, each after a confirmation in `dialog`. */
function useFactorChanges(codesLeft: number, onCodes: (codes: string[]) => void) {
  const { mutate } = useMutation();
  const { ask, dialog } = useConfirm();

  const remove = ({ path, name }: RemovedFactor) =>
    ask({
      title: `Remove ${name}?`,
      body: "You can no longer sign in with it. Removing your last second factor also deletes your recovery codes.",
      confirm: "Remove",
      pending: "Removing…",
      danger: true,
      run: () =>
        mutate(callApi(path, { method: "DELETE", failed: "The second factor could not be removed." }), {
          done: "Second factor removed",
        }),
    });

  const renewCodes = () =>
    ask({
      title: "Create new recovery codes?",
      body:
        codesLeft > 0
          ? "Your current codes will stop working. The new codes are shown only once."
          : "You have used all of your codes. The new codes are shown only once.",
      confirm: "Create new codes",
      pending: "Creating…",
      danger: codesLeft > 0,
      run: () =>
        mutate(
          callApi<{ recovery_codes: string[] }>("/second-factor/recovery-codes", {
            method: "POST",
            failed: "New codes could not be created.",
          }),
          { done: ({ recovery_codes }) => onCodes(recovery_codes) },
        ),
    });

  return { remove, renewCodes, dialog };
}

/** A factor to remove: the path of its call, and its name in a sentence. */
type RemovedFactor = { path: string; name: string };

type FactorListProps = { factors: SecondFactorStatus; onRemove: (factor: RemovedFactor) => void };

function FactorList({ factors, onRemove }: FactorListProps) {
  return (
    <ul className="flex flex-col divide-y divide-line not-empty:mb-4">
      {factors.totp && (
        <Factor
          icon={<Smartphone />}
          name="Authenticator app"
          onRemove={() => onRemove({ path: "/second-factor/totp", name: "the authenticator app" })}
        />
      )}
      {factors.passkeys.map(({ id, name, last_used_at }) => (
        <Factor
          key={id}
          icon={<KeyRound />}
          name={name}
          detail={
            last_used_at === null ? (
              "Not used yet"
            ) : (
              <>
                Last used <LocalTime at={last_used_at} />
              </>
            )
          }
          onRemove={() =>
            onRemove({
              path: `/second-factor/passkeys/${encodeURIComponent(id)}`,
              name: `the passkey “${name}”`,
            })
          }
        />
      ))}
    </ul>
  );
}

function Factor({
  icon,
  name,
  detail,
  onRemove,
}: {
  icon: React.ReactNode;
  name: string;
  detail?: React.ReactNode;
  onRemove: () => void;
}) {
  return (
    <li className="flex items-center gap-3 py-2 [&>svg]:size-5 [&>svg]:text-muted">
      {icon}
      <span className="min-w-0 flex-1">
        <span className="block font-medium wrap-anywhere">{name}</span>
        {detail && <span className="block text-xs text-muted">{detail}</span>}
      </span>
      <IconButton label={`Remove ${name}`} icon={<Trash2 />} onClick={onRemove} />
    </li>
  );
}

/** New recovery codes, which are shown only once. */
function CodesDialog({ codes, onClose }: { codes: string[] | undefined; onClose: () => void }) {
  return (
    <Dialog
      open={codes !== undefined}
      onClose={onClose}
      title="Recovery codes"
      footer={
        <Button variant="primary" onClick={onClose}>
          I saved them
        </Button>
      }
    >
      <RecoveryCodes codes={codes ?? []} />
    </Dialog>
  );
}
