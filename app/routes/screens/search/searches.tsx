import type { MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunctionArgs, useLoaderData } from "@remix-run/react";
import { screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { SearchesView } from "#app/components/search/history/view.tsx";
import { listSearches, saveSearch } from "#app/domain/search/history.ts";
import { FORM_FIELDS } from "#app/entities/form-answer.ts";
import { FindSearches, NameSearchForm, PinSearchForm } from "#app/entities/search/history/calls.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";

export const meta: MetaFunction = () => [{ title: "Search History · Odin" }];

export const loader = screenLoader("signed-in", ({ app, actor }) =>
  listSearches(app, actor, { find: "", after: null }),
);

export const action = screenAction("signed-in", {
  // Sent as a form, to keep plates out of URLs.
  find: screenForm(FindSearches, ({ app, actor, body }) => listSearches(app, actor, body), { keeps: true }),
  pin: screenForm(
    PinSearchForm,
    ({ app, actor, body }) => saveSearch(app, actor, { id: body.id, pinned: true }),
    { done: "Search pinned.", shows: () => undefined },
  ),
  unpin: screenForm(
    PinSearchForm,
    ({ app, actor, body }) => saveSearch(app, actor, { id: body.id, pinned: false }),
    { done: "Search unpinned.", shows: () => undefined },
  ),
  name: screenForm(NameSearchForm, ({ app, actor, body }) => saveSearch(app, actor, body), {
    done: ({ name }) => (name === "" ? "Name removed." : "Name saved."),
    shows: () => undefined,
  }),
});

export const clientAction = screenClientAction;

/** A filter changes nothing that the loader returns. */
export function shouldRevalidate({ formData, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formData?.get(FORM_FIELDS.intent) === "find" ? false : defaultShouldRevalidate;
}

export default function SearchesScreen() {
  return <SearchesView first={useLoaderData<typeof loader>()} />;
}
