import { useEffect } from "react";

const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";
const DIALOGS = "dialog, [role=dialog], [role=alertdialog]";
/** How long a control may be disabled, for example while a page loads, before the focus moves elsewhere. */
const DISABLED_GRACE_MS = 1500;

/**
 * The element that had the focus and its index among the focusable elements (stops) of each ancestor. In a dialog, also
 * the element that had the focus before the dialog: a closing dialog returns the focus there, unless that element is
 * gone.
 */
type Place = {
  element: HTMLElement;
  path: string;
  around: { box: Element; at: number }[];
  dialog: Element | null;
  before: Place | undefined;
  /** Whether the element was removed or disabled in the meantime. */
  lost: boolean;
};

/**
 * Restores the focus when the focused element disappears: a removed row, a recreated form, a button that is disabled
 * while it works. Otherwise the keyboard would start at the top of the page, and a screen reader would fall silent. Also
 * keeps the focused element out from behind the bars that stay in view (WCAG 2.4.11).
 */
export function FocusKeeper() {
  useEffect(() => {
    let place: Place | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

    const remember = (target: EventTarget | null) => {
      place = target instanceof HTMLElement && target !== document.body ? placeOf(target, place) : undefined;
    };
    const onFocus = ({ target }: FocusEvent) => {
      clearTimeout(timer);
      remember(target);
      // Browsers scroll to the element after this event.
      if (target instanceof HTMLElement) requestAnimationFrame(() => uncover(target));
    };
    const onBlur = ({ target }: FocusEvent) => {
      // A click on the empty page removes the focus on purpose; removing or disabling an element does not.
      setTimeout(() => {
        if (place?.element === target && canHold(place.element) && isFocusLost()) place = undefined;
      });
    };
    const check = () => {
      if (!place || canHold(place.element)) return;
      place.lost = true;
      const wait = place.element.isConnected ? DISABLED_GRACE_MS : 50;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!place || !isFocusLost()) return;
        const target = location.pathname === place.path ? nearest(place) : screenContent();
        target?.focus({ preventScroll: true });
      }, wait);
    };
    const observer = new MutationObserver(() => {
      // An element that was disabled for a moment gets the focus back as soon as it is enabled again.
      if (place?.lost && canHold(place.element) && isFocusLost())
        place.element.focus({ preventScroll: true });
      else check();
    });
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["disabled"],
    });
    remember(document.activeElement);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onBlur);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onBlur);
    };
  }, []);
  return null;
}

/** Bars that stay at the top or the bottom of the window. */
const BARS = "[data-bar]";
/** Pixels between a bar and the focused element, for its outline. */
const GAP = 8;

/**
 * Scrolls a focused element out from behind a bar, and into the window if it got the focus without a scroll, as the
 * replacement for a removed element. A tall element, such as the content, is in view anyway.
 */
function uncover(element: HTMLElement): void {
  if (!element.matches(":focus-visible") || element.closest(`${BARS}, ${DIALOGS}`)) return;
  if (element.offsetHeight > innerHeight / 2) return;
  const { top, bottom } = element.getBoundingClientRect();
  if (bottom <= 0 || top >= innerHeight) element.scrollIntoView({ block: "nearest", behavior: "instant" });
  for (const bar of document.querySelectorAll<HTMLElement>(BARS)) {
    const [own, covering] = [element.getBoundingClientRect(), bar.getBoundingClientRect()];
    if (own.bottom <= covering.top || own.top >= covering.bottom) continue;
    const by = bar.dataset.bar === "top" ? own.top - covering.bottom - GAP : own.bottom - covering.top + GAP;
    scrollBy({ top: by, behavior: "instant" });
  }
}

function screenContent(): HTMLElement | undefined {
  return document.querySelector<HTMLElement>("#content") ?? undefined;
}

function canHold(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled");
}

function stopsIn(box: Element): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>(STOPS)];
}

/** Returns undefined in a grid: its rows come and go as it scrolls, and it manages its own focus. */
function placeOf(element: HTMLElement, last: Place | undefined): Place | undefined {
  if (element.closest("[role=grid]")) return undefined;
  const around: Place["around"] = [];
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
    around.push({ box, at: stopsIn(box).indexOf(element) });
  const dialog = element.closest(DIALOGS);
  const before = dialog ? beforeOf(dialog, last) : undefined;
  return { element, path: location.pathname, around, dialog, before, lost: false };
}

/**
 * Returns the place that had the focus before a dialog. Dialogs can be nested: returning to one keeps its original
 * place.
 */
function beforeOf(dialog: Element, last: Place | undefined): Place | undefined {
  for (let place = last; place; place = place.before) if (place.dialog === dialog) return place.before;
  return last;
}

/**
 * Returns the replacement for a lost element: in its closest ancestor that still exists, the stop with the same index,
 * or the heading of a section that has none left. If nothing of the screen is left, returns the main element of the new
 * screen, where the index has no meaning.
 */
function nearest({ around, dialog, before }: Place): HTMLElement | undefined {
  if (before && !dialog?.isConnected) return canHold(before.element) ? before.element : nearest(before);
  const screen = screenContent();
  for (const { box, at } of around) {
    if (!box.isConnected) continue;
    if (screen && box.contains(screen)) break;
    const stops = stopsIn(box);
    const found = [...stops.slice(at), ...stops.slice(0, at).reverse()].find(
      (stop) => stop.tabIndex >= 0 && canHold(stop) && stop.checkVisibility({ visibilityProperty: true }),
    );
    if (found) return found;
    const heading = box.matches("section") ? box.querySelector<HTMLElement>("h2, h3") : null;
    if (heading) {
      heading.tabIndex = -1;
      return heading;
    }
  }
  return screen;
}
