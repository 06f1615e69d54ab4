import type { ReactNode } from "react";

/** A secret that is shown once, on the page itself: without scripts, no dialog opens. */
export function ShownOncePanel({
  message,
  title,
  secret,
  children,
}: {
  /** What was done. */
  message?: string;
  title: string;
  secret: string;
  /** What to do with it. */
  children: ReactNode;
}) {
  return (
    <div role="status" className="flex flex-col gap-2 rounded-md border border-ok bg-ok-soft p-3">
      {message && <p className="font-medium text-ok">{message}</p>}
      <p className="font-semibold">{title}</p>
      <code className="rounded-md bg-raised px-3 py-2 font-mono text-base break-all select-all">
        {secret}
      </code>
      <p className="text-sm">{children}</p>
    </div>
  );
}
