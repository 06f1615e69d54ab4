import type { MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { History } from "lucide-react";
import { useEffect, useRef } from "react";
import { FilterField } from "#app/components/forms/filter-field.tsx";
import { OlderPages } from "#app/components/forms/older-pages.tsx";
import { revalidateUnlessFind, screenClientAction } from "#app/components/forms/screen-client-action.ts";
import { ScreenForm } from "#app/components/forms/screen-form.tsx";
import { type ScreenFormState, useScreenForm } from "#app/components/forms/use-screen-form.ts";
import { SearchTable } from "#app/components/search/history/table.tsx";
import { buttonClass } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Page, PageHead } from "#app/components/ui/page.tsx";
import { listSearches, saveSearch } from "#app/domain/search/history.ts";
import { FindSearches, NameSearchForm, PinSearchForm } from "#app/entities/search/history/calls.ts";
import type { SearchHistory } from "#app/entities/search/history/past-search.ts";
import { screenLoader } from "#app/http/screen.ts";
import { screenAction } from "#app/http/screen-action.ts";
import { screenForm } from "#app/http/screen-form.ts";
import { numberText } from "#app/lib/number-text.ts";

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

export const shouldRevalidate = revalidateUnlessFind;

export default function SearchesScreen() {
  return <SearchesView first={useLoaderData<typeof loader>()} />;
}

const FORM_ID = "find-searches";

/** A user's own searches: those that are pinned, then the history, with a filter and pages. */
function SearchesView({ first }: { first: SearchHistory }) {
  const { form, found, find, isOlder, refresh } = useFindForm();
  const shown = found ?? first;
  const isEmpty = shown.pinned.length + shown.searches.length === 0;
  return (
    <Page width="8xl">
      <PageHead
        title="Search History"
        lead={
          <>
            Only you can see this list of your own searches. It goes back {numberText(shown.kept_days)} days.
            Every search also stays in the audit log.
          </>
        }
      >
        <Link to="/search" className={buttonClass()}>
          New search
        </Link>
      </PageHead>
      <FilterForm form={form} />
      {isEmpty && !shown.next && <Nothing isFiltered={find.trim() !== ""} />}
      {shown.pinned.length > 0 && <SearchTable title="Pinned" searches={shown.pinned} onChange={refresh} />}
      {shown.searches.length > 0 && (
        <SearchTable
          title={isOlder ? "Older searches" : "History"}
          searches={shown.searches}
          onChange={refresh}
        />
      )}
      <OlderPages
        form={FORM_ID}
        isOlder={isOlder}
        next={shown.next}
        searchedTo={shown.searched_to}
        pending={form.pending}
      />
      <p role="status" className="sr-only">
        {found && !form.pending && `${shown.searches.length} searches listed`}
      </p>
    </Page>
  );
}

/** Returns the form that filters and pages, its result, and the values that were sent. */
function useFindForm() {
  /** The shown page is fetched again with its own filter and start, regardless of later typing. */
  const isRefresh = useRef(false);
  const form = useScreenForm<SearchHistory>({
    intent: "find",
    failed: "The searches could not be loaded.",
    keep: true,
    onDone: () => {},
    prepare: (data) => {
      if (isRefresh.current) data.set("find", find);
      // The next page uses the filter that is shown; another filter begins with the newest.
      else if (data.get("find") !== find) data.delete("after");
      if (isRefresh.current && isOlder) data.set("after", after);
      isRefresh.current = false;
      return true;
    },
  });
  /** A refresh that follows a filter that has not been answered yet. */
  const isWaiting = useRef(false);
  useEffect(() => {
    if (form.pending || !isWaiting.current) return;
    isWaiting.current = false;
    isRefresh.current = true;
    form.form.current?.requestSubmit();
  }, [form.pending, form.form]);
  const found = form.answer?.ok ? form.answer.result : undefined;
  const sent = (name: "find" | "after") => (found && form.value(name)) || "";
  const [find, after] = [sent("find"), sent("after")];
  const isOlder = after !== "";
  // Changes are in the data of the screen; a fetched page is fetched again.
  function refresh() {
    if (!found) return;
    if (form.pending) {
      isWaiting.current = true;
      return;
    }
    isRefresh.current = true;
    form.form.current?.requestSubmit();
  }
  return { form, found, find, isOlder, refresh };
}

function FilterForm({ form }: { form: ScreenFormState<SearchHistory> }) {
  return (
    <ScreenForm state={form} id={FORM_ID} aria-label="Filter searches" className="flex flex-col gap-2">
      <FilterField
        error={form.problem("find")}
        pending={form.pending}
        maxLength={200}
        placeholder="Plate, vehicle, reason, case or name"
        defaultValue={form.value("find", "")}
      />
    </ScreenForm>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState
        icon={<History />}
        title="No searches match"
        actions={
          <Link to="/searches" reloadDocument className={buttonClass()}>
            Show all searches
          </Link>
        }
      >
        All words of the filter must be in a search, its reason, its case number or its name.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<History />}
      title="No searches yet"
      actions={
        <Link to="/search" className={buttonClass("primary")}>
          Search LPR records
        </Link>
      }
    >
      Your searches are listed here, so that you can open their results while they exist, and run them again.
    </EmptyState>
  );
}
