import { cx } from "./cx.ts";

/** The place of something that is still coming; give it that thing's size. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cx("block animate-pulse rounded-md bg-line", className)} />;
}
