import { useRevalidator } from "@remix-run/react";
import { PlugZap } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import type { OutgoingTest } from "#app/entities/integrations/outgoing-webhooks.ts";
import { MESSAGES } from "#app/entities/messages.ts";

/** Sends a test message and shows the receiver's answer. */
export function OutgoingTestButton({ id }: { id: string }) {
  const { revalidate } = useRevalidator();
  const [pending, setPending] = useState(false);
  const [tested, setTested] = useState<OutgoingTest>();

  async function test() {
    setPending(true);
    setTested(undefined);
    const answer = await callApi<OutgoingTest>(`/outgoing-webhooks/${encodeURIComponent(id)}/test`, {
      method: "POST",
      failed: MESSAGES.unknownError,
    });
    setPending(false);
    if (answer.ok) setTested(answer.value);
    else setTested({ ok: false, msg: answer.message, status: null, answer: "", took_ms: 0 });
    if (answer.ok) revalidate();
  }

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Button
        icon={<PlugZap />}
        className="self-start"
        pending={pending}
        pendingLabel="Testing…"
        onClick={test}
      >
        Send a test
      </Button>
      <div role="status" className="flex min-w-0 flex-col gap-1 text-sm empty:hidden">
        {tested && (
          <>
            <p className={cx("font-medium", tested.ok ? "text-ok" : "text-hit")}>
              {tested.msg}
              {tested.status !== null && ` after ${(tested.took_ms / 1000).toFixed(1)} s`}
            </p>
            {tested.answer !== "" && (
              <code className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">
                {tested.answer}
              </code>
            )}
          </>
        )}
      </div>
    </div>
  );
}
