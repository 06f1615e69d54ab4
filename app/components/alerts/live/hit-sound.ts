import type { Priority } from "#app/entities/hotlists/entry.ts";

/** Tones in hertz, each a sixth of a second; a high priority rises once more. */
const TONES: Record<Priority, readonly number[]> = {
  high: [660, 880, 1175],
  normal: [660, 880],
  low: [660],
};
const STEP_S = 0.17;
const LOUDNESS = 0.12;

let audio: AudioContext | undefined;

/** Sounds a hit, made here: no file, nothing fetched. Silent where the browser does not let a page sound yet. */
export async function soundHit(priority: Priority): Promise<void> {
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
    // Without a device for sound there is the list and the message.
  }
}
