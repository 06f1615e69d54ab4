import * as z from "zod/mini";
import { about, Done, file } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { LogoutFailure } from "#app/http/openapi/failures.ts";
import {
  answerCallback,
  answerFind,
  answerLogout,
  answerSignOn,
  answerStepUp,
} from "#app/http/single-sign-on.ts";
import { described } from "#app/lib/json/named-schema.ts";

/** A page that redirects by itself, since no cookie of this site is sent with a redirect from another site. */
const PAGE = file(
  { "text/html": "A page that redirects." },
  { bare: { 302: "Redirects to the identity provider." } },
);

const { loader, action } = endpoints(
  "Single sign-on",
  endpoint(
    "POST /sso/find",
    "public",
    none,
    about("Redirects to the identity provider of an email address's domain.", PAGE, {
      form: { fields: z.object({ email: z.string() }), urlEncoded: true },
    }),
    ({ app, request }) => answerFind(app, request),
  ),
  endpoint(
    "GET /sso/step-up",
    "signed-in",
    none,
    about("Redirects to the identity provider, which must authenticate the user again.", PAGE),
    ({ app, actor, request }) => answerStepUp(app, actor, request),
  ),
  endpoint(
    "GET /sso/:agency",
    "public",
    none,
    about("Redirects to the identity provider of an agency.", PAGE, {
      query: z.object({
        again: described("1 makes the provider authenticate the user again.", z.optional(z.string())),
        notice: described("The version of the use notification that was shown.", z.optional(z.string())),
      }),
    }),
    ({ app, params, request }) => answerSignOn({ app, agencyId: params.agency, request }),
  ),
  endpoint(
    "GET /sso/:agency/callback",
    "public",
    none,
    about("Takes the answer of the identity provider.", PAGE, {
      query: z.object({
        code: z.optional(z.string()),
        state: z.optional(z.string()),
        error: z.optional(z.string()),
        iss: z.optional(z.string()),
      }),
    }),
    ({ app, params, request }) => answerCallback({ app, agencyId: params.agency, request }),
    { foreignQuery: true },
  ),
  // The provider itself calls it; its signed token is the proof.
  endpoint(
    "POST /sso/:agency/logout",
    "webhook",
    none,
    about(
      "Ends the sessions that an identity provider names (OpenID Connect Back-Channel Logout 1.0).",
      Done,
      { form: { fields: z.object({ logout_token: z.string() }), urlEncoded: true }, failure: LogoutFailure },
    ),
    ({ app, params, request }) => answerLogout({ app, agencyId: params.agency, request }),
  ),
);

export { action, loader };
