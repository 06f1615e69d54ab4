import type { ReactNode } from "react";
import { cx } from "./cx.ts";

const WIDTHS = {
  "3xl": "max-w-3xl",
  "4xl": "max-w-4xl",
  "5xl": "max-w-5xl",
  "7xl": "max-w-7xl",
  "8xl": "max-w-[90rem]",
  full: "max-w-[112rem]",
};

type PageWidth = keyof typeof WIDTHS;

/** Returns the classes of a screen's frame, for a form that is the frame itself. */
export function pageClass(width: PageWidth, isLoose = false): string {
  return cx("mx-auto flex w-full flex-col px-4 py-5 sm:px-6", isLoose ? "gap-5" : "gap-4", WIDTHS[width]);
}

/** The frame of a screen: its maximum width, and the space around it and between its parts. */
export function Page({
  width,
  loose,
  children,
}: {
  width: PageWidth;
  /** More space between the parts. */
  loose?: boolean;
  children: ReactNode;
}) {
  return <div className={pageClass(width, loose)}>{children}</div>;
}

/** The heading of a screen. */
export function PageTitle({ className, children }: { className?: string; children: ReactNode }) {
  return <h1 className={cx("text-xl font-semibold tracking-tight", className)}>{children}</h1>;
}

/** The heading of a screen with a sentence about it, and its actions beside both. */
export function PageHead({
  title,
  lead,
  children,
}: {
  title: ReactNode;
  lead: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <div className="min-w-0 flex-1 basis-72">
        <PageTitle className="flex flex-wrap items-center gap-2">{title}</PageTitle>
        <p className="mt-0.5 max-w-3xl text-sm text-muted">{lead}</p>
      </div>
      {children}
    </div>
  );
}
