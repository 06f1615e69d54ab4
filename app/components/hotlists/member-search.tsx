import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { callApi } from "#app/components/forms/api.ts";
import { FindFormApart } from "#app/components/forms/find-form.tsx";
import { useTypedBefore } from "#app/components/forms/use-typed-before.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import {
  type Candidate,
  type CandidateSearch,
  type FoundCandidates,
  MOST_FOUND,
} from "#app/entities/hotlists/group.ts";
import { uniqueById } from "#app/lib/at.ts";
import { counted } from "#app/lib/number-text.ts";
import { compareNames } from "#app/lib/text.ts";
import { type Choice, keepForm, MEMBER, MemberBoxes } from "./member-boxes.tsx";

/** The id of the form that finds users without scripts. */
const FIND_FORM = "find-members";

/** The form that finds users without scripts by loading the screen again. */
export function FindMembersForm() {
  return <FindFormApart id={FIND_FORM} />;
}

export type MemberSearchProps = {
  choice: Choice;
  search: CandidateSearch;
  /** The members chosen now; undefined until scripts have loaded. */
  chosen: readonly string[] | undefined;
};

/** Members of a large installation: those that are chosen, and the users that a search on the server finds. */
export function MemberSearch({ choice, search, chosen }: MemberSearchProps) {
  const { found, seen, isSearching, problem, find, showMore } = useFoundCandidates(search);
  const field = useTypedBefore<HTMLInputElement>(find);
  const initial = search.chosen.map(({ id }) => id);
  const selected = new Set(chosen ?? initial.filter(choice.isMember));
  const kept = new Set([...initial, ...selected]);
  const { matching, others } = byAgency(search.own, {
    found: found.users,
    kept: uniqueById([...search.chosen, ...seen]).filter(({ id }) => kept.has(id)),
  });

  async function more() {
    const added = await showMore();
    // The button may have been removed, and the focus with it.
    for (const { id } of added) {
      const box = choice.form.current?.querySelector<HTMLElement>(
        `input[name=${MEMBER}][value="${CSS.escape(id)}"]:enabled`,
      );
      if (box) return box.focus();
    }
    field.current?.focus();
  }

  const group = ([agency, people]: [string, Candidate[]]) => {
    const count = people.filter(({ id }) => selected.has(id)).length;
    return (
      <MemberBoxes
        key={`agency ${agency}`}
        choice={choice}
        agency={agency}
        people={people}
        count={count}
        allLabel={`All listed users of ${agency}`}
        aside={`${count} chosen`}
        defaultOpen
      />
    );
  };
  const result = resultOf(found);
  return (
    <>
      <Field label="Find a user" error={problem} hint={`${result} Chosen users stay listed.`}>
        {(control) => (
          <div className="flex gap-2">
            <Input
              {...control}
              ref={field}
              // Not a field of the group: Enter does not save it.
              form={FIND_FORM}
              name="find"
              type="search"
              autoComplete="off"
              defaultValue={search.find}
              maxLength={100}
              placeholder="Name, user name, email or agency"
              onKeyDown={keepForm}
              onChange={(event) => find(event.currentTarget.value)}
            />
            <div className="hidden noscript:block">
              <Button type="submit" form={FIND_FORM} icon={<Search />}>
                Find
              </Button>
            </div>
          </div>
        )}
      </Field>
      <p className="hidden text-sm text-muted noscript:block">
        Find loads this page again. Save your changes first.
      </p>
      <LiveRegion>{isSearching ? "" : result}</LiveRegion>
      {/* One list with keys, so that boxes keep what was chosen when agencies change places. */}
      {[
        ...matching.map(group),
        found.more && (
          <Button key="more" className="self-start noscript:hidden" pending={isSearching} onClick={more}>
            Show {MOST_FOUND} more
          </Button>
        ),
        others.length > 0 && (
          <h3 key="others" className="mt-2 text-sm font-medium">
            Other chosen users
          </h3>
        ),
        ...others.map(group),
      ]}
    </>
  );
}

function resultOf({ find, users, more }: Found): string {
  const people = counted(users.length, "user");
  if (find === "") return more ? `The first ${people} of your agency.` : "Users of your agency.";
  if (users.length === 0) return "No user has this in the name, user name, email or agency.";
  return more ? `The first ${people} found.` : `${people} found.`;
}

/**
 * Returns the agencies with users that were found, in the order of the search, and the other agencies with chosen
 * users, the own one first. Within an agency, found users come before the others.
 */
function byAgency(own: string, { found, kept }: { found: readonly Candidate[]; kept: readonly Candidate[] }) {
  const ids = new Set(found.map(({ id }) => id));
  const others = kept.filter(({ id }) => !ids.has(id)).sort((a, b) => compareNames(a.name, b.name));
  const agencies = [...Map.groupBy([...found, ...others], ({ agency }) => agency)];
  const isMatching = ([, [first]]: [string, Candidate[]]) => first !== undefined && ids.has(first.id);
  const rank = (agency: string) => (agency === own ? 0 : 1);
  return {
    matching: agencies.filter(isMatching),
    others: agencies
      .filter((agency) => !isMatching(agency))
      .sort(([a], [b]) => rank(a) - rank(b) || compareNames(a, b)),
  };
}

type Found = FoundCandidates & { find: string; page: number };

/** Delay after typing before the server searches for users. */
const PAUSE_MS = 300;
/** Minimum length of the search text: a shorter one is in most names. */
const LEAST_LETTERS = 2;

/** Finds users by words. Also returns all that were found since, so that chosen ones stay. */
function useFoundCandidates(search: CandidateSearch) {
  const first: Found = { ...search.found, find: search.find, page: 1 };
  const [wanted, setWanted] = useState(search.find);
  const [later, setLater] = useState<Found>();
  const [seen, setSeen] = useState<readonly Candidate[]>(search.found.users);
  const [isSearching, setSearching] = useState(false);
  const [problem, setProblem] = useState("");
  const found = later ?? first;

  /** Asks the server for a page. Returns undefined if it did not answer. */
  async function ask(find: string, page: number, signal?: AbortSignal) {
    setSearching(true);
    const answer = await callApi<FoundCandidates>(
      `/group-candidates?${new URLSearchParams({ find, page: String(page) })}`,
      { failed: "The users could not be looked up.", ...(signal && { signal }) },
    );
    if (signal?.aborted) return undefined;
    setSearching(false);
    setProblem(answer.ok ? "" : answer.message);
    if (!answer.ok) return undefined;
    setSeen((before) => [...before, ...answer.value.users]);
    return answer.value;
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another text is wanted
  useEffect(() => {
    setSearching(false);
    if (wanted === found.find || (wanted !== "" && wanted.length < LEAST_LETTERS)) return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const answer = await ask(wanted, 1, controller.signal);
      if (answer) setLater({ ...answer, find: wanted, page: 1 });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [wanted]);

  /** Adds the next page of users. Returns them. */
  async function showMore(): Promise<readonly Candidate[]> {
    const answer = await ask(found.find, found.page + 1);
    if (!answer) return [];
    flushSync(() =>
      setLater((now = first) =>
        now.find === found.find && now.page === found.page
          ? // Pages overlap if users were added meanwhile.
            { ...now, ...answer, page: now.page + 1, users: uniqueById([...now.users, ...answer.users]) }
          : now,
      ),
    );
    return answer.users;
  }

  return { found, seen, isSearching, problem, find: (text: string) => setWanted(text.trim()), showMore };
}
