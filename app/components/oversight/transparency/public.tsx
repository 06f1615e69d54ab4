import { ExternalLink } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
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

/** The administrators' side: what the page says, whether it is public, and all of it as the public would see it. */
export function PublicTransparency({ overview }: { overview: TransparencyOverview }) {
  const { mutate } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const { page, published_at: publishedAt, figures } = overview;
  const isPublic = publishedAt !== null;

  const askTo = (act: keyof typeof ACTS) => {
    const { title, confirm, done, body } = ACTS[act];
    ask({
      title,
      body,
      confirm,
      danger: act === "withdraw",
      run: () =>
        mutate(callApi(`/public-figures/${act}`, { method: "POST", failed: "That did not work." }), { done }),
    });
  };

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
            <Button onClick={() => askTo("withdraw")}>Withdraw</Button>
          </>
        ) : (
          <Button variant="primary" onClick={() => askTo("publish")}>
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
      {dialog}
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
