import { ExternalLink } from "lucide-react";
import { callApi } from "#app/components/forms/api.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { useFormValues } from "#app/components/forms/use-form-values.ts";
import { useMutation } from "#app/components/forms/use-mutation.ts";
import { useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { useConfirm } from "#app/components/ui/dialogs/confirm-dialog.tsx";
import { notify } from "#app/components/ui/dialogs/notify.ts";
import { InputField, SelectField, TextareaField } from "#app/components/ui/fields/labeled.tsx";
import { LocalTime } from "#app/components/ui/local-time.tsx";
import { PageHead } from "#app/components/ui/page.tsx";
import {
  CONTACT_MAX,
  INTRODUCTION_MAX,
  type TransparencyOverview,
} from "#app/entities/oversight/transparency-page.ts";
import { TransparencyDocument } from "./document.tsx";

const ACTS = {
  publish: {
    title: "Publish this page?",
    confirm: "Publish",
    done: "The page is public",
    body: "Anyone on the internet can read what the preview shows. No sign-in is needed, and search engines may list the page. New months are added automatically.",
  },
  withdraw: {
    title: "Withdraw this page?",
    confirm: "Withdraw",
    done: "The page is no longer public",
    body: "The address returns “not found”. Copies made by others remain, and caches may serve the page for up to five minutes.",
  },
} as const;

/** `version` is the version of the page's settings. */
type PublicTransparencyProps = { overview: TransparencyOverview; version: string };

/** Where administrators edit, preview, publish and withdraw the agency's transparency page. */
export function PublicTransparency({ overview, version }: PublicTransparencyProps) {
  const { mutate } = useMutation({ refresh: "always" });
  const { ask, dialog } = useConfirm();
  const { page, published_at: publishedAt, figures: statistics } = overview;
  const isPublic = publishedAt !== null;

  const askTo = (act: keyof typeof ACTS) => {
    const { title, confirm, done, body } = ACTS[act];
    ask({
      title,
      body,
      confirm,
      danger: act === "withdraw",
      run: () =>
        mutate(callApi(`/public-figures/${act}`, { method: "POST", failed: "The action failed." }), { done }),
    });
  };

  return (
    <>
      <PageHead
        title={
          <>
            Transparency Page
            <Badge tone={isPublic ? "ok" : "neutral"}>{isPublic ? "Published" : "Not published"}</Badge>
          </>
        }
        lead={
          <>
            A public page with statistics on searches, hits and oversight. It names no plates, people,
            locations, reasons or cases, and hides counts from one to four.
            {isPublic && (
              <>
                {" "}
                Public since <LocalTime at={publishedAt} />.
              </>
            )}
          </>
        }
      >
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
            <Button className="noscript:hidden" onClick={() => askTo("withdraw")}>
              Withdraw
            </Button>
          </>
        ) : (
          <Button variant="primary" className="noscript:hidden" onClick={() => askTo("publish")}>
            Publish
          </Button>
        )}
      </PageHead>
      {isPublic && <Address slug={page.slug} />}
      <TransparencyPageForm overview={overview} version={version} />
      <section aria-labelledby="preview-title" className="flex flex-col gap-2">
        <h2 id="preview-title" className="text-lg font-semibold">
          Preview
        </h2>
        <p className="text-sm text-muted">What the public sees, as last saved.</p>
        <div className="rounded-md border border-line bg-surface px-4 py-6 sm:px-8">
          <TransparencyDocument statistics={statistics} nested />
        </div>
      </section>
      {dialog}
    </>
  );
}

/** Shows the page's path. The button copies the full URL on the current host. */
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

/** Edits the page's address, contact and introduction. */
function TransparencyPageForm({ overview, version }: PublicTransparencyProps) {
  const { page, slugs, published_at: publishedAt } = overview;
  const form = useScreenForm({
    intent: "page",
    keyed: true,
    failed: "The page could not be saved.",
    keep: true,
    onDone: () => notify.success(publishedAt === null ? "The page was saved" : "The public page was updated"),
  });
  const length = (useFormValues(form.form)?.introduction?.[0] ?? page.introduction).length;

  return (
    <ScreenForm
      state={form}
      version={version}
      className="flex flex-col gap-4 rounded-md border border-line bg-raised p-4"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          {...form.field("slug", page.slug)}
          label="Address"
          hint="The end of the page's URL, after /figures/. Renaming the agency does not change it."
        >
          {slugs.map((slug) => (
            <option key={slug}>{slug}</option>
          ))}
        </SelectField>
        <InputField
          {...form.field("contact", page.contact)}
          label="Contact for questions"
          hint="Public: an office's email address or phone number. Required to publish."
          maxLength={CONTACT_MAX}
          autoComplete="off"
        />
      </div>
      <TextareaField
        {...form.field("introduction", page.introduction)}
        label="Introduction"
        hint="Plain text, public. Do not include plates, people or cases."
        aside={`${length} of ${INTRODUCTION_MAX}`}
        rows={4}
        maxLength={INTRODUCTION_MAX}
      />
      <Button type="submit" className="self-start" pending={form.pending} pendingLabel="Saving…">
        {publishedAt === null ? "Save" : "Save and update the public page"}
      </Button>
    </ScreenForm>
  );
}
