import { afterEach, beforeEach, expect, it, vi } from "vitest";

let isPressing: boolean;
let tones: number;
let contexts: SafariContext[];

/** Like Safari's: it runs only if it is resumed during a press, or was resumed during one before. */
class SafariContext {
  state = "suspended";
  currentTime = 0;
  destination = {};
  private isAllowed = false;
  constructor() {
    contexts.push(this);
  }
  async resume() {
    this.isAllowed ||= isPressing;
    if (!this.isAllowed) await new Promise(() => {});
    this.state = "running";
  }
  async suspend() {
    this.state = "suspended";
  }
  createGain() {
    const gain = { setValueAtTime: () => {}, linearRampToValueAtTime: () => {} };
    return { gain, connect: () => {} };
  }
  createOscillator() {
    tones += 1;
    const node = { frequency: { value: 0 }, connect: (to: unknown) => to, start: () => {}, stop: () => {} };
    return node;
  }
}

async function press() {
  isPressing = true;
  document.dispatchEvent(new Event("pointerup"));
  isPressing = false;
  await vi.advanceTimersByTimeAsync(0);
}

async function hit() {
  const { playHitSound } = await import("#app/components/alerts/live/sound.ts");
  const played = playHitSound("normal");
  await vi.advanceTimersByTimeAsync(1000);
  await played;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  [isPressing, tones, contexts] = [false, 0, []];
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("AudioContext", SafariContext);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("plays the sound of a hit that arrives after a press, in a browser that asks for one", async () => {
  const { allowHitSound } = await import("#app/components/alerts/live/sound.ts");
  allowHitSound();
  await press();
  expect(contexts[0]?.state).toBe("suspended");
  await hit();
  expect(tones).toBe(2);
});

it("drops the sound of a hit before the first press, and plays the next one", async () => {
  const { allowHitSound } = await import("#app/components/alerts/live/sound.ts");
  allowHitSound();
  await hit();
  expect(tones).toBe(0);
  await press();
  expect(tones).toBe(0);
  await hit();
  expect(tones).toBe(2);
});

it("no longer waits for a press once the sound is turned off", async () => {
  const { allowHitSound } = await import("#app/components/alerts/live/sound.ts");
  allowHitSound()();
  await press();
  expect(contexts).toHaveLength(0);
});
