import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type EmptyStateProps = {
  icon?: ReactNode;
  title: ReactNode;
  /** What to do next. */
  children?: ReactNode;
  /** The button that does it. */
  actions?: ReactNode;
  /** Whether the page shows nothing else, so that the title is its heading. */
  isPage?: boolean;
  className?: string;
};

export function EmptyState({ icon, title, children, actions, isPage = false, className }: EmptyStateProps) {
  const Title = isPage ? "h1" : "p";
  return (
    <div
      className={cx("mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center", className)}
    >
      {icon && <span className="text-muted [&_svg]:size-8 [&_svg]:stroke-[1.5]">{icon}</span>}
      <Title className="text-lg font-semibold">{title}</Title>
      {children && <div className="text-base text-muted">{children}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
