import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useParams } from "@remix-run/react";
import { TransparencyDocument } from "#app/components/oversight/transparency/document.tsx";
import { Mark } from "#app/components/shell/mark.tsx";
import type { PlainPage } from "#app/components/shell/plain-page.ts";
import { publicStatistics } from "#app/domain/oversight/transparency.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `License plate reader statistics of ${data.agency} · Odin` : "Odin" },
];

export const handle: PlainPage = { plainPage: true };

/** Public: reading a published page requires no sign-in. */
export const loader = screenLoader("public", ({ app, params }) => publicStatistics(app, params.slug ?? ""));

export default function TransparencyScreen() {
  const statistics = useLoaderData<typeof loader>();
  const { slug } = useParams();
  return (
    <>
      <header className="border-b border-line bg-raised print:hidden">
        <div className="mx-auto flex min-h-bar w-full max-w-4xl flex-wrap items-center gap-x-5 gap-y-1 px-4 sm:px-6">
          <p className="flex items-center gap-2.5 text-lg font-semibold">
            <Mark className="h-5" />
            Odin
          </p>
          <nav aria-label="Downloads" className="ms-auto flex gap-4 text-sm">
            <a
              href={`/figures/${slug}.csv`}
              download
              className="inline-flex min-h-control items-center underline hover:text-accent"
            >
              CSV
              <span className="sr-only"> file of these statistics</span>
            </a>
            <a
              href={`/figures/${slug}.json`}
              className="inline-flex min-h-control items-center underline hover:text-accent"
            >
              JSON
              <span className="sr-only"> file of these statistics</span>
            </a>
          </nav>
        </div>
      </header>
      <main
        id="content"
        className="mx-auto w-full max-w-4xl flex-1 px-4 py-8 sm:px-6 print:max-w-none print:p-0"
      >
        <TransparencyDocument statistics={statistics} />
      </main>
      <footer className="mx-auto w-full max-w-4xl px-4 pb-8 text-xs text-muted sm:px-6">
        <p className="border-t border-line pt-3">
          Published by {statistics.agency} with Odin. © {new Date(statistics.as_of).getUTCFullYear()} Odin.{" "}
          <a href="/terms" className="underline print:hidden">
            Terms of Service
          </a>{" "}
          <a href="/privacy" className="underline print:hidden">
            Privacy Policy
          </a>
        </p>
      </footer>
    </>
  );
}
