import { ShieldAlert } from "lucide-react";
import { USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";

/** The CJIS use notification (AC-8), shown before access. */
export function UseNotification() {
  return (
    <section aria-labelledby="use-notification" className="text-sm">
      <h2 id="use-notification" className="mb-2 flex items-center gap-2 font-semibold">
        <ShieldAlert aria-hidden="true" className="size-4 text-warn" />
        Use notification
      </h2>
      <ol className="flex flex-col gap-1.5">
        {USE_NOTIFICATION.statements.map((statement, index) => (
          <li key={statement} className="flex gap-2">
            <span aria-hidden="true" className="w-4 shrink-0 text-muted">
              {index + 1}
            </span>
            {statement}
          </li>
        ))}
      </ol>
    </section>
  );
}
