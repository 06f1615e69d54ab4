import type { ReactNode } from "react";

/** A titled card with a form or a list. */
export function Sheet({
  title,
  lead,
  aside,
  needsScripts = false,
  children,
}: {
  title: ReactNode;
  lead?: ReactNode;
  aside?: ReactNode;
  /** Whether the content does nothing without scripts, so that the card says so instead. */
  needsScripts?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="min-w-0 rounded-md border border-line bg-raised">
      <header className="flex flex-wrap items-start gap-2 border-b border-line px-4 py-3">
        <div className="min-w-0 flex-1 basis-40">
          <h2 className="text-lg font-semibold">{title}</h2>
          {lead && <p className="mt-0.5 text-sm text-muted">{lead}</p>}
        </div>
        {aside}
      </header>
      <div className={needsScripts ? "p-4 noscript:hidden" : "p-4"}>{children}</div>
      {needsScripts && <p className="hidden p-4 text-sm text-muted noscript:block">This needs JavaScript.</p>}
    </section>
  );
}

/** The single card of a screen that the user must complete before going on to Odin. */
export function SingleSheet({
  title,
  lead,
  children,
}: {
  title: string;
  lead: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="m-auto flex w-full max-w-md flex-col gap-5 px-4 py-8">
      <div>
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 text-base text-muted">{lead}</p>
      </div>
      <div className="rounded-md border border-line bg-raised p-5">{children}</div>
    </div>
  );
}
