import { type MetaFunction, redirect } from "@remix-run/cloudflare";
import { Form } from "@remix-run/react";
import { SingleSheet } from "#app/components/accounts/sheet.tsx";
import { UseNotification } from "#app/components/accounts/use-notification.tsx";
import { Footer } from "#app/components/shell/footer.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { acknowledgeUseNotice } from "#app/domain/accounts/sign-in.ts";
import { HOME_OF, SESSION_STATES, type SessionState } from "#app/entities/accounts/access.ts";
import { refuseCrossSite } from "#app/http/access.ts";
import { screenLoader } from "#app/http/screen.ts";
import { localPath } from "#app/lib/local-path.ts";

const OPTIONS = { during: SESSION_STATES, beforeNotice: true };

/** Returns the path that the user asked for if it is another screen of Odin, otherwise the session's first screen. */
function targetOf(query: URLSearchParams, state: SessionState): string {
  const wanted = localPath(query.get("to") ?? "");
  return wanted && !wanted.startsWith("/use-notice") ? wanted : HOME_OF[state];
}

export const loader = screenLoader(
  "signed-in",
  ({ actor, query }) => {
    if (!actor.noticeDue) throw redirect(targetOf(query, actor.sessionState));
    return {};
  },
  OPTIONS,
);

export const action = screenLoader(
  "signed-in",
  async ({ app, actor, query, request }) => {
    refuseCrossSite(request);
    await acknowledgeUseNotice(app, actor);
    throw redirect(targetOf(query, actor.sessionState));
  },
  OPTIONS,
);

export const meta: MetaFunction = () => [{ title: "Use notification · Odin" }];

/** The use notification, for sessions whose client did not show it before the sign-in. */
export default function UseNoticeScreen() {
  return (
    <>
      <main id="content" tabIndex={-1} className="flex flex-1 flex-col outline-none">
        <SingleSheet title="Before you continue" lead="Read the use notification and acknowledge it.">
          <Form method="post" className="flex flex-col gap-5">
            <UseNotification />
            <Button type="submit" variant="primary" size="lg">
              I acknowledge
            </Button>
          </Form>
        </SingleSheet>
      </main>
      <Footer />
    </>
  );
}
