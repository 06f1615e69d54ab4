import type { Priority } from "#app/entities/hotlists/entry.ts";
import { sleep } from "#app/lib/waiting.ts";

/** Tones in hertz, each about a sixth of a second. High priority has one more, higher tone. */
const TONES: Record<Priority, readonly number[]> = {
  high: [660, 880, 1175],
  normal: [660, 880],
  low: [660],
};
const STEP_S = 0.17;
const LOUDNESS = 0.12;

/** Browsers allow sound only once the user has used the page. Until then a resumed context does not run. */
const RESUME_MS = 500;
const PRESSES = ["pointerup", "keydown"] as const;

let audio: AudioContext | undefined;
let hasPlayed = false;

/**
 * Resumes the sound during the next press or key, and stops it again until a hit: Safari plays only sound that the
 * user's action resumed at least once, and a hit arrives without one. Returns a function that stops waiting for a
 * press.
 */
export function allowHitSound(): () => void {
  const stop = () => {
    for (const press of PRESSES) document.removeEventListener(press, allow, { capture: true });
  };
  async function allow() {
    try {
      audio ??= new AudioContext();
      await audio.resume();
      stop();
      if (!hasPlayed) await audio.suspend();
    } catch {
      // Without an audio device, there is nothing to allow.
    }
  }
  for (const press of PRESSES) document.addEventListener(press, allow, { capture: true });
  return stop;
}

/** Plays the sound of a hit, generated without a file. A sound that is not allowed yet is dropped, not played later. */
export async function playHitSound(priority: Priority): Promise<void> {
  hasPlayed = true;
  try {
    audio ??= new AudioContext();
    if (!isRunning(audio)) {
      await Promise.race([audio.resume(), sleep(RESUME_MS)]);
      if (!isRunning(audio)) return;
    }
    const from = audio.currentTime + 0.02;
    for (const [i, frequency] of TONES[priority].entries()) {
      const tone = audio.createOscillator();
      const gain = audio.createGain();
      const start = from + i * STEP_S;
      tone.frequency.value = frequency;
      gain.gain.setValueAtTime(0, start);
      gain.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02);
      gain.gain.linearRampToValueAtTime(0, start + STEP_S);
      tone.connect(gain).connect(audio.destination);
      tone.start(start);
      tone.stop(start + STEP_S);
    }
  } catch {
    // Without an audio device, the user still sees the message and the list.
  }
}

/** A separate function, because TypeScript assumes that the state stays the same while the context resumes. */
function isRunning({ state }: AudioContext): boolean {
  return state === "running";
}
