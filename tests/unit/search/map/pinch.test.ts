import { expect, it } from "vitest";
import { onTrackpadPinch } from "#app/components/ui/pinch.ts";

function gesture(type: string, scale: number): Event {
  return Object.assign(new Event(type, { cancelable: true }), { scale, clientX: 30, clientY: 40 });
}

it("a pinch on a trackpad zooms in steps and keeps the page from zooming", () => {
  const element = new EventTarget();
  const steps: number[] = [];
  let isTouched = false;
  const stop = onTrackpadPinch(element, {
    isTouched: () => isTouched,
    zoom: (factor, { clientX, clientY }) => {
      expect([clientX, clientY]).toEqual([30, 40]);
      steps.push(factor);
    },
  });
  for (const scales of [
    [1.5, 3],
    [0.5, 0.25],
  ]) {
    expect(element.dispatchEvent(gesture("gesturestart", 1))).toBe(false);
    for (const scale of scales) expect(element.dispatchEvent(gesture("gesturechange", scale))).toBe(false);
  }
  expect(steps).toEqual([1.5, 2, 0.5, 0.5]);

  isTouched = true;
  element.dispatchEvent(gesture("gesturechange", 2));
  isTouched = false;
  stop();
  element.dispatchEvent(gesture("gesturechange", 4));
  expect(steps).toHaveLength(4);
});
