import type { MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { SecondFactorForm } from "#app/components/accounts/second-factor-form.tsx";
import { SingleSheet } from "#app/components/accounts/sheet.tsx";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { completeByCode, factorStatus } from "#app/domain/accounts/second-factor.ts";
import { FactorCode } from "#app/entities/accounts/calls.ts";
import { firstScreen } from "#app/http/return-path.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Second factor · Odin" }];

const OPTIONS = { during: ["awaiting-second-factor"] } as const;

export const loader = screenLoader("signed-in", ({ app, actor }) => factorStatus(app, actor), OPTIONS);

export const action = screenAction(
  "signed-in",
  {
    code: screenForm(FactorCode, ({ app, actor, body }) => completeByCode(app, actor, body), {
      next: ({ state }, { request }) => firstScreen(request, state),
      session: (signedIn) => signedIn,
      shows: () => undefined,
    }),
  },
  OPTIONS,
);

export const clientAction = screenClientAction;

/** Revalidating would redirect once the code is accepted, and the answer of the form would be lost. */
export const shouldRevalidate = () => false;

export default function SecondFactorScreen() {
  return (
    <SingleSheet title="Second factor" lead="Your password is correct. Enter your second factor to continue.">
      <SecondFactorForm factors={useLoaderData<typeof loader>()} />
    </SingleSheet>
  );
}
