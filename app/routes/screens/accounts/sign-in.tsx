import { type MetaFunction, redirect } from "@remix-run/cloudflare";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { SignInForm } from "#app/components/accounts/sign-in-form.tsx";
import { SignOnForm } from "#app/components/accounts/sign-on-form.tsx";
import { UseNotification } from "#app/components/accounts/use-notification.tsx";
import { Footer } from "#app/components/shell/footer.tsx";
import { Mark } from "#app/components/shell/mark.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { signOnChoices } from "#app/domain/accounts/single-sign-on.ts";
import { signOnMessage } from "#app/entities/accounts/single-sign-on.ts";
import { orNothing, screenLoader } from "#app/http/screen.ts";

export const loader = screenLoader("public", async ({ app, actor, query }) => {
  if (actor) throw redirect("/search");
  return { choices: await orNothing(signOnChoices(app)), problem: signOnMessage(query.get("sso")) };
});

export const meta: MetaFunction = () => [{ title: "Sign in · Odin" }];

export default function SignInScreen() {
  const params = useSearchParams()[0];
  return (
    <>
      <main id="content" className="flex flex-1 flex-col md:p-6">
        <SignIn failed={params.has("failed")} again={params.has("again")} />
      </main>
      <Footer />
    </>
  );
}

/** The sign-in card: product name and use notification on the left, the form on the right. */
function SignIn({ failed, again }: { failed: boolean; again: boolean }) {
  const { choices, problem } = useLoaderData<typeof loader>();
  return (
    <div className="m-auto grid w-full max-w-4xl overflow-hidden md:grid-cols-[1.1fr_1fr] md:rounded-md md:border md:border-line md:bg-raised md:shadow-lg">
      <div className="flex flex-col gap-6 p-6 md:border-e md:border-line md:bg-sunken md:p-10">
        <div>
          <Mark className="h-12 md:h-16" />
          <h1 className="mt-5 text-2xl font-semibold tracking-tight">Odin</h1>
          <p className="mt-1 text-lg text-muted">
            One search across the plate reads of Rekor, Axon and Axis, for authorized law enforcement.
          </p>
        </div>
        <div className="mt-auto">
          <UseNotification />
        </div>
      </div>
      <div className="p-6 max-md:pt-0 md:p-10">
        <h2 className="mb-4 text-xl font-semibold">Sign in</h2>
        {problem && <ErrorBox message={problem} className="mb-4" />}
        <SignInForm failed={failed} />
        {choices && (choices.buttons.length > 0 || choices.byEmail) && (
          <SignOnForm {...choices} again={again} />
        )}
      </div>
    </div>
  );
}
