import { useRevalidator } from "@remix-run/react";
import { PlugZap } from "lucide-react";
import { useState } from "react";
import { callApi } from "#app/components/forms/api.ts";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import type { Tested } from "#app/entities/integrations/settings.ts";
import { MESSAGES } from "#app/entities/messages.ts";

/** Asks the vendor whether the credentials are good, and says what it answered beside the button. */
export function TestButton({ path, of }: { path: string; of: string }) {
  const { revalidate } = useRevalidator();
  const [pending, setPending] = useState(false);
  const [answer, setAnswer] = useState<Tested>();

  async function test() {
    setPending(true);
    setAnswer(undefined);
    const tested = await callApi<Tested>(path, { method: "POST", failed: MESSAGES.unknownError });
    setPending(false);
    setAnswer(tested.ok ? tested.value : { ok: false, msg: tested.message });
    if (tested.ok) revalidate();
  }

  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Button size="sm" icon={<PlugZap />} pending={pending} pendingLabel="Asking…" onClick={test}>
        Test<span className="sr-only"> {of}</span>
      </Button>
      <span role="status" className={cx("text-sm", answer && !answer.ok ? "text-hit" : "text-muted")}>
        {answer?.msg}
      </span>
    </span>
  );
}
