import { cx } from "#app/components/ui/cx.ts";

/** Odin's mark: an eye within a plate's outline. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 48 30" fill="none" aria-hidden="true" className={cx("shrink-0", className)}>
      <rect x="1.25" y="1.25" width="45.5" height="27.5" rx="5" stroke="currentColor" strokeWidth="2.5" />
      <path
        d="M8.5 15C14.2 6.6 33.8 6.6 39.5 15C33.8 23.4 14.2 23.4 8.5 15Z"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinejoin="round"
      />
      <circle cx="24" cy="15" r="4.75" className="fill-accent" />
      <circle cx="25.6" cy="13.4" r="1.3" className="fill-raised" />
    </svg>
  );
}
