import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { POLL_MS, type PollOutcome, pollDelay, startPolling } from "#app/components/alerts/live/polling.ts";
import { at } from "#app/lib/at.ts";
import { HOUR, MINUTE, SECOND } from "#app/lib/time/dates.ts";

describe("polling", () => {
  it("waits at least five seconds, and longer after failures", () => {
    expect(POLL_MS).toBeGreaterThanOrEqual(5000);
    const delays = [0, 1, 2, 3, 10, 1000].map(pollDelay);
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays.at(-1)).toBe(2 * MINUTE);
  });

  describe("rounds", () => {
    type Asked = { resumed: boolean; signal: AbortSignal; answer: (outcome: PollOutcome) => Promise<void> };
    let rounds: Asked[] = [];
    let isAwake = true;
    const newest = () => at(rounds, rounds.length - 1);

    function poll(immediately = true) {
      return startPolling(
        ({ resumed, signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve("failed"));
            const answer = async (outcome: PollOutcome) => {
              resolve(outcome);
              await vi.advanceTimersByTimeAsync(0);
            };
            rounds.push({ resumed, signal, answer });
          }),
        { immediately, isAwake: () => isAwake },
      );
    }

    beforeEach(() => {
      vi.useFakeTimers();
      rounds = [];
      isAwake = true;
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it("continue after a request without a response", async () => {
      poll();
      await vi.advanceTimersByTimeAsync(14 * SECOND);
      expect(newest().signal.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(SECOND);
      expect(newest().signal.aborted).toBe(true);
      await vi.advanceTimersByTimeAsync(pollDelay(1));
      expect(rounds).toHaveLength(2);
    });

    it("start at most every five seconds, however often the page wakes", async () => {
      const polling = poll();
      await newest().answer("ok");
      for (let i = 0; i < 20; i++) {
        isAwake = i % 2 === 1;
        polling.wake();
        await vi.advanceTimersByTimeAsync(200);
      }
      expect(rounds).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(SECOND);
      expect(rounds).toHaveLength(2);
    });

    it("start immediately after a pause, and report it until one succeeds", async () => {
      const polling = poll(false);
      await vi.advanceTimersByTimeAsync(POLL_MS);
      expect(newest().resumed).toBe(false);
      await newest().answer("ok");
      isAwake = false;
      polling.wake();
      await vi.advanceTimersByTimeAsync(MINUTE);
      expect(rounds).toHaveLength(1);
      isAwake = true;
      polling.wake();
      await vi.advanceTimersByTimeAsync(0);
      expect(newest().resumed).toBe(true);
      await newest().answer("failed");
      await vi.advanceTimersByTimeAsync(pollDelay(1));
      expect(newest().resumed).toBe(true);
      await newest().answer("ok");
      await vi.advanceTimersByTimeAsync(POLL_MS);
      expect(newest().resumed).toBe(false);
    });

    it("repeat soon if the page woke during a round", async () => {
      const polling = poll();
      await vi.advanceTimersByTimeAsync(10 * SECOND);
      polling.wake();
      await vi.advanceTimersByTimeAsync(5 * SECOND + 1);
      expect(rounds.map(({ resumed }) => resumed)).toEqual([true, true]);
    });

    it("are two minutes apart while there is nothing to wait for", async () => {
      poll();
      await newest().answer("seldom");
      await vi.advanceTimersByTimeAsync(2 * MINUTE - 1);
      expect(rounds).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(rounds).toHaveLength(2);
    });

    it("stop when no one is signed in, and resume after sign-in", async () => {
      const polling = poll();
      await newest().answer("stop");
      polling.wake();
      await vi.advanceTimersByTimeAsync(HOUR);
      expect(rounds).toHaveLength(1);
      polling.back();
      await vi.advanceTimersByTimeAsync(0);
      expect(rounds).toHaveLength(2);
    });

    it("stop for good when polling ends", async () => {
      const polling = poll();
      polling.end();
      expect(newest().signal.aborted).toBe(true);
      await vi.advanceTimersByTimeAsync(HOUR);
      expect(rounds).toHaveLength(1);
    });
  });
});
