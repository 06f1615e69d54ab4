/** Safari's event for a pinch, which TypeScript's types lack. */
type GestureEvent = Event & { scale: number; clientX: number; clientY: number };

function isGesture(event: Event): event is GestureEvent {
  return "scale" in event && typeof event.scale === "number";
}

/**
 * Calls `zoom` with the factor and place of each step of a pinch on a trackpad in Safari. Other browsers send wheel
 * events with the Ctrl key instead; Safari would zoom the whole page. It sends the same events for fingers on a touch
 * screen, which the pointer events handle. Returns a function that stops.
 */
export function onTrackpadPinch(
  element: EventTarget,
  {
    isTouched,
    zoom,
  }: { isTouched: () => boolean; zoom: (factor: number, at: { clientX: number; clientY: number }) => void },
): () => void {
  let last = 1;
  function onStart(event: Event) {
    event.preventDefault();
    last = 1;
  }
  function onChange(event: Event) {
    event.preventDefault();
    if (!isGesture(event) || !(event.scale > 0)) return;
    if (!isTouched()) zoom(event.scale / last, event);
    last = event.scale;
  }
  element.addEventListener("gesturestart", onStart, { passive: false });
  element.addEventListener("gesturechange", onChange, { passive: false });
  return () => {
    element.removeEventListener("gesturestart", onStart);
    element.removeEventListener("gesturechange", onChange);
  };
}
