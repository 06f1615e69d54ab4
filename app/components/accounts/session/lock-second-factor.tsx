import { useCallback, useEffect, useState } from "react";
import { SecondFactorForm } from "#app/components/accounts/second-factor-form.tsx";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Skeleton } from "#app/components/ui/skeleton.tsx";
import type { SecondFactorStatus } from "#app/entities/accounts/second-factor.ts";

/** Asks for the code or the passkey on the lock itself, so that what was typed behind it stays. */
export default function SessionLockFactor({ onTarget }: { onTarget: (path: string) => boolean }) {
  const [factors, setFactors] = useState<SecondFactorStatus>();
  const [failed, setFailed] = useState(false);

  const load = useCallback(() => {
    setFailed(false);
    callApi<SecondFactorStatus>("/second-factor-data").then((answer) => {
      if (answer.ok) setFactors(answer.value);
      else setFailed(true);
    });
  }, []);
  useEffect(load, [load]);

  if (factors) return <SecondFactorForm factors={factors} onTarget={onTarget} />;
  if (!failed) return <Skeleton className="h-32 w-full" />;
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-base">Your second factor could not be asked for. Is the network there?</p>
      <Button variant="primary" onClick={load}>
        Try again
      </Button>
    </div>
  );
}
