/**
 * Detects justifications that name a purpose for which plate reads may not be used (Connecticut Public Act 26-14
 * section 13), and personal ones. A word list finds only openly stated purposes. A search with such a justification
 * needs a typed confirmation that names a supervisor, and is reported for review.
 */

import { visibleText } from "#app/lib/text.ts";
import { CONFIRMATION_PHRASE } from "./purpose.ts";
import type { Searcher } from "./vague-reason.ts";

type Category = { label: string; terms: readonly RegExp[] };

const words = (...alternatives: string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}])`, "iu");

const PEOPLE =
  "(?:black|white|hispanic|latin[oax]|asian|arab|african|jewish|muslim|gay|trans(?:gender(?:ed)?|sexual)?|immigrant)";
/** Words that make a preceding word a car's color: "because of a black Honda". */
const A_CAR =
  "(?: \\p{L}+)? (?:suvs?|sedans?|cars?|trucks?|vans?|pickups?|vehicles?|coupes?|wagons?|motorcycles?|hondas?|toyotas?|fords?|nissans?|chevrolets?|jeeps?)";

/**
 * Words that also have an innocent meaning need context: "ice" alone is weather, a burgled church is a victim, and a
 * description of a suspect may name a race.
 */
const CATEGORIES: readonly Category[] = [
  {
    label: "immigration enforcement",
    terms: [
      words(
        "immigrations?",
        "immigration status",
        "(?:illegal|undocumented|unlawful) (?:alien|immigrant|migrant|person|people|worker)s?",
        "undocumented",
        "illegals",
        "deport(?:s|ed|ing|ation|ations|able)?",
        "removal (?:order|operation|proceeding)s?",
        "border patrol",
        "customs and border",
        "visa overstays?",
        "287 ?\\(?g\\)?",
        "cbp",
        "uscis",
        "i\\.c\\.e\\.?",
        "(?:for|assist(?:ing)?|per|help(?:ing)?|(?:work(?:ing|s)?|operation|task force|together) with) ice(?! ?(?:cream|rink|hockey|skating|storm|fishing|machine|truck|on|and))",
        "ice (?:agents?|arrests?|assist(?:ance)?|detainers?|ero|ero request|enforcement|hold|officers?|raids?|requests?|warrants?)",
      ),
    ],
  },
  {
    label: "speech, assembly or the press (First Amendment)",
    terms: [
      words(
        "protest(?:s|ed|er|ers|or|ors|ing)?",
        "demonstrators?",
        "(?:political|anti-?war|peace|street|public) demonstrations?",
        "(?:political|campaign|union|anti-?\\p{L}+|pro-?\\p{L}+) (?:rally|rallies|marches|march)",
        "rally (?:attendees?|goers?|participants?)",
        "marchers",
        "(?:political )?activists?",
        "picket(?:s|ing|ers?)?(?! fences?)",
        "union organi[sz](?:ers?|ing)",
        "no kings",
        "black lives matter",
        "journalists?",
        "first amendment",
        "political (?:views?|beliefs?|affiliations?|opponents?)",
        "leafle?t(?:s|ing|ters?|eers?)",
      ),
    ],
  },
  {
    label: "reproductive or gender-affirming care",
    terms: [
      words(
        "abortions?",
        "planned parenthood",
        "reproductive (?:health|care|health ?care|clinics?|services?)",
        "(?:terminat(?:e|ed|es|ing|ion)) (?:of )?(?:a |her |the )?pregnanc(?:y|ies)",
        "pregnancy terminations?",
        "mifepristone",
        "misoprostol",
        "gender[- ]affirming",
        "gender (?:clinics?|transitions?|reassignment)",
        "puberty blockers?",
        "sex changes?",
        "trans(?:gender)? (?:care|surger(?:y|ies)|clinics?|health ?care)",
      ),
    ],
  },
  {
    label: "a protected class",
    terms: [
      words(
        `because (?:he|she|they|driver|the driver|subject) (?:is |are |was |were |looks? |looked |being )?(?:a |an )?${PEOPLE}`,
        `because of (?:a |an |the )?${PEOPLE}(?!${A_CAR})`,
        "because of (?:his |her |their |the )?(?:race|color|ethnicity|religion|faith|nationality|gender|disability|sexuality)",
        "racial(?:ly)? profil(?:e|ed|ing)",
        "(?:ethnicity|ethnic background|ethnic group)",
        "national origin",
        "sexual orientation",
        "gender identity",
        "religious (?:beliefs?|affiliations?|group|practice|attire)",
        "muslims?",
        "islamic",
        "jews",
        "(?:mosque|synagogue|church|temple|gurdwara) (?:attend(?:ees?|ance|ing)|goers?|members?|members?hip|visitors?|congregation|congregants)",
        "(?:attend(?:s|ed|ing)?|visit(?:s|ed|ing)?|worship(?:s|p?ed|p?ing)? at) (?:a |the |his |her |their )?(?:mosque|synagogue|church|temple|gurdwara)",
        "(?:lgbt|lgbtq)\\+?",
        "(?:gay|lesbian|transgender) (?:people|persons?|men|women|drivers?|community|bars?|clubs?)",
      ),
    ],
  },
  {
    label: "a personal purpose",
    terms: [
      /^\P{L}*personal\P{L}*$/iu,
      words(
        "(?:personal|private) (?:reasons?|use|interests?|matters?|curiosity|business|purposes?|favou?rs?|search|lookup)",
        "my (?:own )?(?:ex|(?:ex[- ]?)?(?:wife|husband|girlfriend|boyfriend)|spouse|fianc[eé]e?|daughters?|sons?|kids?|children|mother|father|mom|dad|brothers?|sisters?|cousins?|uncle|aunt|roommates?|landlord|tenants?|neighbou?rs?|friends?|relatives?)(?:['’]s)?",
        "my own (?:cars?|trucks?|vehicles?|plates?)",
        "for (?:a|my) (?:buddy|friend(?! of))",
        "(?:just|am|i['’]?m|was|being) curious",
        "(?:out of|my) curiosity",
        "(?:as a|doing a|personal) favou?r",
      ),
    ],
  },
];

/** Hate crimes are investigated for the victims, so these texts may name a protected class. */
const HATE_CRIME = words("(?:hate|bias)[- ](?:crimes?|incidents?|motivated)");

/** In capitals, ICE is the agency and not the weather, unless the whole text is in capitals. */
const ICE_IN_CAPITALS = /(?<![\p{L}\p{N}])ICE(?![\p{L}\p{N}])/u;

export type ProhibitedMatch = { category: string; matched: string };

/** Returns the prohibited purposes that a text seems to name: one match per category, with the matching words. */
export function prohibitedIn(text: string): ProhibitedMatch[] {
  const plain = visibleText(text.normalize("NFKC")).replace(/\s+/g, " ");
  const found: ProhibitedMatch[] = [];
  for (const { label, terms } of CATEGORIES) {
    if (label === "a protected class" && HATE_CRIME.test(plain)) continue;
    const matched =
      terms.map((term) => term.exec(plain)?.[0]).find((match) => match !== undefined) ??
      (label === "immigration enforcement" && /\p{Ll}/u.test(plain)
        ? ICE_IN_CAPITALS.exec(plain)?.[0]
        : undefined);
    if (matched !== undefined) found.push({ category: label, matched });
  }
  return found;
}

/** Returns the reason for a supervisor's review, or undefined if the text names no such purpose. */
export function prohibitedReason(text: string): string | undefined {
  const found = prohibitedIn(text);
  if (found.length === 0) return undefined;
  return found.map(({ category, matched }) => `“${matched}” reads like ${category}.`).join(" ");
}

/** Returns the warning shown before the search, or "". */
export function prohibitedNotice(text: string): string {
  const reason = prohibitedReason(text);
  return reason
    ? `${reason} Plate reads may not be used for that. Such a search needs a second confirmation and is reported for review.`
    : "";
}

type Confirmed = {
  justification: string;
  confirmation?: string | undefined;
  supervisor?: string | undefined;
};

const SUPERVISOR_LETTERS = 3;

/**
 * Returns what is missing to search with this justification: nothing unless it names a prohibited purpose, otherwise
 * the typed phrase and the name of a supervisor other than the searcher.
 */
export function confirmationProblems(
  { justification, confirmation = "", supervisor = "" }: Confirmed,
  ...searchers: Searcher[]
): { confirmation?: string; supervisor?: string } {
  if (prohibitedIn(justification).length === 0) return {};
  return {
    ...(folded(confirmation) !== folded(CONFIRMATION_PHRASE) && {
      confirmation: `Type “${CONFIRMATION_PHRASE}”.`,
    }),
    ...supervisorProblem(folded(supervisor), searchers),
  };
}

function supervisorProblem(name: string, searchers: readonly Searcher[]): { supervisor?: string } {
  if (Array.from(name.matchAll(/\p{L}/gu)).length < SUPERVISOR_LETTERS)
    return { supervisor: "Enter the name of the supervisor who approved this search." };
  const isOwn = searchers.some((one) => name === folded(one.username) || name === folded(one.name));
  return isOwn ? { supervisor: "Name a supervisor, not yourself." } : {};
}

const folded = (text: string) =>
  visibleText(text.normalize("NFKC")).replace(/\s+/g, " ").replace(/\.$/, "").toLowerCase();
