import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { SecondFactorForm } from "#app/components/accounts/second-factor-form.tsx";
import { LonelySheet } from "#app/components/accounts/sheet.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { completeByCode, factorStatus } from "#app/domain/accounts/second-factor.ts";
import { HOME_OF } from "#app/entities/accounts/access.ts";
import { FactorCode } from "#app/entities/accounts/second-factor-calls.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Second factor · Odin" }];

const GIVING = { during: ["awaiting-second-factor"] } as const;

export const loader = screenLoader("signed-in", ({ app, actor }) => factorStatus(app, actor), GIVING);

export const action = screenAction(
  "signed-in",
  {
    code: screenForm(FactorCode, ({ app, actor, body }) => completeByCode(app, actor, body), {
      next: ({ state }) => HOME_OF[state],
      token: ({ token }) => token,
      shows: () => undefined,
    }),
  },
  GIVING,
);

export const clientAction = screenClientAction;

/** The session no longer waits for a factor once the code is given: this screen would redirect, and its answer be lost. */
export const shouldRevalidate = () => false;

export default function SecondFactorScreen() {
  return (
    <LonelySheet title="Second factor" lead="Your password was right. One more thing shows that it is you.">
      <SecondFactorForm factors={useLoaderData<typeof loader>()} />
    </LonelySheet>
  );
}
