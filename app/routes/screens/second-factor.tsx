import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { SecondFactorForm } from "#app/components/account/second-factor-form.tsx";
import { LonelySheet } from "#app/components/account/sheet.tsx";
import { factorStatus } from "#app/domain/account-factors.ts";
import { screenLoader } from "#app/http/screen.ts";

export const meta: MetaFunction = () => [{ title: "Second factor · Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor }) => factorStatus(app, actor), {
  during: ["awaiting-second-factor"],
});

export default function SecondFactorScreen() {
  return (
    <LonelySheet title="Second factor" lead="Your password was right. One more thing shows that it is you.">
      <SecondFactorForm factors={useLoaderData<typeof loader>()} />
    </LonelySheet>
  );
}
