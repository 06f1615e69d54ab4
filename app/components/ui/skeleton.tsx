import { cx } from "./cx.ts";

/** A placeholder for content that is loading; give it the size of the content. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={cx("block animate-pulse rounded-md bg-line", className)} />;
}
