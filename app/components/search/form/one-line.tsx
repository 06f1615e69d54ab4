import { CircleHelp, X } from "lucide-react";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { cx } from "#app/components/ui/cx.ts";
import { Field } from "#app/components/ui/fields/field.tsx";
import { Input } from "#app/components/ui/fields/input.tsx";
import { IconButton } from "#app/components/ui/icon-button.tsx";
import { LiveRegion } from "#app/components/ui/live-region.tsx";
import type { AgencyGroup } from "#app/entities/search/agencies.ts";
import type { SearchForm } from "#app/entities/search/form.ts";
import { fillForm } from "#app/entities/search/line/fill.ts";
import {
  LINE_MAX_LENGTH,
  type Meaning,
  type Piece,
  parseLine,
  withoutPiece,
} from "#app/entities/search/line/parse.ts";
import { lineVocabulary, type Vocabulary } from "#app/entities/search/line/vocabulary.ts";
import { counted } from "#app/lib/number-text.ts";
import { wallClock } from "#app/lib/time/wall-clock.ts";
import { focusField } from "./bar.tsx";

export type OneLineProps = {
  groups: readonly AgencyGroup[];
  /** Changes the fields of the form. */
  onFill: (change: (form: SearchForm) => SearchForm) => void;
  clock: () => number;
};

const NAMES: Record<Meaning["kind"], string> = {
  plate: "Plate",
  color: "Color",
  make: "Make",
  body: "Body type",
  state: "State",
  mark: "Vehicle mark",
  agency: "Agency",
  time: "Time",
};

/**
 * A search written in one line, shown as chips and filled into the form with Enter. It is parsed in the browser: nothing
 * is sent anywhere, and the search still has to be started.
 */
export function OneLine({ groups, onFill, clock }: OneLineProps) {
  const [line, setLine] = useState("");
  const [announced, setAnnounced] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const [vocabulary, loadVocabulary] = useVocabulary(groups);
  const pieces = useMemo(
    () => (vocabulary ? parseLine(line, vocabulary, wallClock(clock())) : []),
    [line, vocabulary, clock],
  );
  const chips = pieces.filter(({ meaning, problem }) => meaning || problem);
  const unclear = chips.filter(({ problem }) => problem).length;

  function fill(event: FormEvent) {
    event.preventDefault();
    if (chips.length === unclear) return;
    onFill((form) => fillForm(form, pieces, { now: clock() }));
    setAnnounced(`${counted(chips.length - unclear, "field")} filled in.`);
    if (unclear === 0) focusField("justification");
  }

  function remove(piece: Piece) {
    setLine(withoutPiece(pieces, piece));
    input.current?.focus();
  }

  function edit(piece: Piece) {
    const { start, end } = placeOf(piece, pieces, line);
    input.current?.focus();
    input.current?.setSelectionRange(start, end);
  }

  return (
    <form aria-label="Search in one line" autoComplete="off" noValidate onSubmit={fill}>
      <div className="flex items-end gap-2">
        <Field label="In one line" className="flex-1">
          {(control) => (
            <Input
              {...control}
              ref={input}
              value={line}
              maxLength={LINE_MAX_LENGTH}
              enterKeyHint="done"
              spellCheck={false}
              placeholder="silver honda suv ct 8b4 new haven yesterday evening"
              onFocus={loadVocabulary}
              onChange={(event) => {
                loadVocabulary();
                setLine(event.currentTarget.value);
                setAnnounced("");
              }}
            />
          )}
        </Field>
        <Button type="submit">Fill in</Button>
      </div>
      {chips.length > 0 && (
        <ul aria-label="Understood as" className="mt-2 flex flex-wrap gap-2">
          {chips.map((piece, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity beyond their place in the line
            <li key={place}>
              <Chip piece={piece} onEdit={() => edit(piece)} onRemove={() => remove(piece)} />
            </li>
          ))}
        </ul>
      )}
      <LiveRegion>
        {announced || (unclear > 0 ? `${counted(unclear, "part")} of the line not used.` : "")}
      </LiveRegion>
    </form>
  );
}

type ChipProps = { piece: Piece; onEdit: () => void; onRemove: () => void };

/** A part of the line. Pressing it selects its words for editing. */
function Chip({ piece: { words, meaning, problem }, onEdit, onRemove }: ChipProps) {
  const text = words.join(" ");
  return (
    <span
      className={cx(
        "inline-flex max-w-full items-center rounded-md border text-sm",
        meaning ? "border-line-strong bg-raised" : "border-dashed border-warn text-warn",
      )}
    >
      <button
        type="button"
        title="Edit"
        className="inline-flex min-h-target items-center gap-1.5 py-1 ps-2 text-start wrap-anywhere"
        onClick={onEdit}
      >
        {meaning ? (
          <>
            <span className="text-muted">{NAMES[meaning.kind]}:</span> {meaning.label}
          </>
        ) : (
          <>
            <CircleHelp aria-hidden="true" className="size-4 shrink-0" />
            <span>
              <strong>{text}</strong> {problem}
            </span>
          </>
        )}
      </button>
      <IconButton size="sm" icon={<X />} label={`Remove ${text}`} onClick={onRemove} />
    </span>
  );
}

/** The vocabulary, and a function that loads it once: the list of places is large. */
function useVocabulary(groups: readonly AgencyGroup[]): [Vocabulary | undefined, () => void] {
  const [places, setPlaces] = useState<string>();
  const isLoading = useRef(false);
  const vocabulary = useMemo(
    () => (places === undefined ? undefined : lineVocabulary(groups, places)),
    [groups, places],
  );
  function load() {
    if (isLoading.current) return;
    isLoading.current = true;
    import("#app/entities/search/map/places.ts").then(
      ({ PLACES }) => setPlaces(PLACES),
      // Without the list, names of places are marked as not understood.
      () => setPlaces(""),
    );
  }
  return [vocabulary, load];
}

/** Returns where the words of a piece are in the line. */
function placeOf(piece: Piece, pieces: readonly Piece[], line: string): { start: number; end: number } {
  let [start, end] = [0, 0];
  for (const current of pieces) {
    current.words.forEach((word, i) => {
      const at = line.indexOf(word, end);
      if (i === 0) start = at;
      end = at + word.length;
    });
    if (current === piece) break;
  }
  return { start, end };
}
