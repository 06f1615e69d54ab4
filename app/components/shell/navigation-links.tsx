import { Link, PrefetchPageLinks, useLocation } from "@remix-run/react";
import { ChevronDown } from "lucide-react";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { cx } from "#app/components/ui/cx.ts";
import { popover } from "#app/components/ui/floating.ts";
import { currentOf, type Destination, type DestinationGroup } from "./destinations.ts";
import { fetchScreenCode } from "./screen-code.ts";

/** Returns the classes of an entry of the bar; the current area is underlined. */
function barEntry(isCurrent: boolean, isFull: boolean): string {
  return cx(
    "-mb-px flex items-center gap-1 border-b-2 font-medium whitespace-nowrap transition-colors",
    // Wider letters take the space beside the text, for which a full bar has nothing else (WCAG 1.4.12).
    isFull ? "min-w-0 before:w-1.5 after:w-1.5" : "px-3",
    isCurrent
      ? "border-accent text-text"
      : "border-transparent text-muted hover:text-text forced-colors:border-b-0",
  );
}

/** How long the pointer or the focus is on a link before its screen is prefetched. */
const NEAR_MS = 100;

export function BarLink({ destination, isFull }: { destination: Destination; isFull: boolean }) {
  const current = currentOf(destination, useLocation().pathname);
  const { to } = destination;
  const [isNear, setNear] = useState(false);
  const [isPrefetched, setPrefetched] = useState(false);
  useEffect(() => {
    if (!isNear) return;
    let hasLeft = false;
    const timer = setTimeout(
      () =>
        fetchScreenCode(to).then(
          () => !hasLeft && setPrefetched(true),
          () => {},
        ),
      NEAR_MS,
    );
    return () => {
      hasLeft = true;
      clearTimeout(timer);
      setPrefetched(false);
    };
  }, [isNear, to]);
  const near = () => setNear(true);
  const far = () => setNear(false);
  return (
    <>
      <Link
        to={to}
        onMouseEnter={near}
        onMouseLeave={far}
        onFocus={near}
        onBlur={far}
        onTouchStart={near}
        aria-current={current}
        className={barEntry(current !== undefined, isFull)}
      >
        {destination.label}
      </Link>
      {isPrefetched && <PrefetchPageLinks page={to} />}
    </>
  );
}

/** Several links under one button. It opens without scripts too, at the start of the bar. */
export function GroupMenu({ group, isFull }: { group: DestinationGroup; isFull: boolean }) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const isCurrent = group.screens.some((screen) => currentOf(screen, pathname));
  useEffect(() => {
    const element = panel.current;
    const place = () => {
      if (element && button.current) element.style.left = `${button.current.getBoundingClientRect().left}px`;
    };
    element?.addEventListener("beforetoggle", place);
    return () => element?.removeEventListener("beforetoggle", place);
  }, []);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-current={isCurrent || undefined}
        className={barEntry(isCurrent, isFull)}
        {...{ popovertarget: id }}
      >
        {group.label}
        <ChevronDown aria-hidden="true" className="size-3.5" />
      </button>
      <div
        ref={panel}
        id={id}
        className="sheet floating below-bar left-4 min-w-48 flex-col p-1 open:flex"
        {...popover("auto")}
      >
        <PanelLinks screens={group.screens} panel={panel} />
      </div>
    </>
  );
}

export function PanelLinks({
  screens,
  panel,
}: {
  screens: readonly Destination[];
  panel: RefObject<HTMLDivElement>;
}) {
  const { pathname } = useLocation();
  return screens.map((screen) => {
    const current = currentOf(screen, pathname);
    return (
      <Link
        key={screen.to}
        to={screen.to}
        aria-current={current}
        onClick={() => panel.current?.hidePopover()}
        className={cx(
          "flex min-h-control-lg items-center rounded-md px-2 font-medium hover:bg-hover",
          current && "bg-accent-soft text-accent",
        )}
      >
        {screen.label}
      </Link>
    );
  });
}
