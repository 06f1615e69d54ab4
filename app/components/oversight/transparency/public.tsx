import { useRevalidator } from "@remix-run/react";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { callApi, problemOf, wasDeclined } from "#app/components/accounts/call-api.ts";
import { LocalTime } from "#app/components/accounts/local-time.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { ConfirmDialog } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import type { TransparencyOverview } from "#app/entities/oversight/transparency-page.ts";
import { TransparencyDocument } from "./document.tsx";
import { TransparencyPageForm } from "./page-form.tsx";

const ACTS = {
  publish: {
    title: "Publish these figures?",
    confirm: "Publish",
    done: "The figures are public",
    body: "Anybody on the internet can read what the preview shows, without signing in, and search engines may list it. The figures follow the months by themselves.",
  },
  withdraw: {
    title: "Withdraw these figures?",
    confirm: "Withdraw",
    done: "The figures are no longer public",
    body: "The address answers as if there had never been a page. Copies that others have made, or that a cache holds for up to five minutes, stay.",
  },
} as const;
type Act = keyof typeof ACTS;

/** The administrators' side: what the page says, whether it is public, and all of it as the public would see it. */
export function PublicTransparency({ overview }: { overview: TransparencyOverview }) {
  const { revalidate } = useRevalidator();
  const [asked, setAsked] = useState<Act>();
  const { page, published_at: publishedAt, figures } = overview;
  const isPublic = publishedAt !== null;

  async function run() {
    if (!asked) return;
    try {
      await callApi(`/public-figures/${asked}`, { method: "POST" });
      notify.success(ACTS[asked].done);
    } catch (error) {
      if (!wasDeclined(error)) notify.error(problemOf(error, "That did not work."));
      return false;
    } finally {
      revalidate();
    }
  }

  return (
    <>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="flex flex-wrap items-center gap-2 text-xl font-semibold tracking-tight">
            Public Figures
            <Badge tone={isPublic ? "ok" : "neutral"}>{isPublic ? "Published" : "Not published"}</Badge>
          </h1>
          <p className="mt-0.5 max-w-[65ch] text-sm text-muted">
            Counts by purpose, hit quality and oversight on a page that everybody may read. It names no plate,
            person, place, reason or case; counts from one to four are hidden.
            {isPublic && (
              <>
                {" "}
                Public since <LocalTime at={publishedAt} />.
              </>
            )}
          </p>
        </div>
        {isPublic ? (
          <>
            <a
              href={`/figures/${page.slug}`}
              target="_blank"
              rel="noreferrer"
              className={buttonClass("ghost")}
            >
              <ExternalLink aria-hidden="true" />
              Open the page
            </a>
            <Button onClick={() => setAsked("withdraw")}>Withdraw</Button>
          </>
        ) : (
          <Button variant="primary" onClick={() => setAsked("publish")}>
            Publish
          </Button>
        )}
      </div>
      {isPublic && <Address slug={page.slug} />}
      <TransparencyPageForm overview={overview} />
      <section aria-labelledby="preview-title" className="flex flex-col gap-2">
        <h2 id="preview-title" className="text-lg font-semibold">
          Preview
        </h2>
        <p className="text-sm text-muted">All that the public sees, as it was last saved.</p>
        <div className="rounded-md border border-line bg-surface px-4 py-6 sm:px-8">
          <TransparencyDocument figures={figures} nested />
        </div>
      </section>
      <ConfirmDialog
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={asked ? ACTS[asked].title : ""}
        confirmLabel={asked ? ACTS[asked].confirm : ""}
        danger={asked === "withdraw"}
        onConfirm={run}
      >
        {asked && ACTS[asked].body}
      </ConfirmDialog>
    </>
  );
}

/** The address with the host that the administrator is at; what is copied is whole. */
function Address({ slug }: { slug: string }) {
  const path = `/figures/${slug}`;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span className="text-muted">Public at</span>
      <code className="font-mono break-all">{path}</code>
      <CopyButton
        text={typeof location === "undefined" ? path : new URL(path, location.href).href}
        label="Copy the address"
      />
    </div>
  );
}
