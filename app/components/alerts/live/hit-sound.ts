import type { Priority } from "#app/entities/hotlists/entry.ts";

/** Tones in hertz, each about a sixth of a second. High priority has one more, higher tone. */
const TONES: Record<Priority, readonly number[]> = {
  high: [660, 880, 1175],
  normal: [660, 880],
  low: [660],
};
const STEP_S = 0.17;
const LOUDNESS = 0.12;

let audio: AudioContext | undefined;

/** Plays the sound of a hit, generated without a file. Silent if the browser does not allow sound yet. */
export async function playHitSound(priority: Priority): Promise<void> {
  try {
    audio ??= new AudioContext();
    if (audio.state === "suspended") await audio.resume();
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
