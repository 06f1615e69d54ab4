import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { VerifyView } from "#app/components/exports/verify-view.tsx";
import { Footer } from "#app/components/shell/footer.tsx";
import { listVerificationKeys } from "#app/domain/exports/files.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Verify an Export · Odin" }];

/** Public, so that courts and counsel can check an export without an account. */
export const loader = screenLoader("public", async ({ app }) => ({ keys: await listVerificationKeys(app) }));

export default function Verify() {
  const { keys } = useLoaderData<typeof loader>();
  return (
    <>
      <main id="content" tabIndex={-1} className="flex-1 outline-none">
        <VerifyView keys={keys} />
      </main>
      <Footer />
    </>
  );
}
