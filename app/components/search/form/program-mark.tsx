import { cx } from "#app/components/ui/cx.ts";
import { SOURCE_PROGRAMS, type SourceProgram } from "#app/entities/search/query.ts";

export type ProgramMarkProps = {
  program: SourceProgram;
  size?: "sm" | "md" | "lg";
  /** Shows the program's name beside its mark; otherwise the name is for screen readers only. */
  named?: boolean;
  /** Refers to the drawing of `ProgramMarkDrawings`, which the page must have. */
  shared?: boolean;
  className?: string;
};

const SIZES = { sm: "size-4", md: "size-5", lg: "size-7" };

// Each program has its own shape, so that the marks differ without color.
const MARKS: Record<SourceProgram, { color: string; shape: string; letter: string }> = {
  Rekor: {
    color: "text-rekor",
    shape: "M12 1a11 11 0 1 1 0 22a11 11 0 1 1 0-22z",
    letter: "M8.75 17.5v-11h3.75a3.1 3.1 0 0 1 0 6.2H8.75M12.25 12.7l3.25 4.8",
  },
  Axon: {
    color: "text-axon",
    shape: "M12 .5L23.5 12L12 23.5L.5 12z",
    letter: "M8 16.5l4-10l4 10M9.6 13.2h4.8",
  },
  Axis: {
    color: "text-axis",
    shape:
      "M4.5 2h15A2.5 2.5 0 0 1 22 4.5v15a2.5 2.5 0 0 1-2.5 2.5h-15A2.5 2.5 0 0 1 2 19.5v-15A2.5 2.5 0 0 1 4.5 2z",
    letter: "M8 6.75l8 10.5M16 6.75l-8 10.5",
  },
};

/** Odin's logo of a source program: a letter in a shape and color, with the name. */
export function ProgramMark(props: ProgramMarkProps) {
  const { program, size = "md", named = false, shared = false, className } = props;
  return (
    <span
      className={cx("inline-flex items-center gap-2 align-middle", className)}
      title={named ? undefined : program}
    >
      <svg
        viewBox="0 0 24 24"
        aria-hidden="true"
        className={cx("shrink-0", SIZES[size], MARKS[program].color)}
      >
        {shared ? <use href={`#${drawingId(program)}`} /> : <Drawing program={program} />}
      </svg>
      <span className={named ? undefined : "sr-only"}>{program}</span>
    </span>
  );
}

const drawingId = (program: SourceProgram) => `mark-${program}`;

function Drawing({ program }: { program: SourceProgram }) {
  const { shape, letter } = MARKS[program];
  return (
    <>
      <path d={shape} fill="currentColor" />
      <path
        d={letter}
        fill="none"
        stroke="var(--color-raised)"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  );
}

/** The drawings to which shared marks refer: a page with many marks has each drawing once. */
export function ProgramMarkDrawings() {
  return (
    <svg aria-hidden="true" className="absolute size-0">
      {SOURCE_PROGRAMS.map((program) => (
        <symbol key={program} id={drawingId(program)} viewBox="0 0 24 24">
          <Drawing program={program} />
        </symbol>
      ))}
    </svg>
  );
}
