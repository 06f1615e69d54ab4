import { useEffect } from "react";

const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";
const DIALOGS = "dialog, [role=dialog], [role=alertdialog]";
/** So long may a control be disabled, as while a page is fetched, before the focus goes on without it. */
const PATIENCE_MS = 1500;

/**
 * What had the focus, its number among the stops of everything around it, and, in a dialog, what had the focus before
 * the dialog: a dialog that closes gives it back, unless that has gone away meanwhile.
 */
type Place = {
  element: HTMLElement;
  path: string;
  around: { box: Element; at: number }[];
  dialog: Element | null;
  before: Place | undefined;
  /** Whether it could not hold the focus for a while. */
  lost: boolean;
};

/**
 * Puts the focus back where what had it went away: a row that was removed, a form that was made anew, a button that is
 * disabled while it works. Without it the keyboard begins at the top of the page, and a screen reader falls silent.
 */
export function FocusKeeper() {
  useEffect(() => {
    let place: Place | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isNowhere = () => document.activeElement === null || document.activeElement === document.body;

    const hold = (target: EventTarget | null) => {
      place = target instanceof HTMLElement && target !== document.body ? placeOf(target, place) : undefined;
    };
    const onFocus = ({ target }: FocusEvent) => {
      clearTimeout(timer);
      hold(target);
    };
    const onBlur = ({ target }: FocusEvent) => {
      // A press on the empty page takes the focus away on purpose; what was removed or disabled did not mean to.
      setTimeout(() => {
        if (place?.element === target && canHold(place.element) && isNowhere()) place = undefined;
      });
    };
    const look = () => {
      if (!place || canHold(place.element)) return;
      place.lost = true;
      const wait = place.element.isConnected ? PATIENCE_MS : 50;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (place && isNowhere() && location.pathname === place.path)
          nearest(place)?.focus({ preventScroll: true });
      }, wait);
    };
    const seen = new MutationObserver(() => {
      // What was disabled for a moment has the focus again as soon as it can; what was left on purpose has not.
      if (place?.lost && canHold(place.element) && isNowhere()) place.element.focus({ preventScroll: true });
      else look();
    });
    seen.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ["disabled"],
    });
    hold(document.activeElement);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onBlur);
    return () => {
      seen.disconnect();
      clearTimeout(timer);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onBlur);
    };
  }, []);
  return null;
}

function canHold(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(":disabled");
}

function stopsIn(box: Element): HTMLElement[] {
  return [...box.querySelectorAll<HTMLElement>(STOPS)];
}

/** Undefined in a grid, whose rows come and go as it scrolls: it has a focus of its own. */
function placeOf(element: HTMLElement, last: Place | undefined): Place | undefined {
  if (element.closest("[role=grid]")) return undefined;
  const around: Place["around"] = [];
  for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
    around.push({ box, at: stopsIn(box).indexOf(element) });
  const dialog = element.closest(DIALOGS);
  const before = dialog ? beforeOf(dialog, last) : undefined;
  return { element, path: location.pathname, around, dialog, before, lost: false };
}

/** Dialogs lie on dialogs: whoever comes back to one had come to it from where they came at first. */
function beforeOf(dialog: Element, last: Place | undefined): Place | undefined {
  for (let place = last; place; place = place.before) if (place.dialog === dialog) return place.before;
  return last;
}

/**
 * What stands in its stead: of the smallest thing around it that is still there, the stop of the same number. Where
 * nothing of the screen is left, the whole screen: another has taken its place, on which no number means anything.
 */
function nearest({ around, dialog, before }: Place): HTMLElement | undefined {
  if (before && !dialog?.isConnected) return canHold(before.element) ? before.element : nearest(before);
  const screen = document.querySelector<HTMLElement>("#content") ?? undefined;
  for (const { box, at } of around) {
    if (!box.isConnected) continue;
    if (screen && box.contains(screen)) break;
    const stops = stopsIn(box);
    const found = [...stops.slice(at), ...stops.slice(0, at).reverse()].find(
      (stop) => stop.tabIndex >= 0 && canHold(stop) && stop.checkVisibility({ visibilityProperty: true }),
    );
    if (found) return found;
  }
  return screen;
}
