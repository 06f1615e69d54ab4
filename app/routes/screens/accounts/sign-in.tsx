import { type MetaFunction, redirect } from "@remix-run/cloudflare";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { LogIn } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { announceSession } from "#app/components/accounts/session/events.ts";
import { SignInForm } from "#app/components/accounts/sign-in-form.tsx";
import { UseNotification } from "#app/components/accounts/use-notification.tsx";
import { forgetLeftForm } from "#app/components/search/form/forget-left-form.ts";
import { Footer } from "#app/components/shell/footer.tsx";
import { Mark } from "#app/components/shell/mark.tsx";
import { forgetHits } from "#app/components/shell/offline.ts";
import { Button, buttonClass } from "#app/components/ui/button.tsx";
import { ErrorBox } from "#app/components/ui/error-box.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { signOnAgency, signOnChoices } from "#app/domain/accounts/single-sign-on.ts";
import { ADDRESS_MUST_WAIT, USE_NOTIFICATION } from "#app/entities/accounts/actor.ts";
import type { SignOnButton } from "#app/entities/accounts/sign-on-settings.ts";
import { signOnMessage } from "#app/entities/accounts/single-sign-on.ts";
import { MESSAGES } from "#app/entities/messages.ts";
import { firstScreen } from "#app/http/return-path.ts";
import { orNull, screenLoader } from "#app/http/screen.ts";
import { typedName } from "#app/http/sign-in.ts";

/** A request from another site has no session cookie (SameSite=Strict), so a signed-in user looks signed out. */
function isLinkOfAnotherSite({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "cross-site";
}

export const loader = screenLoader("public", async ({ app, actor, query, request }) => {
  if (actor) throw redirect(firstScreen(request, actor.sessionState));
  const agencyId = query.get("agency");
  return {
    choices: await orNull(signOnChoices(app)),
    problem: signOnMessage(query.get("sso")),
    asked: agencyId === null ? null : await orNull(signOnAgency(app, agencyId)),
    linked: isLinkOfAnotherSite(request) ? firstScreen(request, "full") : "",
    ...failureOf(query, request),
  };
});

/** Returns why a sign-in without scripts failed, and the typed username; nothing if none failed. */
function failureOf(query: URLSearchParams, request: Request): { failed?: string; typed?: string } {
  const code = query.get("failed");
  if (code === null) return {};
  const failed = code === "address" ? ADDRESS_MUST_WAIT : MESSAGES.loginFailed;
  return { failed, typed: typedName(request) };
}

export const meta: MetaFunction = () => [{ title: "Sign in · Odin" }];

const ENDED = "Your session has ended. Nothing was searched or saved: sign in, and enter it again.";

export default function SignInScreen() {
  const params = useSearchParams()[0];
  const isLinked = useLoaderData<typeof loader>().linked !== "";
  useEffect(() => {
    announceSession("");
    forgetLeftForm();
    // A sign-out without scripts, or before they arrived, kept them. A user who came from another site may be signed in.
    if (!isLinked) forgetHits();
  }, [isLinked]);
  return (
    <>
      <main id="content" className="flex flex-1 flex-col md:p-6">
        <SignIn
          again={params.has("again") || params.has("ended")}
          notice={params.has("ended") ? ENDED : ""}
        />
      </main>
      <Footer />
    </>
  );
}

/** Single sign-on: a button for each agency that shows one, and a work email for all others. Needs no script. */
function SignOnForm({
  buttons,
  byEmail,
  again,
}: {
  buttons: readonly SignOnButton[];
  byEmail: boolean;
  /** The provider must ask the person again: they signed out, or their session has ended. */
  again: boolean;
}) {
  return (
    <section aria-label="Single sign-on" className="mt-6 flex flex-col gap-4 border-t border-line pt-6">
      {buttons.map(({ agency_id, name, agency }) => (
        <div key={agency_id} className="flex flex-col gap-1">
          <SignOnLink agencyId={agency_id} again={again}>
            Sign in with {name}
          </SignOnLink>
          {/* Agencies choose the button's name freely, but not their own. */}
          <p className="text-center text-sm text-muted">{agency}</p>
        </div>
      ))}
      {byEmail && (
        <form method="post" action="/sso/find" className="flex flex-col gap-4">
          <input type="hidden" name="notice" value={USE_NOTIFICATION.version} />
          {again && <input type="hidden" name="again" value="1" />}
          <Field label="Work email" hint="For agencies that use single sign-on.">
            {(control) => (
              <Input
                {...control}
                name="email"
                type="email"
                controlSize="lg"
                required
                maxLength={254}
                autoComplete="email"
              />
            )}
          </Field>
          <Button type="submit" size="lg">
            Continue
          </Button>
        </form>
      )}
      <p className="text-sm text-muted">
        By signing in you acknowledge the use notification and consent to its terms.
      </p>
    </section>
  );
}

function SignOnLink({
  agencyId,
  again,
  children,
}: {
  agencyId: string;
  again: boolean;
  children: ReactNode;
}) {
  return (
    <a
      href={`/sso/${encodeURIComponent(agencyId)}?notice=${USE_NOTIFICATION.version}${again ? "&again=1" : ""}`}
      className={buttonClass("secondary", "lg")}
    >
      <LogIn aria-hidden="true" />
      {children}
    </a>
  );
}

/** The sign-in card: product name and use notification on the left, the form on the right. */
function SignIn({ again, notice }: { again: boolean; notice: string }) {
  const { choices, problem, asked, linked, failed, typed } = useLoaderData<typeof loader>();
  const message = problem || notice;
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
        {message && <ErrorBox message={message} className="mb-4" />}
        {linked && (
          <p className="mb-4 text-base">
            Signed in already?{" "}
            <a href={linked} className="underline">
              Open the page
            </a>
            . Browsers do not tell Odin who you are when you come from another site.
          </p>
        )}
        {asked && (
          <div className="mb-6 flex flex-col gap-3 border-b border-line pb-6">
            <p>
              A link outside Odin led here. Continue only if you are a user of <strong>{asked.name}</strong>.
            </p>
            <SignOnLink agencyId={asked.id} again={again}>
              Continue to single sign-on
            </SignOnLink>
          </div>
        )}
        <SignInForm failed={failed} typed={typed} />
        {choices && (choices.buttons.length > 0 || choices.byEmail) && (
          <SignOnForm {...choices} again={again} />
        )}
      </div>
    </div>
  );
}
