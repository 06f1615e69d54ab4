/**
 * Images are asked for a few at a time, those nearest to the top of the view first, and not at all when their row
 * has scrolled away before their turn.
 */
export type ImageQueue = {
  /** Waits for a turn; `start` runs when it comes. Gives the function that ends the wait or frees the place. */
  enter: (place: number, start: () => void) => () => void;
};

/** A browser opens six connections to a host over HTTP/1.1: slow images must leave some to everything else. */
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
      // Rows of one drawing enter one after the other: let them all come before the first is chosen.
      queueMicrotask(next);
      return () => {
        waiting.delete(ticket);
        if (running.delete(ticket)) next();
      };
    },
  };
}
