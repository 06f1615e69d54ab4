/**
 * Loads a few images at a time, those nearest to the top of the view first. Images whose row scrolls away before their
 * turn are not loaded.
 */
export type ImageQueue = {
  /** Calls `start` when it is this image's turn. Returns a function that cancels the wait or frees the slot. */
  enter: (place: number, start: () => void) => () => void;
};

/** Browsers open six HTTP/1.1 connections per host; slow images must leave some for other requests. */
const IMAGES_AT_ONCE = 4;

export function createImageQueue(atOnce = IMAGES_AT_ONCE): ImageQueue {
  type Ticket = { place: number; start: () => void };
  const waiting = new Set<Ticket>();
  const running = new Set<Ticket>();

  function next() {
    while (running.size < atOnce && waiting.size > 0) {
      let first: Ticket | undefined;
      for (const ticket of waiting) if (!first || ticket.place < first.place) first = ticket;
      if (!first) return;
      waiting.delete(first);
      running.add(first);
      first.start();
    }
  }

  return {
    enter: (place, start) => {
      const ticket = { place, start };
      waiting.add(ticket);
      // Rows of one render enter one after the other; wait for all before choosing the first.
      queueMicrotask(next);
      return () => {
        waiting.delete(ticket);
        if (running.delete(ticket)) next();
      };
    },
  };
}
